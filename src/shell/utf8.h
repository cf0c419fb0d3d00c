// shell/utf8.h: just enough of UTF-8 to check text, count characters and line up columns.
//
// What:       decode one character; the first invalid byte of a text; a text's characters and its cells on a terminal.
// Invariants: U1 decode() consumes at least one byte and never reads past the end; an invalid byte is one character, U+FFFD.
//             U2 valid means: shortest form, no surrogates, at most U+10FFFF (the engine's rule for TEXT).
// Callers:    shell/. Thread-safe (no state).
// Held by:    src/shell/utf8_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hdb::shell {

struct Decoded {
  uint32_t code = 0xFFFD;
  uint32_t bytes = 1;
  bool valid = false;
};

Decoded decode_utf8(std::string_view text, size_t offset);

// The offset of the first byte that is not UTF-8; npos if all of it is.
size_t find_invalid_utf8(std::string_view text);

// Characters in the first `bytes` bytes.
size_t count_characters(std::string_view text);

// Terminal cells: 0 for combining marks, 2 for wide East Asian characters and emoji, else 1.
size_t character_cells(uint32_t code);
size_t display_cells(std::string_view text);

void append_utf8(std::string* out, uint32_t code);

// For a terminal: control characters and invalid bytes become visible escapes (\n, \t, \x1b), so that a value can neither break the
// layout nor drive the terminal.
std::string printable(std::string_view text);

// Identifiers match without the case of ASCII letters.
bool same_name(std::string_view a, std::string_view b);

}  // namespace hdb::shell
