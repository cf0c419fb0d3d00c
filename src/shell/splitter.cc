#include "shell/splitter.h"

#include <algorithm>

#include "shell/utf8.h"

namespace hdb::shell {

namespace {
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
}  // namespace

// Moves start_ over bytes that belong to no piece, counting lines.
void StatementSplitter::advance(size_t bytes) {
  for (size_t i = 0; i < bytes; ++i, ++start_) {
    if (buffer_[start_] == '\n') {
      ++line_;
      line_start_ = start_ + 1;
    }
  }
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
  piece->line_before.assign(buffer_, line_start_, start_ - line_start_);
  const size_t line_end = std::min(buffer_.find('\n', end), buffer_.size());
  piece->line_after.assign(buffer_, end, line_end - end);
  advance(end - start_);
  begun_ = false;
  // Forget what is done, but keep the line that the next piece may begin on.
  if (line_start_ > (1u << 16) || line_start_ == buffer_.size()) {
    buffer_.erase(0, line_start_);
    start_ -= line_start_;
    line_start_ = 0;
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
  place.column = count_characters(std::string_view(place.text).substr(0, place.caret_offset)) + 1;
  return place;
}

}  // namespace hdb::shell
