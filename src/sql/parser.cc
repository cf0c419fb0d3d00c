#include "sql/parser.h"

#include <algorithm>

#include "sql/parser_state.h"

namespace hdb::sql {
namespace {

std::string_view kind_text(TokenKind kind) {
  switch (kind) {
    case TokenKind::kOpen: return "\"(\"";
    case TokenKind::kClose: return "\")\"";
    case TokenKind::kComma: return "\",\"";
    case TokenKind::kDot: return "\".\"";
    case TokenKind::kEqual: return "\"=\"";
    case TokenKind::kStar: return "\"*\"";
    case TokenKind::kString: return "a string";
    case TokenKind::kInteger: return "an integer";
    default: return "a token";
  }
}

constexpr std::string_view kStatementEnd = "the end of the statement";
constexpr size_t kShownBytesMax = 60;  // of a token in a message

// The start of `text`, cut between characters.
std::string shown(std::string_view text) {
  if (text.size() <= kShownBytesMax) return std::string(text);
  size_t bytes = kShownBytesMax;
  while (bytes > 0 && (static_cast<uint8_t>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes)) + "...";
}

// "a", "a or b", "a, b, or c"; the end of the statement comes last.
std::string list_expected(std::vector<std::string_view> expected) {
  std::vector<std::string_view> unique;
  bool end = false;
  for (const std::string_view what : expected) {
    if (what == kStatementEnd) end = true;
    else if (std::find(unique.begin(), unique.end(), what) == unique.end()) unique.push_back(what);
  }
  if (end) unique.push_back(kStatementEnd);
  std::string text;
  for (size_t i = 0; i < unique.size(); ++i) {
    if (i != 0) text += unique.size() == 2 ? " or " : i + 1 == unique.size() ? ", or " : ", ";
    text += unique[i];
  }
  return text;
}

}  // namespace

const Token& Parser::look(uint32_t distance) {
  while (ahead_count_ <= distance) ahead_[ahead_count_++] = lexer_.next();
  return ahead_[distance];
}

Token Parser::advance() {
  const Token token = peek();
  ahead_[0] = ahead_[1];
  ahead_[1] = ahead_[2];
  --ahead_count_;
  last_end_ = token.end;
  expected_.clear();
  return token;
}

void Parser::note(std::string_view what) { expected_.push_back(what); }

bool Parser::accept(Keyword keyword) {
  if (at(keyword)) return advance(), true;
  note(keyword == Keyword::kGROUP ? "GROUP BY" : keyword == Keyword::kORDER ? "ORDER BY" : keyword_text(keyword));
  return false;
}

bool Parser::accept(TokenKind kind) {
  if (at(kind)) return advance(), true;
  note(kind_text(kind));
  return false;
}

Token Parser::expect(Keyword keyword) {
  if (at(keyword)) return advance();
  note(keyword_text(keyword));
  syntax_error();
}

Token Parser::expect(TokenKind kind) {
  if (at(kind)) return advance();
  note(kind_text(kind));
  syntax_error();
}

bool Parser::word_is(const Token& token, std::string_view lower) const {
  const std::string_view text = text_of(token);
  if (token.kind != TokenKind::kWord || text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != lower[i]) return false;
  }
  return true;
}

void Parser::syntax_error() {
  const Token& token = peek();
  const bool at_end = token.kind == TokenKind::kEnd;
  std::string message = "syntax error at ";
  message += at_end ? std::string(kStatementEnd) : "\"" + shown(text_of(token)) + "\"";
  if (!expected_.empty()) message += ": expected " + list_expected(expected_);
  if (token.kind == TokenKind::kWord && is_reserved(token.keyword)) {
    for (const std::string_view what : expected_) {
      if (what.substr(0, 2) != "a " || what.find("name") == std::string_view::npos) continue;
      message += " (" + std::string(keyword_text(token.keyword)) + " is a reserved word; as a name it needs double quotes)";
      break;
    }
  }
  fail(sqlstate::kSyntax, std::move(message), at_end ? last_end_ : token.begin);
}

