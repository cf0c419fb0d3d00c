// exec/like.h: LIKE and ILIKE patterns.
//
// What:       % stands for any run of characters, _ for one character (UTF-8), everything else for itself. Without ESCAPE no character
//             escapes, as in the standard and SQLite.
// Invariants: K1 matching takes O(text * pattern) steps at worst, no recursion: only the last % is ever tried again.
// Callers:    exec/, plan/ (prefixes). A pattern is immutable; matches() is pure.
// Held by:    src/exec/like_test.cc
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hdb {

class LikePattern {
 public:
  // escape: empty, or one character. 22023 if it is longer or the pattern ends with it.
  LikePattern(std::string_view pattern, std::string_view escape, bool fold_case);
  bool matches(std::string_view text) const;

 private:
  enum class Kind : uint8_t { kRun, kOne, kLiteral };
  struct Token {
    Kind kind;
    std::string literal;
  };
  bool equal_at(std::string_view text, size_t at, const std::string& literal) const;

  std::vector<Token> tokens_;
  bool fold_case_;
};

}  // namespace hdb
