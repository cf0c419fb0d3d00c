#include "sql/position.h"

#include <algorithm>

#include "base/utf8.h"

namespace hdb::sql {
namespace {

constexpr size_t kShownBytesMax = 160;  // of a line
constexpr size_t kShownBefore = 60;     // bytes in front of the place, where the line is cut
constexpr std::string_view kCut = "...";

bool is_tail(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

size_t character_start(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && is_tail(text[at])) --at;
  return at;
}

}  // namespace

TextPosition locate(std::string_view text, int64_t offset) {
  size_t at = offset < 0 ? 0 : std::min(static_cast<size_t>(offset), text.size());
  at = character_start(text, at);
  TextPosition position;
  const std::string_view before = text.substr(0, at);
  position.line = static_cast<uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  const size_t newline = before.rfind('\n');
  const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(begin, end - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  size_t place = std::min(at - begin, line.size());
  position.column = static_cast<uint32_t>(1 + utf8_count(line.substr(0, place)));
  std::string_view shown = line;
  if (line.size() > kShownBytesMax) {
    const size_t first = place > kShownBefore ? character_start(line, place - kShownBefore) : 0;
    const size_t last = character_start(line, std::min(first + kShownBytesMax, line.size()));
    shown = line.substr(first, last - first);
    place -= first;
    if (first > 0) position.line_text += kCut, position.caret.append(kCut.size(), ' ');
    position.line_text += shown;
    if (last < line.size()) position.line_text += kCut;
  } else {
    position.line_text = shown;
  }
  for (size_t i = 0; i < place; ++i) {
    if (!is_tail(shown[i])) position.caret += shown[i] == '\t' ? '\t' : ' ';
  }
  position.caret += '^';
  return position;
}

}  // namespace hdb::sql
