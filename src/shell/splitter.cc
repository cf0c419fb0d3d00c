#include "shell/splitter.h"

#include <algorithm>

#include "shell/utf8.h"

namespace hdb::shell {

namespace {
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
}  // namespace

// Moves start_ over bytes that belong to no piece, counting lines.
void StatementSplitter::advance(size_t bytes) {
  const std::string_view span = std::string_view(buffer_).substr(start_, bytes);
  const size_t last_break = span.rfind('\n');
  start_ += bytes;
  if (last_break == std::string_view::npos) {
    columns_ += count_characters(span);
    return;
  }
  line_ += static_cast<uint64_t>(std::count(span.begin(), span.end(), '\n'));
  line_start_ = start_ - (bytes - last_break - 1);
  columns_ = count_characters(span.substr(last_break + 1));
}

void StatementSplitter::begin_piece() {
  begun_ = true;
  scan_ = start_;
  mode_ = Mode::kPlain;
}

// White space, comments and stray ';' before a piece. Stops at the first byte of a piece, or where more must arrive.
void StatementSplitter::skip_gap() {
  while (start_ < buffer_.size()) {
    const std::string_view rest = std::string_view(buffer_).substr(start_);
    if (is_blank(rest[0]) || rest[0] == ';') {
      advance(1);
    } else if (rest.size() < 2 && (rest[0] == '-' || rest[0] == '/') && wait_for_more()) {
      return;
    } else if (rest.starts_with("--")) {
      const size_t end = rest.find('\n');
      if (end == std::string_view::npos && wait_for_more()) return;
      advance(std::min(end, rest.size()));
    } else if (rest.starts_with("/*")) {
      // Comments nest, as in the grammar. One that is never closed is a piece, so that the parser reports it.
      int depth = 1;
      size_t i = 2;
      for (; i < rest.size() && depth > 0; ++i) {
        if (rest.substr(i).starts_with("/*")) {
          ++depth;
          ++i;
        } else if (rest.substr(i).starts_with("*/")) {
          --depth;
          ++i;
        }
      }
      if (depth > 0) {
        if (wait_for_more()) return;
        begin_piece();
        return;
      }
      advance(std::min(i, rest.size()));
    } else {
      begin_piece();
      return;
    }
  }
}

// Moves scan_ on; true when it stands behind the statement's ';'.
bool StatementSplitter::scan_statement() {
  while (scan_ < buffer_.size()) {
    const char c = buffer_[scan_];
    const bool last = scan_ + 1 >= buffer_.size();
    const char following = last ? '\0' : buffer_[scan_ + 1];
    switch (mode_) {
      case Mode::kPlain:
        if (c == ';') return ++scan_, true;
        if ((c == '-' || c == '/') && last && wait_for_more()) return false;
        if (c == '\'') mode_ = Mode::kSingle;
        if (c == '"') mode_ = Mode::kDouble;
        if (c == '-' && following == '-') mode_ = Mode::kLineComment;
        if (c == '/' && following == '*') {
          mode_ = Mode::kBlockComment;
          comment_depth_ = 1;
          ++scan_;
        }
        break;
      case Mode::kSingle:  // a doubled quote closes and opens again, which cuts at the same place
        if (c == '\'') mode_ = Mode::kPlain;
        break;
      case Mode::kDouble:
        if (c == '"') mode_ = Mode::kPlain;
        break;
      case Mode::kLineComment:
        if (c == '\n') mode_ = Mode::kPlain;
        break;
      case Mode::kBlockComment:
        if ((c == '*' || c == '/') && last && wait_for_more()) return false;
        if (c == '/' && following == '*') {
          ++comment_depth_;
          ++scan_;
        } else if (c == '*' && following == '/') {
          ++scan_;
          if (--comment_depth_ == 0) mode_ = Mode::kPlain;
        }
        break;
    }
    ++scan_;
  }
  scan_ = std::min(scan_, buffer_.size());
  return false;
}

void StatementSplitter::take(size_t end, Piece* piece) {
  piece->text.assign(buffer_, start_, end - start_);
  piece->line = line_;
  piece->columns_before = columns_;
  size_t before = std::max(line_start_, start_ - std::min(start_, kLineBytesKept));
  while (before < start_ && is_continuation(buffer_[before])) ++before;
  piece->line_before.assign(buffer_, before, start_ - before);
  std::string_view after = std::string_view(buffer_).substr(end, kLineBytesKept);
  after = after.substr(0, after.find('\n'));
  piece->line_after.assign(after);
  advance(end - start_);
  begun_ = false;
  // Forget what is done, but keep what an error of the next piece may show of its line. Half of the buffer at a time: a byte is moved once or twice.
  const size_t done = std::max(line_start_, start_ - std::min(start_, kLineBytesKept));
  if (done == buffer_.size() || (done > (1u << 16) && done > buffer_.size() / 2)) {
    buffer_.erase(0, done);
    start_ -= done;
    line_start_ -= std::min(line_start_, done);
  }
}

bool StatementSplitter::next(Piece* piece) {
  if (!begun_) skip_gap();
  if (!begun_) return false;
  piece->command = buffer_[start_] == '.' && scan_ == start_ && mode_ == Mode::kPlain;
  if (piece->command) {
    const size_t end = buffer_.find('\n', start_);
    if (end == std::string::npos && wait_for_more()) return false;
    take(std::min(end, buffer_.size()), piece);
    while (!piece->text.empty() && is_blank(piece->text.back())) piece->text.pop_back();
    return true;
  }
  if (!scan_statement() && wait_for_more()) return false;
  take(scan_ > start_ ? scan_ : buffer_.size(), piece);
  return true;
}

void StatementSplitter::drop_pending() {
  buffer_.clear();
  start_ = scan_ = line_start_ = 0;
  columns_ = 0;
  mode_ = Mode::kPlain;
  begun_ = false;
}

Place place_in_script(const Piece& piece, size_t position) {
  const std::string_view text = piece.text;
  position = std::min(position, text.size());
  Place place;
  place.line = piece.line + static_cast<uint64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
  const size_t break_before = position == 0 ? std::string_view::npos : text.rfind('\n', position - 1);
  const size_t begin = break_before == std::string_view::npos ? 0 : break_before + 1;
  const size_t end = std::min(text.find('\n', position), text.size());
  if (begin == 0) place.text = piece.line_before;
  place.caret_offset = place.text.size() + (position - begin);
  place.text.append(text.substr(begin, end - begin));
  if (end == text.size()) place.text += piece.line_after;
  while (!place.text.empty() && (place.text.back() == '\r' || place.text.back() == '\n')) place.text.pop_back();
  place.caret_offset = std::min(place.caret_offset, place.text.size());
  place.column = 1 + (begin == 0 ? piece.columns_before : 0) + count_characters(text.substr(begin, position - begin));
  return place;
}

}  // namespace hdb::shell
