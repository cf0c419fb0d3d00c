#include "crash.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "compare.h"
#include "engine/c_handles.h"
#include "engine/database_file.h"
#include "log/log_format.h"
#include "model/print.h"

namespace judge {

namespace {
constexpr const char* kPath = "h.holodb";
constexpr size_t kSmallTable = 12;
constexpr hdb::Fault kFaults[] = {hdb::Fault::kError, hdb::Fault::kNoSpace, hdb::Fault::kShort};
}  // namespace

CrashHistory::CrashHistory(model::Random& random, Tally& tally)
    : random_(random), tally_(tally), disk_(std::make_unique<hdb::SimulatedFiles>(random.next())) {}
CrashHistory::~CrashHistory() = default;

void CrashHistory::fail(const std::string& text) {
  std::string out = text + "\n  after:";
  for (size_t i = log_.size() > 14 ? log_.size() - 14 : 0; i < log_.size(); ++i) out += "\n    " + log_[i].substr(0, 200);
  throw Failure{"wrong-result", out};
}

void CrashHistory::run() {
  model::Wishes wishes;
  schema_ = model::random_schema(random_, wishes);
  panel_ = model::standing_panel(random_, schema_, wishes);
  database_ = std::make_unique<model::Database>();
  possible_ = {database_->committed()};
  const uint64_t rounds = 6 + random_.below(8);
  for (uint64_t round = 0; round < rounds; ++round) {
    open();
    compare();
    const uint64_t steps = random_.chance(40) ? 1 + random_.below(3) : 4 + random_.below(12);
    const uint64_t checkpoints = random_.chance(30) ? 70 : 15;  // many in a row: what is clean moves, and its old places are written over
    for (uint64_t i = 0; i < steps && !broken_; ++i) {
      if (old_ == nullptr && random_.chance(15)) begin_old();
      execute(next_statement());
      if (!broken_ && random_.chance(checkpoints)) checkpoint();
      if (!broken_ && !session_->in_transaction() && random_.chance(8)) restore_point();
    }
    end_round();
  }
  open();
  compare();
  old_.reset();
  connection_.reset();
  db_.reset();
}

void CrashHistory::open() {
  broken_ = false;
  hdb::DatabaseOptions options;
  options.single_thread = true;
  options.pages = {512, 3};
  if (random_.chance(50)) options.column_cache = random_.chance(70) ? 0 : random_.below(5000);  // block columns leave, and are read again
  for (;;) {
    if (random_.chance(25)) disk_->fail_call(disk_->calls() + 1 + random_.below(24), random_.chance(50) ? hdb::Fault::kError : hdb::Fault::kShort);
    try {
      db_ = std::make_unique<holodb_db>();
      db_->database = hdb::open_database(*disk_, kPath, options);
      break;
    } catch (const hdb::Error& e) {
      log_.push_back(std::string("-- not opened: ") + e.message());
      if (e.message().find("Input/output error") == std::string::npos) fail(std::string("the database does not open: ") + e.sqlstate() + " " + e.message());
      db_.reset();
      crash();  // a machine whose disk failed is started again
    }
  }
  const hdb::Recovery& recovery = db_->database->recovery();
  log_.push_back("-- opened: " + std::to_string(recovery.groups) + " groups, " + std::to_string(recovery.bytes_cut) + " bytes cut");
  if (closed_ && recovery.bytes_cut > 0) fail("H6: the log was closed and has a tail: " + recovery.notice);
  closed_ = false;
  connection_ = std::make_unique<Connection>(db_.get());
  full_ = random_.chance(60);
  if (!full_) connection_->run("SET synchronous = normal");
}

bool CrashHistory::same(const model::State& state, std::string* why) {
  model::Database then;
  then.restore(state);
  model::Session session(then);
  std::string names;
  for (const auto& table : {schema_.parent, schema_.fact}) {
    if (!state.tables.contains(table->name)) continue;
    names += table->name + ";";
    model::Query all;
    model::Relation relation;
    relation.table = table.get();
    relation.alias = "a";
    all.from = {relation};
    for (size_t c = 0; c < table->columns.size(); ++c) all.outputs.push_back(model::column(all.from, 0, static_cast<int>(c)));
    *why = difference(session.run(model::query_statement(all)), connection_->run(model::print(all)));
    if (!why->empty()) return *why = table->name + ": " + *why, false;
  }
  std::string there;
  for (const auto& row : connection_->run("SHOW TABLES").rows) there += row[0].text + ";";
  if (there != names) return *why = "tables " + there + ", not " + names, false;
  std::string summaries, known;
  for (const auto& [name, definition] : state.summaries) summaries += name + ";";
  for (const auto& row : connection_->run("SHOW INDEXES").rows) known += row[2].text == "summary" ? row[1].text + ";" : "";
  if (summaries != known) return *why = "summaries " + known + ", not " + summaries, false;
  return true;
}

// H4, and from now on the model is in the state that was found.
void CrashHistory::compare() {
  std::string why, first;
  for (size_t i = possible_.size(); i-- > 0;) {
    if (!same(possible_[i], &why)) {
      if (first.empty()) first = why;
      continue;
    }
    model::State found = possible_[i];
    possible_ = {found};
    database_ = std::make_unique<model::Database>();
    database_->restore(std::move(found));
    session_ = std::make_unique<model::Session>(*database_);
    ++tally_.checks;
    compare_points();
    return ask();
  }
  fail("H4: none of " + std::to_string(possible_.size()) + " states that could be there: " + first);
}

void CrashHistory::ask() {
  if (!session_->view().tables.contains(schema_.fact->name)) return;
  for (const char* mode : {"auto", "off"}) {
    connection_->run(std::string("SET summary_mode = ") + mode);
    for (int i = 0; i < 4; ++i) {
      const model::Query& q = random_.pick(panel_);
      const model::Outcome want = session_->run(model::query_statement(q));
      const std::string text = difference(want, connection_->run(model::print(q)));
      if (!text.empty()) fail("H2, summary_mode " + std::string(mode) + ": " + text + "\n  " + model::print(q).substr(0, 500));
      ++tally_.questions;
      ++tally_.checks;
    }
  }
  connection_->run("SET summary_mode = auto");
  for (const auto& [name, definition] : session_->view().summaries) {
    const Reply r = connection_->run("SELECT differences FROM summary_verify('" + name + "')");
    if (r.rows.size() != 1 || r.rows[0][0].text != "0") throw Failure{"self-check", "summary_verify('" + name + "') after opening"};
    ++tally_.verified;
  }
}

model::Statement CrashHistory::next_statement() {
  const model::State& view = session_->view();
  for (const auto& table : {schema_.parent, schema_.fact}) {
    const auto at = view.tables.find(table->name);
    if (at == view.tables.end()) return model::create_table(table);
    if (at->second->rows.size() < kSmallTable && random_.chance(70)) {
      std::vector<model::Row> rows;
      for (uint64_t n = 1 + random_.below(random_.chance(20) ? 300 : 9); n > 0; --n) rows.push_back(model::random_row(random_, *table, next_id_++, 1, false));
      return model::insert_rows(table, std::move(rows));
    }
  }
  const uint64_t kind = random_.below(100);
  if (session_->in_transaction()) {
    if (kind < 25) return model::control(model::Act::kCommit);
    if (kind < 32) return model::control(model::Act::kRollback);
  } else if (kind < 25) {
    return model::control(model::Act::kBegin);
  }
  if (kind < 38) {
    if (view.summaries.size() < 2) return model::create_summary(model::random_summary(random_, *schema_.fact, "s" + std::to_string(++summaries_)), schema_.fact);
    return model::control(model::Act::kDropIndex, view.summaries.begin()->first);
  }
  return model::random_change(random_, schema_, view, {});
}

void CrashHistory::note_commit() {
  if (session_->in_transaction()) return;
  if (full_ && !broken_) possible_.clear();
  possible_.push_back(database_->committed());
}

void CrashHistory::execute(const model::Statement& s) {
  const std::string sql = model::print(s);
  if (History::trace) std::fprintf(stderr, "%s;\n", sql.c_str());
  log_.push_back(sql);
  if (random_.chance(12)) disk_->crash_at(disk_->calls() + 1 + random_.below(4));
  else if (random_.chance(15)) disk_->fail_call(disk_->calls() + 1 + random_.below(3), kFaults[random_.below(3)]);
  const Reply got = connection_->run(sql);
  ++tally_.statements;
  if (!got.ok && got.state == "58030") {
    log_.push_back("-- " + got.message);
    if (got.message.find("read-only since") != std::string::npos) {
      broken_ = true;
    } else if (got.message.find("outcome of this transaction is unknown") != std::string::npos) {
      // In flight: the next opening finds it, or not.
      broken_ = true;
      session_->run(s);
      note_commit();
    } else if (s.act == model::Act::kCommit) {
      session_->run(model::control(model::Act::kRollback));
    }
    return;
  }
  if (!got.ok && got.state == "XX001" && disk_->stopped()) {
    // What it wanted to read is on a disk that has stopped.
    log_.push_back("-- " + got.message);
    broken_ = true;
    return;
  }
  const bool counted = s.act >= model::Act::kInsert && s.act <= model::Act::kDelete;
  model::Outcome want = session_->run(s);
  if (!counted && want.ending == model::Ending::kDone) want.changes = got.changes;
  const std::string text = difference(want, got);
  if (!text.empty()) fail(text);
  if (want.ending == model::Ending::kDone) note_commit();
}

namespace {
std::string sorted_rows(const Reply& reply) {
  std::vector<std::string> rows;
  for (const auto& row : reply.rows) {
    std::string line;
    for (const Cell& cell : row) line += (cell.null ? "NULL" : cell.text) + "|";
    rows.push_back(std::move(line));
  }
  std::sort(rows.begin(), rows.end());
  std::string all;
  for (const std::string& line : rows) all += line + "\n";
  return all;
}
}  // namespace

void CrashHistory::begin_old() {
  old_ = std::make_unique<Connection>(db_.get());
  repeats_.clear();
  old_->run("SET summary_mode = off");
  old_->run("BEGIN");
  for (const auto& table : {schema_.parent, schema_.fact}) {
    const std::string sql = "SELECT * FROM " + table->name;
    const Reply told = old_->run(sql);
    if (told.ok) repeats_.emplace_back(sql, sorted_rows(told));
  }
}

// H11.
void CrashHistory::ask_old() {
  if (old_ == nullptr) return;
  for (const auto& [sql, before] : repeats_) {
    const Reply now = old_->run(sql);
    if (!now.ok) fail("H11: " + now.state + " " + now.message + "\n  " + sql);
    if (sorted_rows(now) != before) fail("H11: an older snapshot has changed: " + sql + "\n" + before.substr(0, 600) + "  now\n" + sorted_rows(now).substr(0, 600));
    ++tally_.checks;
  }
  if (random_.chance(30)) old_.reset();
}

// The same state, now in the pages. What the next opening may find does not change, but for what was not synced before: that is durable now.
void CrashHistory::checkpoint() {
  log_.emplace_back("CHECKPOINT");
  if (random_.chance(15)) disk_->crash_at(disk_->calls() + 1 + random_.below(40));
  else if (random_.chance(20)) disk_->fail_call(disk_->calls() + 1 + random_.below(40), kFaults[random_.below(3)]);
  // By somebody else: a transaction may be open, and what it has changed is not in the checkpoint.
  const Reply got = Connection(db_.get()).run("CHECKPOINT");
  ++tally_.statements;
  if (got.ok) {
    possible_ = {possible_.back()};
    // Of columns that have new places now.
    if (!disk_->stopped() && random_.chance(40)) {
      disk_->calm();
      ask();
      ask_old();
    }
  } else if (got.state == "58030" || (got.state == "XX001" && disk_->stopped())) {
    // A disk that has stopped is one on which every page is lost.
    log_.push_back("-- " + got.message);
    broken_ = db_->database->manager().poisoned();
  } else {
    fail("CHECKPOINT: " + got.state + " " + got.message);
  }
}

// What fails leaves it open whether the point is there; what RESTORE TO makes of the rows is known, but not whether it came to that.
void CrashHistory::restore_point() {
  const uint64_t kind = points_.empty() ? 0 : random_.below(100);
  const std::string fresh = "p" + std::to_string(++points_made_);
  const std::string name = kind < 30 ? fresh : std::next(points_.begin(), static_cast<long>(random_.below(points_.size())))->first;
  if (kind >= 30 && !points_.at(name).sure) return;
  const bool making = kind < 30, dropping = !making && kind < 45;
  const std::string sql = (making ? "CREATE RESTORE POINT " : dropping ? "DROP RESTORE POINT " : "RESTORE TO ") + name;
  log_.push_back(sql);
  if (random_.chance(15)) disk_->crash_at(disk_->calls() + 1 + random_.below(60));
  else if (random_.chance(15)) disk_->fail_call(disk_->calls() + 1 + random_.below(60), kFaults[random_.below(3)]);
  const model::State now = database_->committed();
  const Reply got = Connection(db_.get()).run(sql);
  ++tally_.statements;
  const bool failed = !got.ok && (got.state == "58030" || (got.state == "XX001" && disk_->stopped()));
  if (!got.ok && !failed) fail(sql + ": " + got.state + " " + got.message);
  if (failed) log_.push_back("-- " + got.message);
  broken_ = db_->database->manager().poisoned() || disk_->stopped();
  if (making) {
    points_[name] = {now, got.ok};
  } else if (dropping) {
    points_[name].sure = false;
    if (got.ok) points_.erase(name);
  } else {
    const model::State then = points_.at(name).state;
    if (got.ok) {
      if (name != "before_restore") points_["before_restore"] = {now, true}, unsure_before_ = false;
      database_->restore(then);
      session_ = std::make_unique<model::Session>(*database_);
      possible_.clear();
    } else {
      // It drops before_restore, makes it anew, then commits the state of the point: each of these may have been the last.
      const auto before = points_.find("before_restore");
      if (before != points_.end() && name != "before_restore") points_.erase(before);
      unsure_before_ = true;
    }
    if (got.ok || broken_) possible_.push_back(then);  // H5: an error that leaves the database as it is has not restored anything
  }
  if (got.ok && making) possible_ = {possible_.back()};
}

// What SHOW RESTORE POINTS says is what is there.
void CrashHistory::compare_points() {
  std::set<std::string> there;
  for (const auto& row : connection_->run("SHOW RESTORE POINTS").rows) there.insert(row[0].text);
  for (auto at = points_.begin(); at != points_.end();) {
    const bool found = there.erase(at->first) > 0;
    if (!found && at->second.sure) fail("H10: restore point " + at->first + " is gone");
    at->second.sure = true;
    at = found ? std::next(at) : points_.erase(at);
  }
  if (unsure_before_) there.erase("before_restore");
  if (!there.empty()) fail("H10: there is a restore point " + *there.begin() + " that nobody made");
  ++tally_.checks;
}

void CrashHistory::end_round() {
  if (!broken_ && random_.chance(40)) {
    log_.push_back("-- closed");
    const uint64_t met = disk_->faults_met();
    old_.reset();
    connection_.reset();
    db_.reset();
    // Closed means durable, unless the disk failed while it was closed.
    if (!disk_->stopped() && disk_->faults_met() == met) possible_ = {possible_.back()}, closed_ = true;
    crash();
    return tamper();
  }
  crash();
}

// Another disk, on which the log has been changed by somebody else.
void CrashHistory::tamper() {
  const std::string path = hdb::log_path(kPath), log = disk_->contents(path);
  if (log.size() <= hdb::kLogHeaderBytes + hdb::kGroupHeaderBytes) return;
  std::vector<size_t> groups;
  hdb::GroupHeader header;
  for (size_t at = hdb::kLogHeaderBytes; at + hdb::kGroupHeaderBytes <= log.size() && hdb::read_group_header(log.data() + at, &header); at += header.bytes) {
    if (header.records > 0) groups.push_back(at);
  }
  groups.push_back(log.size());
  const bool twice = closed_ && random_.chance(40) && groups.size() > 2;
  std::string changed = log;
  if (twice) {
    const size_t which = random_.below(groups.size() - 2);
    hdb::read_group_header(log.data() + groups[which], &header);
    changed += log.substr(groups[which], header.bytes);
  } else {
    const size_t at = hdb::kLogHeaderBytes + random_.below(log.size() - hdb::kLogHeaderBytes);
    changed[at] = static_cast<char>(changed[at] ^ (1 << random_.below(8)));
  }
  const auto kept = std::move(disk_);
  disk_ = kept->copy();
  disk_->set_contents(path, changed);
  hdb::DatabaseOptions options;
  options.single_thread = true;
  std::string why;
  try {
    db_ = std::make_unique<holodb_db>();
    db_->database = hdb::open_database(*disk_, kPath, options);
    connection_ = std::make_unique<Connection>(db_.get());
    bool as_it_was = !twice && db_->database->recovery().bytes_cut > 0;
    for (size_t i = 0; i < possible_.size() && !as_it_was && !twice; ++i) as_it_was = same(possible_[i], &why);
    if (!as_it_was) fail("H6: a changed log was taken for good: " + (twice ? "a group comes twice" : why));
  } catch (const hdb::Error& e) {
    if (std::string(e.sqlstate()) != "58030") fail(std::string("H6: ") + e.sqlstate() + " " + e.message());
  }
  ++tally_.checks;
  old_.reset();
  connection_.reset();
  db_.reset();
  disk_ = kept->copy();
}

void CrashHistory::crash() {
  std::vector<std::unique_ptr<hdb::SimulatedFiles>> images;
  disk_->for_each_image(24, [&](auto image) { images.push_back(std::move(image)); });
  auto chosen = std::move(images[random_.below(images.size())]);
  log_.push_back("-- crash");
  ++crashes_;
  old_.reset();
  connection_.reset();
  db_.reset();
  disk_ = std::move(chosen);
}

}  // namespace judge