void Parser::unsupported(const std::string& what, const Token& token) {
  fail(sqlstate::kFeature, what + " not supported yet", token.begin);
}

bool Parser::at_name() {
  return at(TokenKind::kQuotedWord) || (at(TokenKind::kWord) && !is_reserved(peek().keyword));
}

Identifier Parser::make_identifier(const Token& token) {
  Identifier made;
  made.span = {token.begin, token.end};
  made.quoted = token.kind == TokenKind::kQuotedWord;
  made.spelling = made.quoted ? decode_quoted(text_of(token), token.doubled, arena_) : arena_.copy_text(text_of(token));
  if (made.spelling.empty()) fail(sqlstate::kSyntax, "a name is empty", token.begin);
  if (made.spelling.size() > kNameBytesMax) {
    fail(sqlstate::kProgramLimit, "the name is " + std::to_string(made.spelling.size()) + " bytes long; " + std::to_string(kNameBytesMax) +
         " is the limit", token.begin);
  }
  made.folded = made.spelling;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (std::any_of(made.spelling.begin(), made.spelling.end(), is_capital)) {
    char* const folded = arena_.text_buffer(made.spelling.size());
    for (size_t i = 0; i < made.spelling.size(); ++i) {
      const char c = made.spelling[i];
      folded[i] = is_capital(c) ? static_cast<char>(c + 32) : c;
    }
    made.folded = {folded, made.spelling.size()};
  }
  return made;
}

Identifier Parser::name(std::string_view what) {
  if (at_name()) return make_identifier(advance());
  note(what);
  syntax_error();
}

Identifier Parser::label() {
  if (at(TokenKind::kWord) || at(TokenKind::kQuotedWord)) return make_identifier(advance());
  note("a name");
  syntax_error();
}

Identifier Parser::optional_alias() {
  if (accept(Keyword::kAS)) return name("a name");
  return at_name() ? make_identifier(advance()) : Identifier{};
}

List<Identifier> Parser::name_list(std::string_view what) {
  expect(TokenKind::kOpen);
  std::vector<Identifier> names;
  do {
    names.push_back(name(what));
    if (names.size() > kColumnsMax) {
      fail(sqlstate::kProgramLimit, "a list of names has more than " + std::to_string(kColumnsMax) + " columns", names.back().span.begin);
    }
  } while (accept(TokenKind::kComma));
  expect(TokenKind::kClose);
  return arena_.copy(names);
}

ParsedStatement Parser::parse_one() {
  ParsedStatement parsed;
  while (at(TokenKind::kSemicolon)) advance();
  if (!at(TokenKind::kEnd)) {
    parsed.root = statement();
    note(kStatementEnd);
    if (!at(TokenKind::kEnd) && !at(TokenKind::kSemicolon)) syntax_error();
  }
  parsed.end_offset = peek().end;
  parsed.parameter_count = parameter_count_;
  parsed.literal_count = static_cast<uint32_t>(literal_parameters_.size());
  parsed.literals_bound = parsed.literal_count == literals_.size();
  for (Parameter* parameter : literal_parameters_) parameter->index += parameter_count_;
  std::vector<std::string_view> names(parameter_count_);
  for (const NamedParameter& named : named_) names[named.index - 1] = named.name;
  parsed.parameter_names = arena_.copy(names);
  return parsed;
}

const Expr* Parser::parse_only_expression() {
  const Expr* made = expression();
  note("the end of the text");
  if (!at(TokenKind::kEnd)) syntax_error();
  return made;
}

ParsedStatement parse_one(std::string_view text, Arena& arena, const ParseOptions& options) {
  return Parser(text, arena, options).parse_one();
}

const Expr* parse_expression(std::string_view text, Arena& arena) { return Parser(text, arena, {}).parse_only_expression(); }

}  // namespace hdb::sql
