#include "shell/utf8.h"

namespace hdb::shell {

Decoded decode_utf8(std::string_view text, size_t offset) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const uint32_t first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const uint32_t length = first >= 0xC2 && first <= 0xDF ? 2 : first >= 0xE0 && first <= 0xEF ? 3 : first >= 0xF0 && first <= 0xF4 ? 4 : 0;
  if (length == 0 || text.size() - offset < length) return {};
  uint32_t code = first & (0x7Fu >> length);
  for (uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool shortest = length == 2 || (length == 3 ? code >= 0x800 : code >= 0x10000);
  if (!shortest || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length, true};
}

size_t find_invalid_utf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const Decoded one = decode_utf8(text, i);
    if (!one.valid) return i;
    i += one.bytes;
  }
  return std::string_view::npos;
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); i += decode_utf8(text, i).bytes) ++count;
  return count;
}

namespace {
struct Span {
  uint32_t first;
  uint32_t last;
};
constexpr Span kZeroWidth[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
                               {0x0900, 0x0902}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A},
                               {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},
                               {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
                               {0xE0100, 0xE01EF}};
constexpr Span kWide[] = {{0x1100, 0x115F}, {0x231A, 0x231B}, {0x2E80, 0x303E}, {0x3041, 0x33FF}, {0x3400, 0x4DBF},
                          {0x4E00, 0x9FFF}, {0xA000, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
                          {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                          {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <size_t N>
bool in_spans(const Span (&spans)[N], uint32_t code) {
  for (const Span& span : spans) {
    if (code <= span.last) return code >= span.first;
  }
  return false;
}
}  // namespace

size_t character_cells(uint32_t code) {
  if (code < 0x300) return 1;
  if (in_spans(kZeroWidth, code)) return 0;
  return in_spans(kWide, code) ? 2 : 1;
}

size_t display_cells(std::string_view text) {
  size_t cells = 0;
  for (size_t i = 0; i < text.size();) {
    const Decoded one = decode_utf8(text, i);
    cells += character_cells(one.code);
    i += one.bytes;
  }
  return cells;
}

void append_utf8(std::string* out, uint32_t code) {
  const auto put = [&](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::string printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const Decoded one = decode_utf8(text, i);
    const auto byte = static_cast<unsigned char>(text[i]);
    if (one.valid && one.code == '\n') {
      out += "\\n";
    } else if (one.valid && one.code == '\t') {
      out += "\\t";
    } else if (one.valid && one.code == '\r') {
      out += "\\r";
    } else if (!one.valid || one.code < 0x20 || one.code == 0x7F) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else if (one.code >= 0x80 && one.code < 0xA0) {
      append_utf8(&out, 0xFFFD);  // C1 controls
    } else {
      out.append(text.substr(i, one.bytes));
    }
    i += one.bytes;
  }
  return out;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

}  // namespace hdb::shell
