#include "engine/connection.h"

#include "base/check.h"
#include "engine/appender.h"
#include "engine/checkpoint.h"
#include "engine/show.h"
#include "io/posix_files.h"

namespace hdb {

Connection::Connection(std::shared_ptr<Database> database) : database_(std::move(database)), settings_(*database_) {}

Connection::~Connection() { close(); }

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  if (appender_ != nullptr) appender_->abort();
  transaction_.reset();
  cache_.clear();
}

void Connection::fail_closed() const {
  fail(sqlstate::kConnectionClosed, closed_ ? "the connection is closed" : "the database of this connection is closed");
}

// ---- how a statement ends

void Connection::note_failure(const Transaction& t) noexcept {
  if (!t.writing()) return;
  try {
    throw;
  } catch (const Error& e) {
    if (std::string_view(e.sqlstate()) == sqlstate::kInternal && !database_->manager().poisoned()) {
      try {
        database_->manager().poison(e.message());
      } catch (...) {
        database_->manager().poison({});
      }
    }
  } catch (...) {
  }
}

void Connection::fail_autocommit(Transaction& own, uint64_t base) {
  note_failure(own);
  const bool wrote = own.writing();
  if (!own.finished()) own.rollback();
  // C7: the error itself was seen at H0. The turn is free again while it waits.
  if (wrote) database_->log().wait_durable(base);
  throw;
}

void Connection::fail_open(Transaction& t, uint64_t mark) {
  note_failure(t);
  if (t.writing()) {
    t.undo_to(mark);
    t.wait_durable();
  }
  throw;
}

void Connection::finish_autocommit(Transaction& own) {
  if (!own.writing()) return own.rollback();
  try {
    own.commit();
  } catch (...) {
    note_failure(own);
    throw;
  }
  database_->after_commit();
}

// ---- statements that are not planned

void Connection::run_transaction(const sql::Statement& s) {
  const int64_t at = s.span.begin;
  if (s.kind == sql::StatementKind::kBegin) {
    if (transaction_) fail(sqlstate::kActiveTransaction, "a transaction is open already", at);
    transaction_.emplace(database_->manager());
    transaction_->set_read_only(database_->read_only() || s.as<sql::BeginStatement>().read_only);
    return;
  }
  if (!transaction_) fail(sqlstate::kNoTransaction, "no transaction is open", at);
  switch (s.kind) {
    case sql::StatementKind::kCommit:
      try {
        transaction_->commit();
      } catch (...) {
        note_failure(*transaction_);
        transaction_.reset();
        throw;
      }
      transaction_.reset();
      database_->after_commit();
      break;
    case sql::StatementKind::kRollback: transaction_.reset(); break;
    case sql::StatementKind::kSavepoint: transaction_->savepoint(std::string(s.as<sql::SavepointStatement>().name.folded)); break;
    case sql::StatementKind::kRelease: {
      const sql::Identifier& name = s.as<sql::ReleaseStatement>().name;
      transaction_->release_savepoint(name.folded, name.span.begin);
      break;
    }
    case sql::StatementKind::kRollbackTo: {
      const sql::Identifier& name = s.as<sql::RollbackToStatement>().name;
      transaction_->rollback_to_savepoint(name.folded, name.span.begin);
      break;
    }
    default: CHECK(!"a statement of transactions");
  }
}

void Connection::run_show(Statement& statement) {
  const auto& s = statement.compiled->parsed.root->as<sql::ShowStatement>();
  if (s.show == sql::ShowKind::kAll || s.show == sql::ShowKind::kSetting) {
    statement.result = show_settings(settings_, s, &database_->budget());
    return;
  }
  if (s.show == sql::ShowKind::kRestorePoints) {
    statement.result = show_restore_points(database_->checkpointer(), s, &database_->budget());
    return;
  }
  in_own_or_open_transaction(false, [&](Transaction& t) {
    t.note_catalog_read(&database_->catalog().last_change());
    statement.result = show_catalog(database_->catalog(), t.snapshot(), s, &database_->budget());
  });
}

// What is done with the file. Not inside of a transaction: some of it takes the turn for itself, and none of it is undone.
void Connection::run_file(Statement& statement) {
  const auto& s = statement.compiled->parsed.root->as<sql::FileStatement>();
  const int64_t at = s.span.begin;
  if (transaction_) fail(sqlstate::kActiveTransaction, "this statement cannot run inside of a transaction", at);
  if (s.action == sql::FileAction::kCheck) {
    in_own_or_open_transaction(false, [&](Transaction& t) {
      statement.result = check_database(*database_, t.snapshot(), !database_->read_only(), &cancel_, s);
    });
    return;
  }
  Checkpointer* checkpointer = database_->checkpointer();
  if (s.action == sql::FileAction::kBackup)
    return backup_database(*database_, checkpointer != nullptr ? checkpointer->files() : PosixFiles::instance(), std::string(s.path));
  if (checkpointer == nullptr) fail(sqlstate::kFeature, "a memory database has no checkpoints and no restore points: they are of a file (BACKUP TO makes one)", at);
  if (database_->read_only()) fail(sqlstate::kReadOnly, "the database is open to read only", at);
  const std::string name(s.name.folded);
  switch (s.action) {
    case sql::FileAction::kCheckpoint: return checkpointer->run();
    case sql::FileAction::kCreateRestorePoint: return checkpointer->create_restore_point(name);
    case sql::FileAction::kDropRestorePoint: return checkpointer->drop_restore_point(name);
    case sql::FileAction::kRestore: return checkpointer->restore(name);
    default: CHECK(!"a statement of files");
  }
}

}  // namespace hdb
