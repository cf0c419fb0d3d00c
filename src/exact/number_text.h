// exact/number_text.h: what a number looks like as text, and integers to and from it.
//
// What:       one scanner for every numeric type, so that all agree on what is a number.
//             number := space* [+-] ( digit+ [. digit*] | . digit+ ) [ (e|E) [+-] digit+ ] space*
//             space := space, tab, LF, VT, FF, CR. Nothing else: no underscores, no hexadecimal, no separators.
// Invariants: X11 scan_number accepts exactly this; an exponent saturates beyond 10^12, farther than any text can make up for.
// Callers:    exact/, exec/ (CAST), shell/ (CSV). Pure.
// Held by:    spec/exact.md, src/exact/text_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/int128.h"

namespace hdb {

enum class ParseStatus { kOk, kInvalid, kOutOfRange };

struct NumberText {
  bool negative = false;
  bool has_point = false;
  bool has_exponent = false;
  std::string_view whole;     // digits before the point, may be empty
  std::string_view fraction;  // digits after it, may be empty
  int64_t exponent = 0;
  std::string_view body;      // without spaces and sign
};

std::string_view trim_spaces(std::string_view text);
bool scan_number(std::string_view text, NumberText& out);

// An integer: no point, no exponent. kOutOfRange beyond 64 bits.
ParseStatus try_parse_int64(std::string_view text, int64_t& out);
int64_t parse_int64(std::string_view text);  // 22P02, 22003

void append_int128(std::string& out, int128 v);
std::string int128_to_text(int128 v);

}  // namespace hdb
