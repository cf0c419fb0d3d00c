// Literals and type names.
#include "sql/number.h"
#include "sql/parser_state.h"

namespace hdb::sql {
namespace {

struct TypeEntry {
  std::string_view word;
  TypeWord type;
};
constexpr TypeEntry kTypes[] = {
    {"bigint", TypeWord::kBigint},       {"int", TypeWord::kBigint},         {"integer", TypeWord::kBigint},
    {"int2", TypeWord::kBigint},         {"int4", TypeWord::kBigint},        {"int8", TypeWord::kBigint},
    {"smallint", TypeWord::kBigint},     {"boolean", TypeWord::kBoolean},    {"bool", TypeWord::kBoolean},
    {"decimal", TypeWord::kDecimal},     {"numeric", TypeWord::kDecimal},    {"dec", TypeWord::kDecimal},
    {"double", TypeWord::kDouble},       {"float", TypeWord::kDouble},       {"real", TypeWord::kDouble},
    {"float4", TypeWord::kDouble},       {"float8", TypeWord::kDouble},      {"text", TypeWord::kText},
    {"string", TypeWord::kText},         {"varchar", TypeWord::kVarchar},    {"char", TypeWord::kVarchar},
    {"character", TypeWord::kVarchar},   {"date", TypeWord::kDate},          {"timestamp", TypeWord::kTimestamp},
    {"datetime", TypeWord::kTimestamp},
};
constexpr std::string_view kLaterTypes[] = {"blob", "bytea", "time", "interval", "json", "jsonb", "uuid", "timestamptz", "tinyint", "hugeint"};

}  // namespace

Expr* Parser::slot_parameter(const Token& token, uint32_t begin) {
  if (next_literal_ == literals_.count || literals_[next_literal_].span.begin != token.begin) return nullptr;
  const LiteralSlot& slot = literals_[next_literal_];
  Parameter* made = make<Parameter>(begin);
  made->index = ++next_literal_;  // parse_one() adds the number of the user's own
  made->from_literal = true;
  made->literal_kind = slot.kind;
  made->precision = slot.precision;
  made->scale = slot.scale;
  literal_parameters_.push_back(made);
  return finish(made);
}

Expr* Parser::number_literal() {
  const Token token = advance();
  if (Expr* slot = slot_parameter(token, token.begin)) return slot;
  const std::string_view text = text_of(token);
  Literal* made = make<Literal>(token.begin);
  NumberShape shape;
  scan_number(text.data(), text.data() + text.size(), shape);
  if (shape.kind == LiteralKind::kDouble) {
    made->literal_kind = LiteralKind::kDouble;
    if (!parse_double(text, made->number)) fail(sqlstate::kOutOfRange, "the number is out of the range of DOUBLE", token.begin);
    return finish(made);
  }
  if (shape.kind == LiteralKind::kInteger && parse_unsigned(text, made->magnitude) && made->magnitude <= INT64_MAX) {
    made->literal_kind = LiteralKind::kInteger;
    return finish(made);
  }
  made->magnitude = 0;
  made->literal_kind = LiteralKind::kDecimal;
  if (decimal_precision(shape) > kDecimalDigitsMax) {
    fail(sqlstate::kOutOfRange, "the number has " + std::to_string(decimal_precision(shape)) + " digits; a DECIMAL has at most " +
         std::to_string(kDecimalDigitsMax), token.begin);
  }
  made->precision = static_cast<uint8_t>(decimal_precision(shape));
  made->scale = static_cast<uint8_t>(shape.scale);
  char* const digits = arena_.text_buffer(text.size());
  size_t count = 0;
  for (const char c : text) {
    if (c != '.' && (c != '0' || count != 0)) digits[count++] = c;  // without leading zeros
  }
  if (count == 0) digits[count++] = '0';
  made->text = {digits, count};
  return finish(made);
}

Expr* Parser::string_literal() {
  const Token token = advance();
  if (Expr* slot = slot_parameter(token, token.begin)) return slot;
  Literal* made = make<Literal>(token.begin);
  made->literal_kind = LiteralKind::kString;
  made->text = string_value(token);
  return finish(made);
}

Expr* Parser::dated_literal(LiteralKind kind) {
  const Token word = advance();
  const Token token = advance();
  if (Expr* slot = slot_parameter(token, word.begin)) return slot;
  Literal* made = make<Literal>(word.begin);
  made->literal_kind = kind;
  made->text = string_value(token);
  return finish(made);
}

Expr* Parser::word_literal() {
  const Token token = advance();
  Literal* made = make<Literal>(token.begin);
  made->literal_kind = token.keyword == Keyword::kNULL ? LiteralKind::kNull : LiteralKind::kBoolean;
  made->boolean = token.keyword == Keyword::kTRUE;
  return finish(made);
}

uint32_t Parser::plain_integer(uint32_t value_max, const char* what) {
  const Token token = expect(TokenKind::kInteger);
  uint64_t value = 0;
  if (!parse_unsigned(text_of(token), value) || value > value_max) {
    fail(sqlstate::kInvalidParameter, std::string(what) + " is at most " + std::to_string(value_max), token.begin);
  }
  return static_cast<uint32_t>(value);
}

void Parser::type_arguments(TypeName& type, uint32_t count_max, const char* what) {
  expect(TokenKind::kOpen);
  do {
    const uint32_t value_max = type.word == TypeWord::kVarchar ? kVarcharMax : kDecimalDigitsMax;
    const uint32_t position = peek().begin;
    const uint32_t value = plain_integer(value_max, what);
    if (type.argument_count == 0 && value == 0) fail(sqlstate::kInvalidParameter, std::string(what) + " is at least 1", position);
    if (type.argument_count == 1 && value > type.arguments[0]) {
      fail(sqlstate::kInvalidParameter, "the scale of a DECIMAL is at most its precision", position);
    }
    type.arguments[type.argument_count++] = value;
  } while (type.argument_count < count_max && accept(TokenKind::kComma));
  expect(TokenKind::kClose);
}

TypeName Parser::type_name() {
  if (!at(TokenKind::kWord) || is_reserved(peek().keyword)) {
    note("a type");
    syntax_error();
  }
  const Token word = peek();
  for (const std::string_view later : kLaterTypes) {
    if (word_is(word, later)) unsupported("type " + std::string(text_of(word)) + " is");
  }
  const TypeEntry* found = nullptr;
  for (const TypeEntry& entry : kTypes) {
    if (word_is(word, entry.word)) found = &entry;
  }
  if (found == nullptr) {
    const Identifier unknown = make_identifier(word);
    fail(sqlstate::kUndefinedObject, "type " + std::string(unknown.spelling) + " does not exist", word.begin);
  }
  advance();
  TypeName type;
  type.word = found->type;
  type.span.begin = word.begin;
  const bool is_char = found->word == "char" || found->word == "character";
  bool varying = !is_char;
  if (is_char && word_is(peek(), "varying")) varying = true, advance();
  if (found->word == "double" && word_is(peek(), "precision")) advance();
  if (type.word == TypeWord::kDecimal && at(TokenKind::kOpen)) type_arguments(type, 2, "the precision of a DECIMAL");
  if (type.word == TypeWord::kVarchar) {
    if (at(TokenKind::kOpen)) {
      type_arguments(type, 1, "the length of a VARCHAR");
    } else if (varying) {
      type.word = TypeWord::kText;
    } else {  // CHAR is CHAR(1)
      type.argument_count = 1;
      type.arguments[0] = 1;
    }
  }
  if (found->word == "float" && at(TokenKind::kOpen)) {
    advance();
    plain_integer(53, "the precision of a FLOAT");
    expect(TokenKind::kClose);
  }
  if (found->word == "timestamp") {
    if (at(TokenKind::kOpen)) unsupported("a TIMESTAMP with a precision is");
    if (at(Keyword::kWITH) && word_is(peek_second(), "time")) unsupported("TIMESTAMP WITH TIME ZONE is");
    if (word_is(peek(), "without")) {
      advance();
      expect(Keyword::kTIME);
      if (!word_is(peek(), "zone")) note("ZONE"), syntax_error();
      advance();
    }
  }
  type.span.end = last_end_;
  return type;
}

}  // namespace hdb::sql
