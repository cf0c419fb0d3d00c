// SELECT and VALUES.
#include <algorithm>

#include "sql/parser_state.h"

namespace hdb::sql {

void Parser::refuse_set_operation() {
  for (const Keyword keyword : {Keyword::kUNION, Keyword::kINTERSECT, Keyword::kEXCEPT}) {
    if (at(keyword)) unsupported(std::string(keyword_text(keyword)) + " is");
  }
}

const Query* Parser::query() {
  Query* made = make<Query>(peek().begin);
  if (at(Keyword::kWITH)) unsupported("WITH is");
  if (at(TokenKind::kOpen)) unsupported("a query in parentheses is");
  if (at(Keyword::kVALUES)) {
    made->body = values_body();
  } else {
    note(keyword_text(Keyword::kVALUES));
    expect(Keyword::kSELECT);
    made->body = select_body();
  }
  refuse_set_operation();
  if (accept(Keyword::kORDER)) made->order_by = order_by();
  bool limited = false;
  if (accept(Keyword::kLIMIT)) {
    limited = true;
    if (!accept(Keyword::kALL)) made->limit = expression();
  }
  if (accept(Keyword::kOFFSET)) made->offset = expression();
  if (!limited && accept(Keyword::kLIMIT)) {
    if (!accept(Keyword::kALL)) made->limit = expression();
  }
  if (at(Keyword::kFETCH)) unsupported("FETCH (write LIMIT) is");
  refuse_set_operation();
  return finish(made);
}

// The word SELECT is taken.
const QueryBody* Parser::select_body() {
  SelectBody* made = make<SelectBody>(last_end_ - 6);
  made->distinct = accept(Keyword::kDISTINCT);
  if (made->distinct && at(Keyword::kON)) unsupported("DISTINCT ON is");
  if (!made->distinct) accept(Keyword::kALL);
  made->items = select_items();
  if (at(Keyword::kINTO)) unsupported("SELECT INTO is");
  if (accept(Keyword::kFROM)) {
    std::vector<const TableRef*> from;
    do from.push_back(table_tree());
    while (accept(TokenKind::kComma));
    made->from = arena_.copy(from);
  }
  if (accept(Keyword::kWHERE)) made->where = expression();
  if (accept(Keyword::kGROUP)) group_by(made);
  if (accept(Keyword::kHAVING)) made->having = expression();
  if (at(Keyword::kWINDOW)) unsupported("a window function is");
  return finish(made);
}

List<SelectItem> Parser::select_items() {
  std::vector<SelectItem> items;
  do {
    if (items.size() == kColumnsMax) {
      fail(sqlstate::kProgramLimit, "a SELECT list has at most " + std::to_string(kColumnsMax) + " items", peek().begin);
    }
    items.push_back(select_item());
  } while (accept(TokenKind::kComma));
  return arena_.copy(items);
}

SelectItem Parser::select_item() {
  SelectItem item;
  if (at(TokenKind::kStar)) {
    Star* star = make<Star>(advance().begin);
    item.expr = finish(star);
    return item;
  }
  if (at_name() && peek_second().kind == TokenKind::kDot && look(2).kind == TokenKind::kStar) {
    Star* star = make<Star>(peek().begin);
    star->table = make_identifier(advance());
    advance();
    advance();
    item.expr = finish(star);
    return item;
  }
  item.expr = expression();
  if (accept(Keyword::kAS)) item.alias = label();
  else if (at_name()) item.alias = make_identifier(advance());
  return item;
}

void Parser::group_by(SelectBody* body) {
  expect(Keyword::kBY);
  if ((at(Keyword::kROLLUP) || at(Keyword::kCUBE)) && peek_second().kind == TokenKind::kOpen) {
    unsupported(std::string(keyword_text(peek().keyword)) + " is");
  }
  if (at(Keyword::kGROUPING) && word_is(peek_second(), "sets")) unsupported("GROUPING SETS is");
  body->has_group_by = true;
  body->group_by = expression_list();
}

List<OrderItem> Parser::order_by() {
  expect(Keyword::kBY);
  std::vector<OrderItem> items;
  do {
    OrderItem item;
    item.expr = expression();
    if (accept(Keyword::kDESC)) item.descending = true;
    else accept(Keyword::kASC);
    if (accept(Keyword::kNULLS)) {
      const bool first = accept(Keyword::kFIRST);
      if (!first) expect(Keyword::kLAST);
      item.nulls = first ? NullsOrder::kFirst : NullsOrder::kLast;
    }
    items.push_back(item);
    if (items.size() > kColumnsMax) {
      fail(sqlstate::kProgramLimit, "ORDER BY has at most " + std::to_string(kColumnsMax) + " items", item.expr->span.begin);
    }
  } while (accept(TokenKind::kComma));
  return arena_.copy(items);
}

bool Parser::join_follows(JoinType& type) {
  for (const Keyword keyword : {Keyword::kRIGHT, Keyword::kFULL, Keyword::kNATURAL}) {
    if (at(keyword)) unsupported(std::string(keyword_text(keyword)) + " JOIN is");
  }
  if (accept(Keyword::kCROSS)) {
    type = JoinType::kCross;
  } else if (accept(Keyword::kLEFT)) {
    type = JoinType::kLeft;
    accept(Keyword::kOUTER);
  } else if (accept(Keyword::kINNER)) {
    type = JoinType::kInner;
  } else {
    type = JoinType::kInner;
    return accept(Keyword::kJOIN);
  }
  expect(Keyword::kJOIN);
  return true;
}

const TableRef* Parser::table_tree() {
  const TableRef* made = table_primary();
  JoinType type;
  while (join_follows(type)) made = join(made, type);
  return made;
}

const TableRef* Parser::join(const TableRef* left, JoinType type) {
  Join* made = make<Join>(left->span.begin);
  made->type = type;
  made->left = left;
  made->right = table_primary();
  made->height = static_cast<uint16_t>(std::max(left->height, made->right->height) + 1);
  if (type != JoinType::kCross) {
    if (accept(Keyword::kUSING)) {
      made->using_columns = name_list("a column name");
    } else {
      expect(Keyword::kON);
      made->on = expression();
    }
  }
  return finish(made);
}

const TableRef* Parser::table_primary() {
  if (at(TokenKind::kOpen)) {
    const DepthGuard guard(*this);
    const Token open = advance();
    if (at(Keyword::kSELECT) || at(Keyword::kVALUES) || at(Keyword::kWITH)) unsupported("a subquery is", open);
    const TableRef* made = table_tree();
    expect(TokenKind::kClose);
    if (at(Keyword::kAS) || at_name()) unsupported("an alias of a join is");
    return made;
  }
  if (at(Keyword::kLATERAL)) unsupported("LATERAL is");
  const uint32_t begin = peek().begin;
  if (++join_tables_ > kJoinTablesMax) {
    fail(sqlstate::kProgramLimit, "a statement reads at most " + std::to_string(kJoinTablesMax) + " tables", begin);
  }
  const Identifier table = name("a table name");
  if (at(TokenKind::kDot)) unsupported("a name with a schema is");
  if (at(TokenKind::kOpen)) {
    advance();
    FunctionTable* made = make<FunctionTable>(begin);
    made->name = table;
    if (!at(TokenKind::kClose)) made->arguments = expression_list();
    expect(TokenKind::kClose);
    made->alias = optional_alias();
    return finish(made);
  }
  NamedTable* made = make<NamedTable>(begin);
  made->name = table;
  made->alias = optional_alias();
  if (made->alias && at(TokenKind::kOpen)) unsupported("column names behind the alias of a table are");
  return finish(made);
}

const QueryBody* Parser::values_body() {
  ValuesBody* made = make<ValuesBody>(advance().begin);
  std::vector<ValuesRow> rows;
  do {
    ValuesRow row;
    row.span.begin = expect(TokenKind::kOpen).begin;
    if (at(Keyword::kDEFAULT)) unsupported("DEFAULT as a value is");
    row.values = expression_list();
    expect(TokenKind::kClose);
    row.span.end = last_end_;
    if (row.values.count > kColumnsMax) {
      fail(sqlstate::kProgramLimit, "a row has at most " + std::to_string(kColumnsMax) + " columns", row.span.begin);
    }
    if (!rows.empty() && rows[0].values.count != row.values.count) {
      fail(sqlstate::kSyntax, "every row of VALUES has the same number of values: this one has " + std::to_string(row.values.count) +
           ", the first has " + std::to_string(rows[0].values.count), row.span.begin);
    }
    rows.push_back(row);
  } while (accept(TokenKind::kComma));
  made->rows = arena_.copy(rows);
  return finish(made);
}

}  // namespace hdb::sql
