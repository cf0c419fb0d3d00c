// The Pratt parser: each infix operator has a level, and a loop takes operators as long as theirs is high enough.
#include <algorithm>

#include "sql/number.h"
#include "sql/parser_state.h"
#include "sql/precedence.h"

namespace hdb::sql {
namespace {

struct InfixOp {
  int level = 0;  // 0: not an infix operator
  BinaryOp op = BinaryOp::kAdd;
};

InfixOp symbol_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::kPlus: return {kLevelSum, BinaryOp::kAdd};
    case TokenKind::kMinus: return {kLevelSum, BinaryOp::kSubtract};
    case TokenKind::kStar: return {kLevelProduct, BinaryOp::kMultiply};
    case TokenKind::kSlash: return {kLevelProduct, BinaryOp::kDivide};
    case TokenKind::kPercent: return {kLevelProduct, BinaryOp::kModulo};
    case TokenKind::kConcat: return {kLevelConcat, BinaryOp::kConcat};
    case TokenKind::kEqual: return {kLevelCompare, BinaryOp::kEqual};
    case TokenKind::kNotEqual: return {kLevelCompare, BinaryOp::kNotEqual};
    case TokenKind::kLess: return {kLevelCompare, BinaryOp::kLess};
    case TokenKind::kLessEqual: return {kLevelCompare, BinaryOp::kLessEqual};
    case TokenKind::kGreater: return {kLevelCompare, BinaryOp::kGreater};
    case TokenKind::kGreaterEqual: return {kLevelCompare, BinaryOp::kGreaterEqual};
    default: return {};
  }
}

int word_level(Keyword keyword) {
  switch (keyword) {
    case Keyword::kOR: return kLevelOr;
    case Keyword::kAND: return kLevelAnd;
    case Keyword::kIS: case Keyword::kISNULL: case Keyword::kNOTNULL: return kLevelIs;
    case Keyword::kIN: case Keyword::kBETWEEN: case Keyword::kLIKE: case Keyword::kILIKE: case Keyword::kNOT: return kLevelMatch;
    case Keyword::kCOLLATE: return kLevelCast;
    default: return 0;
  }
}

}  // namespace

void Parser::raise(Expr* parent, const Expr* child, uint32_t position) {
  if (child == nullptr || child->height < parent->height) return;
  if (child->height >= kTreeHeightMax) {
    fail(sqlstate::kStatementTooComplex, "the expression is a chain of more than " + std::to_string(kTreeHeightMax) + " operators", position);
  }
  parent->height = static_cast<uint16_t>(child->height + 1);
}

Expr* Parser::expression() {
  const DepthGuard guard(*this);
  return binary_expression(kLevelOr);
}

Expr* Parser::binary_expression(int level_min) {
  Expr* left = prefix();
  for (;;) {
    const Token& token = peek();
    int level = symbol_op(token.kind).level;
    if (token.kind == TokenKind::kDoubleColon) level = kLevelCast;
    if (token.kind == TokenKind::kWord) level = word_level(token.keyword);
    if (level == 0 || level < level_min) return left;
    if (at(Keyword::kNOT) && !second_at(Keyword::kIN) && !second_at(Keyword::kBETWEEN) && !second_at(Keyword::kLIKE) &&
        !second_at(Keyword::kILIKE)) {
      return left;  // `NOT NULL` behind a DEFAULT
    }
    left = infix(left, level);
  }
}

Expr* Parser::infix(Expr* left, int level) {
  const Token token = peek();
  if (token.kind == TokenKind::kDoubleColon) return type_cast(left);
  if (token.kind != TokenKind::kWord) {
    advance();
    return binary(left, symbol_op(token.kind).op, token, token, level + 1);
  }
  switch (token.keyword) {
    case Keyword::kOR: case Keyword::kAND: return logical(left, token.keyword == Keyword::kAND);
    case Keyword::kIS: return is_test(left);
    case Keyword::kCOLLATE: unsupported("COLLATE is");
    case Keyword::kISNULL: case Keyword::kNOTNULL: {
      advance();
      IsNull* test = make<IsNull>(left->span.begin);
      test->negated = token.keyword == Keyword::kNOTNULL;
      test->operand = left;
      raise(test, left, token.begin);
      return finish(test);
    }
    default: return negatable(left);
  }
}

// `from` to `to` is the operator, already taken.
Expr* Parser::binary(Expr* left, BinaryOp op, const Token& from, const Token& to, int level_right) {
  if ((at(Keyword::kANY) || at(Keyword::kALL) || at(Keyword::kSOME)) && peek_second().kind == TokenKind::kOpen) {
    unsupported("comparison with " + std::string(keyword_text(peek().keyword)) + " (...) is");
  }
  Binary* made = make<Binary>(left->span.begin);
  made->op = op;
  made->op_span = {from.begin, to.end};
  made->left = left;
  made->right = binary_expression(level_right);
  raise(made, left, from.begin);
  raise(made, made->right, from.begin);
  return finish(made);
}

