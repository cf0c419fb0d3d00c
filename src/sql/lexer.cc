#include "sql/lexer.h"

#include <cstring>

#include "base/error.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "sql/number.h"

namespace hdb::sql {
namespace {

enum : uint8_t { kOther = 0, kLetter = 1, kDigit = 2, kBlank = 4 };  // kLetter: also `_` and every byte above 127

struct CharacterTable {
  uint8_t classes[256] = {};
  constexpr CharacterTable() {
    for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 32] = kLetter;
    for (int c = 128; c < 256; ++c) classes[c] = kLetter;
    classes[static_cast<int>('_')] = kLetter;
    for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
    for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) classes[static_cast<int>(c)] = kBlank;
  }
};
constexpr CharacterTable kTable;
uint8_t class_of(char c) { return kTable.classes[static_cast<uint8_t>(c)]; }

}  // namespace

Lexer::Lexer(std::string_view text, size_t start) : text_(text), at_(text.data()), end_(text.data() + text.size()) {
  if (text.size() > kSqlBytesMax) {
    fail(sqlstate::kProgramLimit, "the text is " + std::to_string(text.size()) + " bytes long; " + std::to_string(kSqlBytesMax) + " is the limit");
  }
  at_ += start < text.size() ? start : text.size();
}

// One character of a string, a name or a comment: valid UTF-8, and not NUL (L2).
void Lexer::check_character(const char*& at) const {
  if (*at == '\0') fail(sqlstate::kInvalidEncoding, "the text holds a NUL byte", offset(at));
  const uint32_t length = utf8_sequence(at, end_);
  if (length == 0) fail(sqlstate::kInvalidEncoding, "the text is not valid UTF-8", offset(at));
  at += length;
}

void Lexer::skip_block_comment() {
  const char* const begin = at_;
  uint32_t depth = 0;
  while (at_ != end_) {
    if (end_ - at_ >= 2 && at_[0] == '/' && at_[1] == '*') {
      ++depth;
      at_ += 2;
    } else if (end_ - at_ >= 2 && at_[0] == '*' && at_[1] == '/') {
      at_ += 2;
      if (--depth == 0) return;
    } else {
      check_character(at_);
    }
  }
  fail(sqlstate::kSyntax, "the comment that begins here has no end", offset(begin));
}

void Lexer::skip_blanks() {
  while (at_ != end_) {
    if (class_of(*at_) == kBlank) {
      ++at_;
    } else if (*at_ == '-' && end_ - at_ >= 2 && at_[1] == '-') {
      while (at_ != end_ && *at_ != '\n') check_character(at_);
    } else if (*at_ == '/' && end_ - at_ >= 2 && at_[1] == '*') {
      skip_block_comment();
    } else if (end_ - at_ >= 3 && std::memcmp(at_, "\xEF\xBB\xBF", 3) == 0) {
      at_ += 3;  // a byte order mark, as editors leave it where files were joined
    } else {
      return;
    }
  }
}

Token Lexer::finish(TokenKind kind, const char* begin, const char* end) {
  at_ = end;
  Token token;
  token.kind = kind;
  token.begin = static_cast<uint32_t>(offset(begin));
  token.end = static_cast<uint32_t>(offset(end));
  if (++token_count_ > kTokensMax) {
    fail(sqlstate::kStatementTooComplex, "the statement has more than " + std::to_string(kTokensMax) + " tokens", token.begin);
  }
  return token;
}

Token Lexer::scan_word(const char* begin) {
  const char* at = begin;
  while (at != end_ && ((class_of(*at) & (kLetter | kDigit)) != 0 || *at == '$')) {
    if (static_cast<uint8_t>(*at) < 0x80) ++at;
    else check_character(at);
  }
  Token token = finish(TokenKind::kWord, begin, at);
  token.keyword = find_keyword(text_of(token));
  return token;
}

Token Lexer::scan_quoted(const char* begin, char quote, TokenKind kind, const char* what) {
  bool doubled = false;
  const char* at = begin + 1;
  while (at != end_) {
    if (*at != quote) {
      check_character(at);
      continue;
    }
    if (at + 1 == end_ || at[1] != quote) {
      Token token = finish(kind, begin, at + 1);
      token.doubled = doubled;
      return token;
    }
    doubled = true;
    at += 2;
  }
  fail(sqlstate::kSyntax, std::string("the ") + what + " that begins here has no closing quote", offset(begin));
}

Token Lexer::scan_numeral(const char* begin) {
  NumberShape shape;
  const char* at = scan_number(begin, end_, shape);
  if (at != end_ && (class_of(*at) & (kLetter | kDigit)) != 0) {
    while (at != end_ && (class_of(*at) & (kLetter | kDigit)) != 0) check_character(at);
    fail(sqlstate::kSyntax, "syntax error at \"" + std::string(begin, static_cast<size_t>(std::min<int64_t>(at - begin, 40))) +
         "\": letters follow the number; put a space or an operator between them", offset(begin));
  }
  const TokenKind kind = shape.kind == LiteralKind::kInteger   ? TokenKind::kInteger
                         : shape.kind == LiteralKind::kDecimal ? TokenKind::kDecimal
                                                               : TokenKind::kDouble;
  return finish(kind, begin, at);
}

