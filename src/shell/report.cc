#include "shell/report.h"

#include "shell/utf8.h"

namespace hdb::shell {

namespace {

constexpr size_t kLineCellsMax = 160;  // a longer line is shown around its caret

// The line as it is shown, and the cell that the caret stands below. A tab is shown as one blank, so that the caret stays true.
void append_line_and_caret(std::string* out, const Place& place, const Style& style) {
  const auto shown = [](std::string_view text) {
    std::string plain(text);
    for (char& c : plain) c = c == '\t' ? ' ' : c;
    return printable(plain);
  };
  std::string before = shown(std::string_view(place.text).substr(0, place.caret_offset));
  std::string after = shown(std::string_view(place.text).substr(place.caret_offset));
  const auto cut_front = [](std::string* text, size_t cells) {
    size_t i = 0;
    while (i < text->size() && display_cells(std::string_view(*text).substr(i)) > cells) i += decode_utf8(*text, i).bytes;
    text->erase(0, i);
  };
  if (before.size() + after.size() > kLineCellsMax) {
    if (before.size() > kLineCellsMax / 2) {
      if (before.size() > 4 * kLineCellsMax) {
        size_t from = before.size() - 4 * kLineCellsMax;
        while ((static_cast<unsigned char>(before[from]) & 0xC0) == 0x80) ++from;
        before.erase(0, from);
      }
      cut_front(&before, kLineCellsMax / 2);
      before.insert(0, "... ");
    }
    size_t keep = 0;
    while (keep < after.size() && keep < kLineCellsMax / 2) keep += decode_utf8(after, keep).bytes;
    if (keep < after.size()) {
      after.resize(keep);
      after += " ...";
    }
  }
  out->append(before).append(after).append("\n");
  out->append(display_cells(before), ' ').append(style.red()).append("^").append(style.reset()).append("\n");
}

}  // namespace

std::string format_error(std::string_view sqlstate, std::string_view message, const Place& place, bool show_line, const Style& style) {
  std::string out;
  out.append(style.red()).append("error[").append(sqlstate).append("]").append(style.reset());
  out.append(" line ").append(std::to_string(place.line)).append(":").append(std::to_string(place.column)).append(": ");
  out.append(printable(message)).append("\n");
  if (show_line && !place.text.empty()) append_line_and_caret(&out, place, style);
  return out;
}

std::string format_error(std::string_view sqlstate, std::string_view message, const Style& style) {
  std::string out;
  out.append(style.red()).append("error[").append(sqlstate).append("]").append(style.reset());
  out.append(": ").append(printable(message)).append("\n");
  return out;
}

std::string format_warning(std::string_view message, const Style& style) {
  std::string out;
  out.append(style.yellow()).append("warning:").append(style.reset()).append(" ").append(printable(message)).append("\n");
  return out;
}

}  // namespace hdb::shell