// a AND b AND c is one node (T2), so that long conditions stay flat.
Expr* Parser::logical(Expr* left, bool is_and) {
  const size_t mark = stack_.size();
  Logical* made = make<Logical>(left->span.begin);
  made->is_and = is_and;
  stack_.push_back(left);
  raise(made, left, left->span.begin);
  while (at(is_and ? Keyword::kAND : Keyword::kOR)) {
    advance();
    Expr* operand = binary_expression((is_and ? kLevelAnd : kLevelOr) + 1);
    raise(made, operand, operand->span.begin);
    stack_.push_back(operand);
  }
  made->operands = arena_.copy(stack_.data() + mark, stack_.size() - mark);
  stack_.resize(mark);
  return finish(made);
}

Expr* Parser::is_test(Expr* left) {
  const Token is = advance();
  const bool negated = accept(Keyword::kNOT);
  const auto finish_test = [&](auto* test) {
    test->negated = negated;
    test->operand = left;
    raise(test, left, is.begin);
    return finish(test);
  };
  if (accept(Keyword::kNULL) || accept(Keyword::kUNKNOWN)) return finish_test(make<IsNull>(left->span.begin));
  if (accept(Keyword::kTRUE) || at(Keyword::kFALSE)) {
    IsTruth* test = make<IsTruth>(left->span.begin);
    test->truth = !accept(Keyword::kFALSE);
    return finish_test(test);
  }
  note(keyword_text(Keyword::kFALSE));
  if (accept(Keyword::kDISTINCT)) {
    const Token from = expect(Keyword::kFROM);
    return binary(left, negated ? BinaryOp::kIsNotDistinct : BinaryOp::kIsDistinct, is, from, kLevelIs + 1);
  }
  syntax_error();
}

Expr* Parser::negatable(Expr* left) {
  const bool negated = at(Keyword::kNOT);
  if (negated) advance();
  if (at(Keyword::kIN)) return in_list(left, negated);
  if (at(Keyword::kBETWEEN)) return between(left, negated);
  return like(left, negated);
}

Expr* Parser::in_list(Expr* left, bool negated) {
  const Token word = advance();
  In* made = make<In>(left->span.begin);
  made->negated = negated;
  made->operand = left;
  expect(TokenKind::kOpen);
  if (at(Keyword::kSELECT) || at(Keyword::kVALUES) || at(Keyword::kWITH)) unsupported("a subquery is");
  made->items = expression_list();
  expect(TokenKind::kClose);
  raise(made, left, word.begin);
  for (const Expr* item : made->items) raise(made, item, word.begin);
  return finish(made);
}

Expr* Parser::between(Expr* left, bool negated) {
  const Token word = advance();
  Between* made = make<Between>(left->span.begin);
  made->negated = negated;
  made->operand = left;
  made->low = binary_expression(kLevelMatch + 1);
  expect(Keyword::kAND);
  made->high = binary_expression(kLevelMatch + 1);
  raise(made, left, word.begin);
  raise(made, made->low, word.begin);
  raise(made, made->high, word.begin);
  return finish(made);
}

Expr* Parser::like(Expr* left, bool negated) {
  const Token word = advance();
  Like* made = make<Like>(left->span.begin);
  made->negated = negated;
  made->ignore_case = word.keyword == Keyword::kILIKE;
  made->operand = left;
  made->pattern = binary_expression(kLevelMatch + 1);
  if (at(Keyword::kESCAPE)) {
    advance();
    made->escape = binary_expression(kLevelMatch + 1);
  }
  raise(made, left, word.begin);
  raise(made, made->pattern, word.begin);
  raise(made, made->escape, word.begin);
  return finish(made);
}

Expr* Parser::prefix() {
  switch (peek().kind) {
    case TokenKind::kInteger: case TokenKind::kDecimal: case TokenKind::kDouble: return number_literal();
    case TokenKind::kString: return string_literal();
    case TokenKind::kParameter: return parameter();
    case TokenKind::kMinus: return unary(UnaryOp::kMinus, kLevelUnary);
    case TokenKind::kPlus: return unary(UnaryOp::kPlus, kLevelUnary);
    case TokenKind::kOpen: return parenthesised();
    case TokenKind::kWord: return word_expression();
    case TokenKind::kQuotedWord: return column_or_star_error();
    default: break;
  }
  note("an expression");
  syntax_error();
}

