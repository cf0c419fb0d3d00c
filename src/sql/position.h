// sql/position.h: a byte offset into a text as a person finds it: line, column, and a caret.
//
// What:       locate() turns Error::position() into what the shell prints below `error[SQLSTATE] line L:C: sentence`.
// Units:      line and column count from 1; columns are characters, not bytes. A tab stays a tab in the caret's line, so that
//             the caret stands right whatever the terminal's tabs are.
// Callers:    shell/, engine/ (messages). Thread-safe.
// Held by:    src/sql/position_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hdb::sql {

struct TextPosition {
  uint32_t line = 1;
  uint32_t column = 1;
  std::string line_text;  // the line without its end; of a long line the part around the place, with "..." where it is cut
  std::string caret;      // blanks and a `^` under the place in line_text
};

// An offset past the end, or inside of a character, counts as the nearest place before it.
TextPosition locate(std::string_view text, int64_t offset);

}  // namespace hdb::sql
