// sql/lexer.h: text to tokens, one at a time.
//
// What:       a hand-written scanner. It skips white space and comments (`--` to the end of the line, nested `/* */`), checks
//             UTF-8 wherever a byte above 127 may stand, and stops where it is told to: it never reads past the token asked for.
// Invariants: L1 every token's [begin, end) lies in the text; tokens come in order and never overlap.
//             L2 a NUL byte or invalid UTF-8 is Error 22021 at its place; text that ends inside of a string, a quoted name or a
//                comment is Error 42601 at the place where that began; more than kTokensMax tokens is Error 54001.
// Cost:       linear; no allocation.
// Callers:    sql/ (parser), shell/ (next_statement). Not thread-safe.
// Held by:    spec/grammar.ebnf, src/sql/lexer_test.cc, fuzz/
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "sql/token.h"

namespace hdb::sql {

class Lexer {
 public:
  // Refuses a text longer than kSqlBytesMax (54000). Starts at byte `start`.
  explicit Lexer(std::string_view text, size_t start = 0);

  Token next();
  std::string_view text() const { return text_; }
  std::string_view text_of(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }

 private:
  void skip_blanks();
  void skip_block_comment();
  void check_character(const char*& at) const;
  Token finish(TokenKind kind, const char* begin, const char* end);
  Token scan_word(const char* begin);
  Token scan_quoted(const char* begin, char quote, TokenKind kind, const char* what);
  Token scan_numeral(const char* begin);
  Token scan_parameter(const char* begin);
  Token scan_operator(const char* begin);
  int64_t offset(const char* at) const { return at - text_.data(); }

  std::string_view text_;
  const char* at_;
  const char* end_;
  uint32_t token_count_ = 0;
};

// The text between the quotes of a kString or kQuotedWord, doubled quotes made single, in the arena.
std::string_view decode_quoted(std::string_view token_text, bool doubled, Arena& arena);

// Where a statement starts and ends, without judging it. For scripts that go on after an error and for interactive input.
struct StatementExtent {
  size_t begin = 0;         // first byte that is neither blank nor comment; == end if there is nothing
  size_t end = 0;           // behind the `;`, or the end of the text
  bool terminated = false;  // it ends with a `;`
  bool open = false;        // the text ends inside of a string, a quoted name or a block comment
};
StatementExtent next_statement(std::string_view text, size_t start = 0);  // never throws

}  // namespace hdb::sql