// ? ?N $N :name. The caller has seen that one of them begins here.
Token Lexer::scan_parameter(const char* begin) {
  const char* at = begin + 1;
  if (*begin == ':') {
    while (at != end_ && (class_of(*at) & (kLetter | kDigit)) != 0) check_character(at);
  } else {
    while (at != end_ && class_of(*at) == kDigit) ++at;
  }
  return finish(TokenKind::kParameter, begin, at);
}

Token Lexer::scan_operator(const char* begin) {
  const char second = end_ - begin >= 2 ? begin[1] : '\0';
  const auto one = [&](TokenKind kind) { return finish(kind, begin, begin + 1); };
  const auto two = [&](TokenKind kind) { return finish(kind, begin, begin + 2); };
  switch (*begin) {
    case '+': return one(TokenKind::kPlus);
    case '-': return one(TokenKind::kMinus);
    case '*': return one(TokenKind::kStar);
    case '/': return one(TokenKind::kSlash);
    case '%': return one(TokenKind::kPercent);
    case '(': return one(TokenKind::kOpen);
    case ')': return one(TokenKind::kClose);
    case ',': return one(TokenKind::kComma);
    case '.': return one(TokenKind::kDot);
    case ';': return one(TokenKind::kSemicolon);
    case '=': return second == '=' ? two(TokenKind::kEqual) : one(TokenKind::kEqual);
    case '<':
      if (second == '>') return two(TokenKind::kNotEqual);
      return second == '=' ? two(TokenKind::kLessEqual) : one(TokenKind::kLess);
    case '>': return second == '=' ? two(TokenKind::kGreaterEqual) : one(TokenKind::kGreater);
    case '!': return second == '=' ? two(TokenKind::kNotEqual) : one(TokenKind::kUnknown);
    case '|': return second == '|' ? two(TokenKind::kConcat) : one(TokenKind::kUnknown);
    case ':': return second == ':' ? two(TokenKind::kDoubleColon) : one(TokenKind::kUnknown);
    default: {
      const char* at = begin;
      check_character(at);
      return finish(TokenKind::kUnknown, begin, at);
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  if (at_ == end_) return finish(TokenKind::kEnd, end_, end_);
  const char* const begin = at_;
  const uint8_t second = end_ - begin >= 2 ? class_of(begin[1]) : uint8_t{kOther};
  switch (class_of(*begin)) {
    case kLetter: return scan_word(begin);
    case kDigit: return scan_numeral(begin);
    default: break;
  }
  switch (*begin) {
    case '\'': return scan_quoted(begin, '\'', TokenKind::kString, "string");
    case '"': return scan_quoted(begin, '"', TokenKind::kQuotedWord, "quoted name");
    case '?': return scan_parameter(begin);
    case '$': return second == kDigit ? scan_parameter(begin) : scan_operator(begin);
    case ':': return second == kLetter ? scan_parameter(begin) : scan_operator(begin);
    case '.': return second == kDigit ? scan_numeral(begin) : scan_operator(begin);
    default: return scan_operator(begin);
  }
}

std::string_view decode_quoted(std::string_view token_text, bool doubled, Arena& arena) {
  const std::string_view inner = token_text.substr(1, token_text.size() - 2);
  if (!doubled) return arena.copy_text(inner);
  const char quote = token_text.front();
  char* const buffer = arena.text_buffer(inner.size());
  size_t bytes = 0;
  for (size_t i = 0; i < inner.size(); ++i) {
    buffer[bytes++] = inner[i];
    if (inner[i] == quote) ++i;
  }
  return {buffer, bytes};
}

StatementExtent next_statement(std::string_view text, size_t start) {
  StatementExtent extent;
  size_t i = start < text.size() ? start : text.size();
  bool begun = false;
  const auto begin_at = [&](size_t at) {
    if (!begun) extent.begin = at;
    begun = true;
  };
  const auto next_is = [&](size_t at, char c) { return at + 1 < text.size() && text[at + 1] == c; };
  while (i < text.size()) {
    const char c = text[i];
    if (c == '-' && next_is(i, '-')) {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (c == '/' && next_is(i, '*')) {
      uint32_t depth = 0;
      do {
        if (text[i] == '/' && next_is(i, '*')) ++depth, i += 2;
        else if (text[i] == '*' && next_is(i, '/')) --depth, i += 2;
        else ++i;
      } while (depth != 0 && i < text.size());
      extent.open = depth != 0;
    } else if (c == '\'' || c == '"') {
      begin_at(i);
      const size_t close = text.find(c, i + 1);  // a doubled quote is a string that ends and one that begins: no difference here
      extent.open = close == std::string_view::npos;
      i = extent.open ? text.size() : close + 1;
    } else {
      if (class_of(c) != kBlank) begin_at(i);
      ++i;
      if (c == ';') {
        extent.terminated = true;
        break;
      }
    }
  }
  extent.end = i;
  if (!begun) extent.begin = i;
  return extent;
}

}  // namespace hdb::sql