Expr* Parser::unary(UnaryOp op, int level) {
  const DepthGuard guard(*this);
  const Token token = advance();
  Unary* made = make<Unary>(token.begin);
  made->op = op;
  // 9223372036854775808 is an integer only here, so that the least BIGINT can be written.
  if (op == UnaryOp::kMinus && at(TokenKind::kInteger) && peek_second().kind != TokenKind::kDoubleColon) {
    uint64_t magnitude = 0;
    if (parse_unsigned(text_of(peek()), magnitude) && magnitude == uint64_t{1} << 63) {
      const Token number = advance();
      Literal* literal = make<Literal>(number.begin);
      literal->literal_kind = LiteralKind::kInteger;
      literal->magnitude = magnitude;
      made->operand = finish(literal);
      made->height = 2;
      return finish(made);
    }
  }
  made->operand = binary_expression(level);
  raise(made, made->operand, token.begin);
  return finish(made);
}

// The span takes in the parentheses: it names the column (T1).
Expr* Parser::parenthesised() {
  const Token open = advance();
  if (at(Keyword::kSELECT) || at(Keyword::kVALUES) || at(Keyword::kWITH)) unsupported("a subquery is");
  Expr* made = expression();
  if (at(TokenKind::kComma)) unsupported("a row value is", open);
  expect(TokenKind::kClose);
  made->span = {open.begin, last_end_};
  return made;
}

Expr* Parser::case_expression() {
  const DepthGuard guard(*this);
  const Token word = advance();
  Case* made = make<Case>(word.begin);
  if (!at(Keyword::kWHEN)) {
    made->operand = expression();
    raise(made, made->operand, word.begin);
  }
  std::vector<CaseBranch> branches;
  expect(Keyword::kWHEN);
  do {
    CaseBranch branch;
    branch.when = expression();
    expect(Keyword::kTHEN);
    branch.then = expression();
    raise(made, branch.when, word.begin);
    raise(made, branch.then, word.begin);
    branches.push_back(branch);
  } while (accept(Keyword::kWHEN));
  if (accept(Keyword::kELSE)) {
    made->otherwise = expression();
    raise(made, made->otherwise, word.begin);
  }
  expect(Keyword::kEND);
  made->branches = arena_.copy(branches);
  return finish(made);
}

Expr* Parser::cast_expression() {
  const Token word = advance();
  Cast* made = make<Cast>(word.begin);
  expect(TokenKind::kOpen);
  made->operand = expression();
  expect(Keyword::kAS);
  made->type = type_name();
  expect(TokenKind::kClose);
  raise(made, made->operand, word.begin);
  return finish(made);
}

Expr* Parser::type_cast(Expr* left) {
  const Token colons = advance();
  Cast* made = make<Cast>(left->span.begin);
  made->operand = left;
  made->type = type_name();
  raise(made, left, colons.begin);
  return finish(made);
}

Expr* Parser::word_expression() {
  const bool opens = peek_second().kind == TokenKind::kOpen;
  const bool quotes = peek_second().kind == TokenKind::kString;
  switch (peek().keyword) {
    case Keyword::kNULL: case Keyword::kTRUE: case Keyword::kFALSE: return word_literal();
    case Keyword::kNOT: return unary(UnaryOp::kNot, kLevelNot);
    case Keyword::kCASE: return case_expression();
    case Keyword::kCAST: return cast_expression();
    case Keyword::kEXISTS: unsupported("EXISTS (subquery) is");
    case Keyword::kLEFT: case Keyword::kRIGHT:  // also functions of text
      if (opens) return call(advance());
      break;
    case Keyword::kEXTRACT:
      if (opens) return extract_call(advance());
      break;
    case Keyword::kDATE:
      if (quotes) return dated_literal(LiteralKind::kDate);
      break;
    case Keyword::kTIMESTAMP:
      if (quotes) return dated_literal(LiteralKind::kTimestamp);
      break;
    case Keyword::kTIME: case Keyword::kINTERVAL:
      if (quotes) unsupported("type " + std::string(keyword_text(peek().keyword)) + " is");
      break;
    case Keyword::kCURRENT_DATE: case Keyword::kCURRENT_TIME: case Keyword::kCURRENT_TIMESTAMP:
      unsupported(std::string(keyword_text(peek().keyword)) + " is");
    case Keyword::kROW:
      if (opens) unsupported("a row value is");
      break;
    default: break;
  }
  if (word_is(peek(), "x") && quotes && peek_second().begin == peek().end) unsupported("a BLOB literal is");
  return column_or_star_error();
}

