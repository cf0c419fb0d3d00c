// CREATE and DROP of tables and indexes.
#include "sql/number.h"
#include "sql/parser_state.h"

namespace hdb::sql {

Statement* Parser::create_statement() {
  const uint32_t begin = advance().begin;
  for (const Keyword keyword : {Keyword::kTEMP, Keyword::kTEMPORARY, Keyword::kVIEW, Keyword::kMATERIALIZED, Keyword::kSCHEMA,
                                Keyword::kSEQUENCE, Keyword::kTRIGGER}) {
    if (at(keyword)) unsupported("CREATE " + std::string(keyword_text(keyword)) + " is");
  }
  if (word_is(peek(), "restore")) return restore_point(begin, FileAction::kCreateRestorePoint);
  if (accept(Keyword::kTABLE)) return create_table(begin);
  if (accept(Keyword::kUNIQUE)) {
    expect(Keyword::kINDEX);
    return create_index(begin, true);
  }
  expect(Keyword::kINDEX);
  return create_index(begin, false);
}

Statement* Parser::create_table(uint32_t begin) {
  CreateTableStatement* made = make<CreateTableStatement>(begin);
  if (at(Keyword::kIF) && second_at(Keyword::kNOT)) {
    advance();
    advance();
    expect(Keyword::kEXISTS);
    made->if_not_exists = true;
  }
  made->name = name("a table name");
  if (at(TokenKind::kDot)) unsupported("a name with a schema is");
  if (at(Keyword::kAS)) unsupported("CREATE TABLE AS is");
  expect(TokenKind::kOpen);
  std::vector<ColumnDef> columns;
  std::vector<TableConstraint> constraints;
  do {
    if (table_constraint(constraints)) continue;
    columns.push_back(column_def(constraints));
    if (columns.size() > kColumnsMax) {
      fail(sqlstate::kProgramLimit, "a table has at most " + std::to_string(kColumnsMax) + " columns", columns.back().span.begin);
    }
  } while (accept(TokenKind::kComma));
  expect(TokenKind::kClose);
  if (columns.empty()) fail(sqlstate::kSyntax, "a table has at least one column", made->name.span.begin);
  if (at(Keyword::kAS)) unsupported("CREATE TABLE AS is");
  made->columns = arena_.copy(columns);
  made->constraints = arena_.copy(constraints);
  return finish(made);
}

ColumnDef Parser::column_def(std::vector<TableConstraint>& constraints) {
  ColumnDef column;
  column.span.begin = peek().begin;
  column.name = name("a column name");
  column.type = type_name();
  while (column_constraint(column, constraints)) {
  }
  column.span.end = last_end_;
  return column;
}

// A constraint with a name of its own is kept as a constraint of the table.
bool Parser::column_constraint(ColumnDef& column, std::vector<TableConstraint>& constraints) {
  TableConstraint named;
  named.span.begin = peek().begin;
  const bool has_name = accept(Keyword::kCONSTRAINT);
  if (has_name) named.name = name("a constraint name");
  bool keep = has_name;
  for (const Keyword later : {Keyword::kCHECK, Keyword::kCOLLATE, Keyword::kGENERATED, Keyword::kAUTOINCREMENT}) {
    if (at(later)) unsupported(std::string(keyword_text(later)) + " is");
  }
  if (accept(Keyword::kNOT)) {
    expect(Keyword::kNULL);
    column.not_null = true;
    keep = false;
  } else if (accept(Keyword::kNULL)) {
    keep = false;
  } else if (accept(Keyword::kPRIMARY)) {
    expect(Keyword::kKEY);
    if (!has_name) column.primary_key = true;
  } else if (accept(Keyword::kUNIQUE)) {
    named.kind = ConstraintKind::kUnique;
    if (!has_name) column.unique = true;
  } else if (accept(Keyword::kREFERENCES)) {
    named.kind = ConstraintKind::kForeignKey;
    named.references = references();
    if (!has_name) column.references = named.references;
  } else if (accept(Keyword::kDEFAULT)) {
    column.default_value = expression();
    keep = false;
  } else if (has_name) {
    syntax_error();
  } else {
    return false;
  }
  if (keep) {
    named.columns = arena_.copy(&column.name, 1);
    named.span.end = last_end_;
    constraints.push_back(named);
  }
  return true;
}

// The word REFERENCES is taken.
ForeignKeyRef Parser::references() {
  ForeignKeyRef made;
  made.table = name("a table name");
  if (at(TokenKind::kOpen)) made.columns = name_list("a column name");
  while (at(Keyword::kON)) {
    advance();
    if (!accept(Keyword::kDELETE)) expect(Keyword::kUPDATE);
    if (at(Keyword::kCASCADE) || at(Keyword::kSET) || at(Keyword::kRESTRICT)) {
      unsupported("a foreign key's action " + std::string(keyword_text(peek().keyword)) + " is");
    }
    expect(Keyword::kNO);
    expect(Keyword::kACTION);
  }
  if (word_is(peek(), "deferrable")) unsupported("DEFERRABLE is");
  return made;
}

bool Parser::table_constraint(std::vector<TableConstraint>& constraints) {
  TableConstraint made;
  made.span.begin = peek().begin;
  const bool has_name = accept(Keyword::kCONSTRAINT);
  if (has_name) made.name = name("a constraint name");
  if (at(Keyword::kCHECK)) unsupported("CHECK is");
  if (accept(Keyword::kPRIMARY)) {
    expect(Keyword::kKEY);
    made.kind = ConstraintKind::kPrimaryKey;
    made.columns = name_list("a column name");
  } else if (accept(Keyword::kUNIQUE)) {
    made.kind = ConstraintKind::kUnique;
    made.columns = name_list("a column name");
  } else if (accept(Keyword::kFOREIGN)) {
    expect(Keyword::kKEY);
    made.kind = ConstraintKind::kForeignKey;
    made.columns = name_list("a column name");
    expect(Keyword::kREFERENCES);
    made.references = references();
  } else {
    if (has_name) syntax_error();
    return false;
  }
  made.span.end = last_end_;
  constraints.push_back(made);
  return true;
}

// The words CREATE [UNIQUE] INDEX are taken.
Statement* Parser::create_index(uint32_t begin, bool unique) {
  CreateIndexStatement* made = make<CreateIndexStatement>(begin);
  made->unique = unique;
  if (at(Keyword::kIF) && second_at(Keyword::kNOT)) {
    advance();
    advance();
    expect(Keyword::kEXISTS);
    made->if_not_exists = true;
  }
  made->name = name("an index name");
  expect(Keyword::kON);
  made->table = name("a table name");
  if (at(TokenKind::kDot)) unsupported("a name with a schema is");
  if (accept(Keyword::kUSING)) {
    const Token method = peek();
    if (!at(Keyword::kSUMMARY) && at_name()) unsupported("an index USING " + std::string(text_of(method)) + " is");
    expect(Keyword::kSUMMARY);
    if (unique) fail(sqlstate::kInvalidDefinition, "a summary index is not UNIQUE", method.begin);
    made->summary = true;
  }
  made->columns = index_columns("dimensions", made->summary ? kSummaryDimensionsMax : kColumnsMax);
  if (made->summary) summary_options(made);
  if (at(Keyword::kWHERE)) unsupported("an index with a WHERE is");
  return finish(made);
}

void Parser::summary_options(CreateIndexStatement* index) {
  if (accept(Keyword::kINCLUDE)) index->measures = index_columns("measures", kSummaryMeasuresMax);
  if (!accept(Keyword::kWITH)) return;
  expect(TokenKind::kOpen);
  do {
    const Identifier option = name("max_cells");
    if (option.folded != "max_cells") {
      fail(sqlstate::kUndefinedObject, "a summary index has no option " + std::string(option.spelling) + "; it has max_cells", option.span.begin);
    }
    if (index->has_max_cells) fail(sqlstate::kSyntax, "max_cells is given twice", option.span.begin);
    expect(TokenKind::kEqual);
    const Token number = expect(TokenKind::kInteger);
    if (!parse_unsigned(text_of(number), index->max_cells) || index->max_cells == 0 || index->max_cells > INT64_MAX) {
      fail(sqlstate::kInvalidParameter, "max_cells is at least 1 and fits a BIGINT", number.begin);
    }
    index->has_max_cells = true;
    index->max_cells_span = {number.begin, number.end};
  } while (accept(TokenKind::kComma));
  expect(TokenKind::kClose);
}

List<const Expr*> Parser::index_columns(const char* what, uint32_t count_max) {
  expect(TokenKind::kOpen);
  std::vector<const Expr*> columns;
  do {
    const uint32_t begin = peek().begin;
    if (columns.size() == count_max) {
      fail(sqlstate::kProgramLimit, "the index has more than " + std::to_string(count_max) + " " + what, begin);
    }
    if (at(TokenKind::kOpen)) unsupported("an expression in an index is");
    ColumnRef* made = make<ColumnRef>(begin);
    made->column = name("a column name");
    if (at(TokenKind::kOpen)) fail(sqlstate::kFeature, "an expression in an index is not supported yet", begin);
    if (at(Keyword::kASC) || at(Keyword::kDESC)) unsupported("the order of an index column is");
    columns.push_back(finish(made));
  } while (accept(TokenKind::kComma));
  expect(TokenKind::kClose);
  return arena_.copy(columns);
}

Statement* Parser::drop_statement() {
  const uint32_t begin = advance().begin;
  for (const Keyword keyword : {Keyword::kVIEW, Keyword::kMATERIALIZED, Keyword::kSCHEMA, Keyword::kSEQUENCE, Keyword::kTRIGGER}) {
    if (at(keyword)) unsupported("DROP " + std::string(keyword_text(keyword)) + " is");
  }
  if (word_is(peek(), "restore")) return restore_point(begin, FileAction::kDropRestorePoint);
  const bool table = accept(Keyword::kTABLE);
  if (!table) expect(Keyword::kINDEX);
  bool if_exists = false;
  if (at(Keyword::kIF) && second_at(Keyword::kEXISTS)) {
    advance();
    advance();
    if_exists = true;
  }
  const auto finish_drop = [&](auto* made) {
    made->if_exists = if_exists;
    made->name = name(table ? "a table name" : "an index name");
    if (at(TokenKind::kDot)) unsupported("a name with a schema is");
    if (at(TokenKind::kComma)) unsupported("DROP of several objects is");
    if (at(Keyword::kCASCADE)) unsupported("CASCADE is");
    if (at(Keyword::kRESTRICT)) advance();
    return finish(made);
  };
  if (table) return finish_drop(make<DropTableStatement>(begin));
  return finish_drop(make<DropIndexStatement>(begin));
}

}  // namespace hdb::sql
