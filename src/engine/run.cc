// Running a prepared statement: which transaction, which plan, and what its errors point at.
#include "base/check.h"
#include "engine/connection.h"
#include "engine/ddl.h"
#include "engine/show.h"
#include "exec/build.h"
#include "plan/explain.h"

namespace hdb {

void Connection::note_reads(const Plan& plan, Transaction& t) {
  if (!transaction_ || t.writing()) return;
  t.note_catalog_read(&database_->catalog().last_change());
  for (const auto& table : plan.tables) t.note_read(table->table);
}

ExecResult Connection::execute_plan(Statement& statement, Transaction& t, bool analyze) {
  const Plan& plan = statement.compiled->plan;
  ExecContext context;
  context.snapshot = t.snapshot();
  context.epochs = &database_->manager().epochs();
  context.manager = &database_->manager();
  context.parameters = statement.converted.empty() ? statement.parameters : statement.converted;
  context.budget = &database_->budget();
  context.cancel = &cancel_;
  context.threads = settings_.threads();
  context.pool = context.threads > 1 ? &database_->pool() : nullptr;
  context.analyze = analyze;
  if (plan.writes) {
    context.transaction = &t;
    for (const auto& table : plan.tables) t.keep(table->table);
  }
  return hdb::execute(plan, context);
}

void Connection::run_plan(Statement& statement) {
  const bool writes = statement.kind != sql::StatementKind::kSelect;
  in_own_or_open_transaction(writes, [&](Transaction& t) {
    ensure_plan(statement, t.snapshot());
    note_reads(statement.compiled->plan, t);
    statement.result = execute_plan(statement, t, false);
  });
  if (writes) changes_ = statement.result.changed;
}

void Connection::run_explain(Statement& statement) {
  const auto& explain = statement.compiled->parsed.root->as<sql::ExplainStatement>();
  // Values, not references: ensure_plan may compile the statement anew, and its tree goes.
  const bool analyze = explain.analyze, json = explain.json;
  const bool writes = analyze && explain.statement->kind != sql::StatementKind::kSelect;
  in_own_or_open_transaction(writes, [&](Transaction& t) {
    ensure_plan(statement, t.snapshot());
    const Plan& plan = statement.compiled->plan;
    note_reads(plan, t);
    ExecResult run;
    if (analyze) run = execute_plan(statement, t, true);
    statement.result = explain_result(plan, run, analyze, json, &database_->budget());
  });
}

void Connection::run_definition(Statement& statement) {
  const sql::Statement& root = *statement.compiled->parsed.root;
  in_own_or_open_transaction(true, [&](Transaction& t) {
    const std::string_view text = std::string_view(statement.compiled->text).substr(root.span.begin, root.span.end - root.span.begin);
    run_ddl({database_->catalog(), t, &database_->budget(), &cancel_, text, &database_->pool(), settings_.threads(), database_->columns()}, root);
  });
}

void Connection::run(Statement& statement) {
  if (statement.kind != sql::StatementKind::kSelect && statement.kind != sql::StatementKind::kShow) check_no_appender();
  switch (statement.kind) {
    case sql::StatementKind::kSelect:
    case sql::StatementKind::kInsert:
    case sql::StatementKind::kUpdate:
    case sql::StatementKind::kDelete:
    case sql::StatementKind::kTruncate: return run_plan(statement);
    case sql::StatementKind::kExplain: return run_explain(statement);
    case sql::StatementKind::kShow: return run_show(statement);
    case sql::StatementKind::kFile: return run_file(statement);
    case sql::StatementKind::kSet: {
      const auto& s = statement.compiled->parsed.root->as<sql::SetStatement>();
      if (transaction_ && s.name.folded == "synchronous")
        fail(sqlstate::kActiveTransaction, "synchronous cannot be changed inside of a transaction", s.name.span.begin);
      return settings_.set(s.name.folded, s.value, s.is_default, s.name.span.begin, s.value_span.begin);
    }
    case sql::StatementKind::kCreateTable:
    case sql::StatementKind::kDropTable:
    case sql::StatementKind::kCreateIndex:
    case sql::StatementKind::kDropIndex: return run_definition(statement);
    default: return run_transaction(*statement.compiled->parsed.root);
  }
}

void Connection::point_into_text(Error& error, const Statement& s) {
  if (!error.has_position()) return;
  int64_t at = error.position();
  if (s.compiled != nullptr && s.compiled->literals_taken)
    at = sql::remap_position(at, s.compiled->made_begin, s.compiled->made_spans, s.begin, s.literals);
  error.set_position(at + static_cast<int64_t>(s.base));
}

void Connection::execute(Statement& statement) {
  check_open();
  cancel_.reset();
  statement.result.clear();
  statement.next_row = 0;
  statement.executed = true;
  try {
    run(statement);
  } catch (Error& error) {
    point_into_text(error, statement);
    throw;
  }
}

void Connection::run_script(std::string_view text) {
  check_open();
  for (size_t at = 0; at < text.size();) {
    size_t end = 0;
    const auto statement = prepare(text.substr(at), at, &end);
    if (statement == nullptr) return;
    execute(*statement);
    at += end;
  }
}

}  // namespace hdb
