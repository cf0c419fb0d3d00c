#include "shell/csv_reader.h"

#include "shell/utf8.h"

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace hdb::shell {

namespace {

constexpr uint64_t kOnes = 0x0101010101010101u, kTops = 0x8080808080808080u;

uint64_t eight_bytes(const char* at) {
  uint64_t w;
  std::memcpy(&w, at, 8);
  return w;
}
// The top bit of each byte that is zero; bytes behind the first such one may be marked, too.
uint64_t zero_bytes(uint64_t w) { return (w - kOnes) & ~w & kTops; }

// ASCII without NUL: no field needs to be looked at again.
bool is_plain(std::string_view text) {
  uint64_t wrong = 0;
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    const uint64_t w = eight_bytes(text.data() + i);
    wrong |= (w & kTops) | zero_bytes(w);
  }
  for (; i < text.size(); ++i) wrong |= text[i] <= 0 ? 1 : 0;
  return wrong == 0;
}

bool is_mark(char c) { return c == ',' || c == '\n' || c == '\r'; }

}  // namespace

void CsvMarks::find(size_t block) {
  const char* at = text_.data() + block * 64;
  const size_t left = text_.size() - block * 64;
  block_ = block;
  marks_ = 0;
#ifdef __SSE2__
  if (left >= 64) {
    const __m128i comma = _mm_set1_epi8(','), feed = _mm_set1_epi8('\n'), carriage = _mm_set1_epi8('\r');
    for (unsigned part = 0; part < 4; ++part) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + part * 16));
      const __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, comma), _mm_cmpeq_epi8(bytes, feed)), _mm_cmpeq_epi8(bytes, carriage));
      marks_ |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(found))) << (part * 16);
    }
    return;
  }
#endif
  for (size_t i = 0; i < 64 && i < left; ++i) marks_ |= static_cast<uint64_t>(is_mark(at[i])) << i;
}

CsvReader::CsvReader(std::string_view text) : text_(text), marks_(text), plain_(is_plain(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) {
    position_ = 3;
  } else if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
    file_problem_ = "the file is UTF-16; it must be UTF-8";
  }
  if (text_.size() == position_) file_problem_ = "the file is empty: the first line must name the columns";
}

// A field without a quote at its start in a text that has nothing to look for; the same as read_plain() would do. False: nothing was done.
inline bool CsvReader::read_fast(CsvRecord* record) {
  if (!plain_ || position_ >= text_.size() || text_[position_] == '"' || field_count_ > kFieldsMax || !record->good()) return false;
  const size_t end = marks_.next(position_);
  if (end < text_.size() && text_[end] == '\r') return false;
  record->fields.push_back({std::string_view(text_.data() + position_, end - position_), false});
  position_ = end;
  return true;
}

bool CsvReader::next(CsvRecord* record) {
  record->fields.clear();
  record->problem.clear();
  record->problem_field = 0;
  owned_used_ = 0;
  field_count_ = 0;
  if (expected_fields_ != 1) {
    while (position_ < text_.size() && at_line_end()) end_line();
  }
  record->line = line_;
  if (position_ >= text_.size()) return false;
  for (;;) {
    ++field_count_;
    if (read_fast(record)) {
      // nearly every field
    } else if (position_ < text_.size() && text_[position_] == '"') {
      read_quoted(record);
    } else {
      read_plain(record);
    }
    if (position_ < text_.size() && text_[position_] == ',') {
      ++position_;
      continue;
    }
    end_line();
    break;
  }
  if (record->good() && expected_fields_ != 0 && field_count_ != expected_fields_) {
    set_problem(record, 0,
                std::to_string(field_count_) + (field_count_ == 1 ? " field" : " fields") + " where the header has " +
                    std::to_string(expected_fields_));
  }
  if (!record->good()) record->fields.clear();
  return true;
}

// On return the position is at a comma, a line end or the end of the text.
void CsvReader::read_quoted(CsvRecord* record) {
  const size_t opening = position_;
  size_t begin = ++position_;
  std::string* owned = nullptr;
  for (;;) {
    const size_t quote = text_.find('"', position_);
    if (quote == std::string_view::npos) {
      set_problem(record, field_count_, "the quote that opens here is never closed");
      for (size_t i = opening; i < text_.size(); ++i) line_ += text_[i] == '\n';
      position_ = text_.size();
      return;
    }
    if (quote + 1 < text_.size() && text_[quote + 1] == '"') {
      if (owned == nullptr) {
        if (owned_used_ == owned_.size()) owned_.emplace_back();
        owned = &owned_[owned_used_++];
        owned->clear();
      }
      owned->append(text_, begin, quote + 1 - begin);
      position_ = begin = quote + 2;
      continue;
    }
    position_ = quote + 1;
    for (size_t i = opening; i < quote; ++i) line_ += text_[i] == '\n';
    if (!at_line_end() && text_[position_] != ',') {
      set_problem(record, field_count_, "text after the closing quote");
      skip_line();
      return;
    }
    std::string_view value = text_.substr(begin, quote - begin);
    if (owned != nullptr) {
      owned->append(value);
      value = *owned;
    }
    add_field(record, value, true);
    return;
  }
}

void CsvReader::read_plain(CsvRecord* record) {
  const size_t begin = position_;
  const size_t end = marks_.next(begin);
  position_ = end;
  if (end < text_.size() && text_[end] == '\r' && !at_crlf(end)) {
    set_problem(record, field_count_, "a carriage return without a line feed");
    skip_line();
    return;
  }
  add_field(record, text_.substr(begin, end - begin), false);
}

void CsvReader::add_field(CsvRecord* record, std::string_view text, bool quoted) {
  if (plain_) {
    // nothing to find
  } else if (text.find('\0') != std::string_view::npos) {
    set_problem(record, field_count_, "a NUL byte");
  } else if (find_invalid_utf8(text) != std::string_view::npos) {
    set_problem(record, field_count_, "bytes that are not UTF-8");
  }
  if (field_count_ > kFieldsMax) {
    set_problem(record, 0, "more than " + std::to_string(kFieldsMax) + " fields");
  } else if (record->good()) {
    record->fields.push_back({text, quoted});
  }
}

// The first problem of a record is the one that is told.
void CsvReader::set_problem(CsvRecord* record, size_t field, std::string reason) {
  if (!record->good()) return;
  record->problem = std::move(reason);
  record->problem_field = field;
}

void CsvReader::skip_line() {
  const size_t end = text_.find('\n', position_);
  position_ = end == std::string_view::npos ? text_.size() : end;
}

void CsvReader::end_line() {
  if (position_ >= text_.size()) return;
  if (text_[position_] == '\r') ++position_;
  if (position_ < text_.size() && text_[position_] == '\n') {
    ++position_;
    ++line_;
  }
}

}  // namespace hdb::shell
