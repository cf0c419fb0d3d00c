// INSERT, UPDATE, DELETE, TRUNCATE.
#include "sql/parser_state.h"

namespace hdb::sql {

void Parser::refuse_returning() {
  if (at(Keyword::kRETURNING)) unsupported("RETURNING is");
}

Statement* Parser::insert_statement() {
  InsertStatement* made = make<InsertStatement>(advance().begin);
  if (at(Keyword::kOR)) unsupported("INSERT OR ... is");
  expect(Keyword::kINTO);
  made->table = name("a table name");
  if (at(TokenKind::kDot)) unsupported("a name with a schema is");
  if (at(Keyword::kAS)) unsupported("an alias of the table of an INSERT is");
  if (at(TokenKind::kOpen) && !second_at(Keyword::kSELECT) && !second_at(Keyword::kVALUES) && !second_at(Keyword::kWITH)) {
    made->columns = name_list("a column name");
  } else if (!at(TokenKind::kOpen)) {
    note("\"(\"");
  }
  if (at(Keyword::kDEFAULT)) unsupported("DEFAULT VALUES is");
  made->source = query();
  if (at(Keyword::kON)) unsupported("ON CONFLICT is");
  refuse_returning();
  return finish(made);
}

Statement* Parser::update_statement() {
  UpdateStatement* made = make<UpdateStatement>(advance().begin);
  if (at(Keyword::kOR)) unsupported("UPDATE OR ... is");
  made->table = name("a table name");
  if (at(TokenKind::kDot)) unsupported("a name with a schema is");
  made->alias = optional_alias();
  expect(Keyword::kSET);
  std::vector<Assignment> assignments;
  do {
    Assignment assignment;
    if (at(TokenKind::kOpen)) unsupported("a list of columns on the left of an assignment is");
    assignment.column = name("a column name");
    if (at(TokenKind::kDot)) {
      note("\"=\" (the column to set takes no table name)");
      syntax_error();
    }
    expect(TokenKind::kEqual);
    if (at(Keyword::kDEFAULT)) unsupported("DEFAULT as a value is");
    assignment.value = expression();
    assignments.push_back(assignment);
    if (assignments.size() > kColumnsMax) {
      fail(sqlstate::kProgramLimit, "an UPDATE sets at most " + std::to_string(kColumnsMax) + " columns", assignment.column.span.begin);
    }
  } while (accept(TokenKind::kComma));
  made->assignments = arena_.copy(assignments);
  if (at(Keyword::kFROM)) unsupported("UPDATE ... FROM is");
  if (accept(Keyword::kWHERE)) made->where = expression();
  refuse_returning();
  return finish(made);
}

Statement* Parser::delete_statement() {
  DeleteStatement* made = make<DeleteStatement>(advance().begin);
  expect(Keyword::kFROM);
  made->table = name("a table name");
  if (at(TokenKind::kDot)) unsupported("a name with a schema is");
  made->alias = optional_alias();
  if (at(Keyword::kUSING)) unsupported("DELETE ... USING is");
  if (accept(Keyword::kWHERE)) made->where = expression();
  refuse_returning();
  return finish(made);
}

Statement* Parser::truncate_statement() {
  TruncateStatement* made = make<TruncateStatement>(advance().begin);
  accept(Keyword::kTABLE);
  made->table = name("a table name");
  if (at(TokenKind::kDot)) unsupported("a name with a schema is");
  if (at(TokenKind::kComma)) unsupported("TRUNCATE of several tables is");
  if (at(Keyword::kCASCADE)) unsupported("CASCADE is");
  if (at(Keyword::kRESTRICT)) advance();
  return finish(made);
}

}  // namespace hdb::sql