// name, table.name, or name(...).
Expr* Parser::column_or_star_error() {
  if (!at_name()) {
    note("an expression");
    syntax_error();
  }
  const Token first = advance();
  if (at(TokenKind::kOpen)) return call(first);
  ColumnRef* made = make<ColumnRef>(first.begin);
  made->column = make_identifier(first);
  if (at(TokenKind::kDot)) {
    advance();
    made->table = made->column;
    if (at(TokenKind::kStar)) {
      fail(sqlstate::kSyntax, "syntax error at \"*\": every column of a table can stand only as an item of a SELECT list", peek().begin);
    }
    if (!at(TokenKind::kWord) && !at(TokenKind::kQuotedWord)) {
      note("a column name");
      syntax_error();
    }
    made->column = make_identifier(advance());
    if (at(TokenKind::kDot)) unsupported("a name with a schema is");
  }
  return finish(made);
}

Expr* Parser::call(const Token& name_token) {
  const DepthGuard guard(*this);
  Call* made = make<Call>(name_token.begin);
  made->name = make_identifier(name_token);
  expect(TokenKind::kOpen);
  if (accept(TokenKind::kStar)) {
    made->star = true;
  } else if (!at(TokenKind::kClose)) {
    made->distinct = accept(Keyword::kDISTINCT);
    if (!made->distinct) accept(Keyword::kALL);
    if (at(Keyword::kSELECT)) unsupported("a subquery is");
    made->arguments = expression_list();
    for (const Expr* argument : made->arguments) raise(made, argument, name_token.begin);
    if (at(Keyword::kORDER)) unsupported("ORDER BY inside of an aggregate is");
  } else {
    note("an expression");
    note("\"*\"");
  }
  expect(TokenKind::kClose);
  if (at(Keyword::kFILTER) && peek_second().kind == TokenKind::kOpen) unsupported("FILTER is");
  if (at(Keyword::kOVER)) unsupported("a window function is");
  return finish(made);
}

// EXTRACT(field FROM x) is date_part('field', x).
Expr* Parser::extract_call(const Token& name_token) {
  const DepthGuard guard(*this);
  static constexpr std::string_view kName = "date_part";
  Call* made = make<Call>(name_token.begin);
  made->name.spelling = made->name.folded = arena_.copy_text(kName);
  made->name.span = {name_token.begin, name_token.end};
  expect(TokenKind::kOpen);
  if (!at(TokenKind::kWord) && !at(TokenKind::kString)) {
    note("a field, such as YEAR");
    syntax_error();
  }
  const Token field = advance();
  Literal* literal = make<Literal>(field.begin);
  literal->literal_kind = LiteralKind::kString;
  literal->text = field.kind == TokenKind::kString ? string_value(field) : make_identifier(field).folded;
  finish(literal);
  expect(Keyword::kFROM);
  const Expr* arguments[2] = {literal, expression()};
  expect(TokenKind::kClose);
  made->arguments = arena_.copy(arguments, 2);
  raise(made, arguments[0], name_token.begin);
  raise(made, arguments[1], name_token.begin);
  return finish(made);
}

List<const Expr*> Parser::expression_list() {
  const size_t mark = stack_.size();
  do {
    const Expr* item = expression();
    stack_.push_back(item);
  } while (accept(TokenKind::kComma));
  const List<const Expr*> made = arena_.copy(stack_.data() + mark, stack_.size() - mark);
  stack_.resize(mark);
  return made;
}

Expr* Parser::parameter() {
  const Token token = advance();
  const std::string_view text = text_of(token);
  Parameter* made = make<Parameter>(token.begin);
  if (text[0] == ':') {
    const std::string_view wanted = text.substr(1);
    const auto known = std::find_if(named_.begin(), named_.end(), [&](const NamedParameter& named) { return named.name == wanted; });
    if (known != named_.end()) {
      made->index = known->index;
      made->name = known->name;
    } else {
      made->name = arena_.copy_text(wanted);
      made->index = parameter_count_ + 1;
      named_.push_back({made->name, made->index});
    }
  } else if (text.size() == 1) {
    made->index = parameter_count_ + 1;
  } else {
    uint64_t index = 0;
    if (!parse_unsigned(text.substr(1), index)) index = UINT32_MAX;
    if (index == 0) fail(sqlstate::kParameter, "parameters are numbered from 1", token.begin);
    made->index = static_cast<uint32_t>(std::min<uint64_t>(index, UINT32_MAX));
  }
  if (made->index > kParametersMax) {
    fail(sqlstate::kProgramLimit, "a statement has at most " + std::to_string(kParametersMax) + " parameters", token.begin);
  }
  parameter_count_ = std::max(parameter_count_, made->index);
  return finish(made);
}

}  // namespace hdb::sql
