#include "history.h"

#include <algorithm>
#include <cstdio>

#include "compare.h"
#include "model/print.h"

namespace judge {

using model::Act;
using model::Ending;
using model::Outcome;
using model::Query;
using model::Statement;

bool History::trace = false;
FILE* History::transcripts = nullptr;

void Tally::add(const Tally& o) {
  questions += o.questions, checks += o.checks, statements += o.statements, empty += o.empty, both_err += o.both_err;
  declined += o.declined, open += o.open, verified += o.verified;
  distinct.insert(o.distinct.begin(), o.distinct.end());
  for (const auto& [path, count] : o.paths) paths[path] += count;
}

std::string Tally::text() const {
  std::string out = "questions " + std::to_string(questions) + ": distinct state x question " + std::to_string(distinct.size()) + ", checks (x mode) " +
                    std::to_string(checks) + ", empty " + std::to_string(empty) + ", both err " + std::to_string(both_err) + ", declined under force " +
                    std::to_string(declined) + ", open " + std::to_string(open) + "; statements " + std::to_string(statements) + ", summaries verified " +
                    std::to_string(verified) + "; paths";
  for (const auto& [path, count] : paths) out += ", " + path + " " + std::to_string(count);
  return out;
}

History::History(uint64_t name, model::Random& random, const HistoryPlan& plan, PeerSource* engine, SqliteJudge* sqlite, Tally& tally)
    : name_(name), random_(random), plan_(plan), engine_(engine), sqlite_(sqlite), tally_(tally) {
  writer_.name = "writer";
  reader_.name = "reader";
  for (Side* side : {&writer_, &reader_}) {
    side->session = std::make_unique<model::Session>(database_);
    if (engine_ != nullptr) side->peer = engine_->connect();
  }
}

void History::fail(const Side& side, const std::string& sql, const std::string& text) {
  std::string out = text + "\n  " + side.name + ", summary_mode " + side.mode + ": " + sql.substr(0, 700) + "\n  after:";
  for (size_t i = log_.size() > 8 ? log_.size() - 8 : 0; i < log_.size(); ++i) out += "\n    " + log_[i].substr(0, 160);
  throw Failure{"wrong-result", out};
}

bool History::small_enough() const {
  const auto& tables = writer_.session->view().tables;
  const auto fact = tables.find(schema_.fact->name);
  return fact == tables.end() || fact->second->rows.size() <= plan_.model_rows_max;
}

void History::set_mode(Side& side, const std::string& mode) {
  if (side.peer == nullptr || side.mode == mode) return;
  const Reply reply = side.peer->run("SET summary_mode = " + mode);
  if (!reply.ok) fail(side, "SET summary_mode = " + mode, reply.state + " " + reply.message);
  side.mode = mode;
}

// SQLite holds the writer's state; a snapshot's answers were taken when it began.
Outcome History::expected(Side& side, const Query& query) {
  const bool by_sqlite = sqlite_ != nullptr && model::expressible(query);
  if (&side == &reader_ && by_sqlite) {
    const auto known = at_snapshot_.find(model::print(query));
    if (known != at_snapshot_.end()) return known->second;
  }
  Outcome by_model;
  const bool use_model = !by_sqlite || &side == &reader_ || small_enough();
  if (use_model) by_model = side.session->run(model::query_statement(query));
  if (!by_sqlite || &side == &reader_) return by_model;
  Outcome by_judge = sqlite_->query(query);
  if (use_model) {
    const std::string text = difference(by_judge, by_model);
    if (!text.empty()) fail(side, model::print(query, model::Dialect::kSqlite), "the judges disagree (SQLite, then the model): " + text);
    if (by_model.ending == Ending::kOpen) return by_model;
  }
  return by_judge;
}

void History::note_path(Side& side, const std::string& sql) {
  const Reply plan = side.peer->run("EXPLAIN " + sql);
  if (!plan.ok) fail(side, "EXPLAIN " + sql, plan.state + " " + plan.message);
  static const char* kPaths[] = {"zone sums", "block cells", "summary", "limb", "index", "scan"};
  for (const std::vector<Cell>& row : plan.rows) {
    const size_t start = row[0].text.find_first_not_of(' ');
    if (start == std::string::npos) continue;
    for (const char* path : kPaths) {
      if (row[0].text.compare(start, std::string(path).size(), path) == 0) ++tally_.paths[path];
    }
  }
}

void History::ask(Side& side, const Query& query, const std::string& mode) {
  const std::string sql = model::print(query);
  const Outcome want = expected(side, query);
  ++tally_.questions;
  if (want.ending == Ending::kOpen) {
    ++tally_.open;
    return;
  }
  const uint64_t key = model::seed_for(model::seed_for(name_, sql), side.name + std::to_string(state_));
  std::vector<std::string> modes = {mode};
  if (mode == "all") modes = {"auto", "off", "force"};
  for (const std::string& m : modes) {
    if (side.peer != nullptr) {
      set_mode(side, m);
      if (trace) std::fprintf(stderr, "%s [%s]: %s;\n", side.name.c_str(), m.c_str(), sql.c_str());
      const Reply got = side.peer->run(sql);
      if (m == "force" && !got.ok && got.state == "0A000") {
        ++tally_.declined;
        continue;
      }
      const std::string text = difference(want, got);
      if (!text.empty()) fail(side, sql, text);
      if (random_.chance(4)) note_path(side, sql);
    }
    if (want.ending == Ending::kError) {
      ++tally_.both_err;
    } else if (want.result.rows.empty()) {
      ++tally_.empty;
    } else {
      ++tally_.checks;
      tally_.distinct.insert(key);
    }
  }
}

void History::ask_some(Side& side, int count) {
  static const std::vector<std::string> kModes = {"auto", "auto", "auto", "off", "force", "all"};
  for (int i = 0; i < count; ++i) {
    Query query;
    if (random_.chance(60)) {
      query = panel_[random_.below(panel_.size())];
    } else if (&side == &reader_ && sqlite_ != nullptr && side.session->in_transaction()) {
      query = panel_[random_.below(panel_.size())];  // answers that were taken with the snapshot
    } else {
      query = model::random_query(random_, schema_, plan_.wishes);
    }
    ask(side, query, random_.pick(kModes));
  }
}

void History::mirror(const Statement& s) {
  if (sqlite_ == nullptr || s.act == Act::kCreateSummary || s.act == Act::kDropIndex) return;
  sqlite_->execute(model::print(s, model::Dialect::kSqlite));
}

void History::execute(Side& side, const Statement& s) {
  const std::string sql = model::print(s);
  if (trace) std::fprintf(stderr, "%s: %s;\n", side.name.c_str(), sql.c_str());
  log_.push_back(side.name + ": " + sql);
  const Outcome want = judged(side, s);
  ++tally_.statements;
  ++state_;
  if (side.peer != nullptr) {
    set_mode(side, "auto");
    const Reply got = side.peer->run(sql);
    Outcome compared = want;
    const bool counted = s.act >= Act::kInsert && s.act <= Act::kDelete;
    if (!counted && want.ending == Ending::kDone) compared.changes = got.changes;
    const std::string text = difference(compared, got);
    if (!text.empty()) fail(side, sql, text);
  }
  if (want.ending == Ending::kDone && &side == &writer_) mirror(s);
}

Outcome History::judged(Side& side, const Statement& s) {
  if (transcript_ == nullptr) return side.session->run(s);
  if (&side == &writer_) transcript_->before(*side.session, s);
  Outcome want = side.session->run(s);
  if (want.ending == Ending::kDone && s.act != Act::kQuery) {
    if (&side == &writer_) transcript_->after(*side.session, s);
    else transcript_->reader(s.act);
  }
  return want;
}

void History::write_answers() {
  if (transcript_ == nullptr || log_.size() % 2 == 1) return;
  set_mode(writer_, log_.size() % 4 == 0 ? "off" : "auto");
  transcript_->answers("writer", *writer_.peer, *writer_.session);
  if (!reader_.session->in_transaction()) return;
  set_mode(reader_, log_.size() % 4 == 0 ? "auto" : "off");
  transcript_->answers("reader", *reader_.peer, *reader_.session);
}

void History::load(const std::shared_ptr<const model::TableDef>& table, int64_t count) {
  std::vector<model::Row> rows;
  const bool is_fact = table == schema_.fact;
  const int64_t first = is_fact && random_.chance(20) ? random_.range(2, 5000) : 1;
  static const std::vector<std::vector<std::string>> kLists = {
      {"enterprise", "midmarket", "smb", "startup"}, {"north", "south", "east", "west"}, {"paid", "open", "overdue", "void", "draft"}};
  for (int64_t i = 0; i < count; ++i) {
    model::Row row = model::random_row(random_, *table, first + i, plan_.parents, false);
    for (size_t c = 0; plan_.ledger && c < row.size(); ++c) {
      const std::string& name = table->columns[c].name;
      if (name == "segment") row[c] = model::make_text(random_.pick(kLists[0]));
      if (name == "region") row[c] = model::make_text(random_.pick(kLists[1]));
      if (name == "status") row[c] = model::make_text(kLists[2][random_.chance(70) ? 0 : random_.below(5)]);
      if (name == "month" || name == "signup_cohort") {
        const uint64_t m = random_.below(24);
        row[c] = model::make_text(std::string(m < 12 ? "2024-" : "2025-") + (m % 12 < 9 ? "0" : "") + std::to_string(m % 12 + 1));
      }
      if (name == "country") row[c] = model::make_text("country " + std::to_string(random_.below(20)));
      if (name == "name") row[c] = model::make_text("Customer " + std::to_string(1000000 + i));
      if (name == "amount_cents") row[c] = model::make_int(500 + static_cast<int64_t>(random_.below(uint64_t{1} << (10 + random_.below(13)))));
      if (name == "due_day") row[c] = model::make_int(random_.range(0, 730));
    }
    rows.push_back(std::move(row));
  }
  const bool appended = count > 0 && random_.chance(50);
  const bool in_transaction = random_.chance(50);
  if (in_transaction) execute(writer_, model::control(Act::kBegin));
  const size_t chunk_rows = std::max<size_t>(400, rows.size() / 8);
  for (size_t at = 0; at < rows.size(); at += chunk_rows) {
    const std::vector<model::Row> chunk(rows.begin() + static_cast<std::ptrdiff_t>(at),
                                        rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), at + chunk_rows)));
    const Statement insert = model::insert_rows(table, chunk);
    if (!appended) {
      execute(writer_, insert);
      continue;
    }
    const Outcome want = judged(writer_, insert);
    if (writer_.peer != nullptr) {
      const std::string text = difference(want, writer_.peer->append(*table, chunk));
      if (!text.empty()) fail(writer_, "append to " + table->name, text);
    }
    if (trace) std::fprintf(stderr, "(appended) %s;\n", model::print(insert).c_str());
    if (want.ending == Ending::kDone && sqlite_ != nullptr) sqlite_->load(*table, chunk);
  }
  if (in_transaction) execute(writer_, model::control(Act::kCommit));
}

void History::create_summary(const model::SummaryDef& definition) { execute(writer_, model::create_summary(definition, schema_.fact)); }

void History::set_up() {
  schema_ = plan_.ledger ? model::ledger_schema(plan_.wishes.references) : model::random_schema(random_, plan_.wishes);
  if (plan_.threads > 0 && writer_.peer != nullptr) {
    for (Side* side : {&writer_, &reader_}) side->peer->run("SET threads = " + std::to_string(plan_.threads));
  }
  execute(writer_, model::create_table(schema_.parent));
  execute(writer_, model::create_table(schema_.fact));
  if (transcripts != nullptr && engine_ != nullptr && plan_.facts <= 100) transcript_ = std::make_unique<Transcript>(transcripts, name_, schema_);
  const bool early = random_.chance(35);  // summaries of an empty table, grown by the load
  const auto summaries = [&] {
    if (plan_.ledger) {
      create_summary({"s1", "invoices", {2, 3, 4}, {5, 7}});
      create_summary({"s2", "invoices", {1, 3}, {5}});
    } else if (random_.chance(75)) {
      create_summary(model::random_summary(random_, *schema_.fact, "s" + std::to_string(++summaries_made_)));
    }
  };
  if (early) summaries();
  load(schema_.parent, plan_.parents);
  load(schema_.fact, plan_.facts);
  if (!early) summaries();
  panel_ = model::standing_panel(random_, schema_, plan_.wishes);
  for (size_t i = 0; i < panel_.size(); ++i) {
    if (panel_[i].from.size() == 2) joins_.push_back(i);
    for (const model::ExprPtr& e : panel_[i].outputs) {
      if (panel_[i].group.empty() && e->op == model::Op::kAggregate && (e->fn == model::Fn::kMax || e->fn == model::Fn::kMin)) {
        extremes_.push_back(i);
        break;
      }
    }
  }
}

void History::transaction_step() {
  model::Session& session = *writer_.session;
  if (!session.in_transaction()) {
    execute(writer_, model::control(Act::kBegin));
    return;
  }
  const auto& points = session.savepoints();
  const uint64_t kind = random_.below(100);
  if (kind < 36 && points.size() < 4) {
    const bool again = !points.empty() && random_.chance(10);  // a name that shadows an earlier one
    execute(writer_, model::control(Act::kSavepoint, again ? points.back().first : "sp" + std::to_string(++savepoints_made_)));
  } else if (kind < 68 && !points.empty()) {
    execute(writer_, model::control(Act::kRollbackTo, points[random_.below(points.size())].first));
  } else if (kind < 74 && !points.empty()) {
    execute(writer_, model::control(Act::kRelease, points[random_.below(points.size())].first));
  } else if (kind < 90) {
    execute(writer_, model::control(Act::kCommit));
  } else {
    execute(writer_, model::control(Act::kRollback));
  }
}

// Back to an outer savepoint, over a newer one, and there again after more changes: what came after it must be gone, the newer savepoint too.
void History::nested_step() {
  if (!writer_.session->in_transaction()) execute(writer_, model::control(Act::kBegin));
  const std::string outer = "outer" + std::to_string(++savepoints_made_);
  execute(writer_, model::control(Act::kSavepoint, outer));
  change_step();
  execute(writer_, model::control(Act::kSavepoint, "inner" + std::to_string(++savepoints_made_)));
  for (int i = 0; i < 2; ++i) {
    change_step();
    execute(writer_, model::control(Act::kRollbackTo, outer));
  }
}

void History::change_step() {
  for (int tries = 0; tries < 20; ++tries) {
    const Statement s = model::random_change(random_, schema_, writer_.session->view(), plan_.wishes);
    if (sqlite_ != nullptr && !model::expressible(s)) continue;
    execute(writer_, s);
    return;
  }
}

// The largest value goes, the bound is asked for (and may be found again), and who still sees the row is asked too.
void History::chop_step() {
  const std::vector<int> columns = model::columns_of(*schema_.fact, {model::Role::kGrowing, model::Role::kHuge, model::Role::kSmall});
  const int column = columns[random_.below(columns.size())];
  execute(writer_, model::chop_extreme(random_, *schema_.fact, writer_.session->view(), column));
  if (writer_.session->in_transaction() && random_.chance(60)) execute(writer_, model::control(Act::kCommit));
  for (size_t i : extremes_) {
    ask(writer_, panel_[i], "auto");
    if (reader_.session->in_transaction()) ask(reader_, panel_[i], random_.chance(50) ? "auto" : "off");
  }
}

// A join is asked, and so kept; a reader's snapshot begins; rows change, and are committed; then both ask the join again.
void History::join_step() {
  if (joins_.empty()) return;
  if (writer_.session->in_transaction()) execute(writer_, model::control(Act::kCommit));
  const Query& query = panel_[joins_[random_.below(joins_.size())]];
  ask(writer_, query, "auto");
  if (plan_.snapshots && !reader_.session->in_transaction()) begin_snapshot();
  for (uint64_t n = 1 + random_.below(3); n > 0; --n) change_step();
  if (writer_.session->in_transaction()) execute(writer_, model::control(Act::kCommit));
  if (reader_.session->in_transaction()) ask(reader_, query, "auto");
  ask(writer_, query, "auto");
}

void History::summary_step() {
  const auto& existing = writer_.session->view().summaries;
  if (plan_.ledger || existing.size() >= 3 || (!existing.empty() && random_.chance(30))) {
    if (existing.empty()) return;
    auto it = existing.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(random_.below(existing.size())));
    if (!plan_.ledger) {
      execute(writer_, model::control(Act::kDropIndex, it->first));
      return;
    }
    const model::SummaryDef again = it->second;  // the ledger keeps both: dropped and made again
    execute(writer_, model::control(Act::kDropIndex, again.name));
    create_summary(again);
    return;
  }
  create_summary(model::random_summary(random_, *schema_.fact, "s" + std::to_string(++summaries_made_)));
}

void History::begin_snapshot() {
  execute(reader_, model::control(Act::kBegin));
  at_snapshot_.clear();
  // The SQLite judge has one connection: it can answer for the snapshot only while the writer has nothing uncommitted.
  if (sqlite_ != nullptr && !writer_.session->in_transaction()) {
    for (const Query& q : panel_) {
      if (model::expressible(q)) at_snapshot_[model::print(q)] = sqlite_->query(q);
    }
  }
  ask(reader_, panel_[0], "auto");
}

void History::reader_step() {
  if (!reader_.session->in_transaction()) {
    if (!random_.chance(70)) begin_snapshot();
    return;
  }
  if (random_.chance(12)) {
    execute(reader_, model::control(random_.chance(50) ? Act::kCommit : Act::kRollback));
    at_snapshot_.clear();
    return;
  }
  if (random_.chance(55)) ask_some(reader_, 2);
}

void History::step() {
  const bool inside = writer_.session->in_transaction();
  const uint64_t kind = random_.below(100);
  if (transcript_ != nullptr && random_.chance(5)) {
    nested_step();
  } else if (kind < (inside ? 34u : 16u)) {
    transaction_step();
  } else if (kind < (inside ? 41u : 24u)) {
    chop_step();
  } else if (kind < (inside ? 45u : 30u)) {
    summary_step();
  } else if (kind < (inside ? 48u : 38u)) {
    join_step();
  } else {
    change_step();
  }
  ask_some(writer_, plan_.panel);
  if (plan_.snapshots) reader_step();
  write_answers();
}

void History::verify_summaries() {
  if (writer_.peer == nullptr) return;
  for (const auto& [name, definition] : writer_.session->view().summaries) {
    const Reply reply = writer_.peer->run("SELECT * FROM summary_verify('" + name + "')");
    if (!reply.ok || reply.rows.size() != 1 || reply.rows[0].size() < 2) fail(writer_, "summary_verify " + name, reply.state + " " + reply.message);
    ++tally_.verified;
    if (reply.rows[0][1].text != "0") {
      throw Failure{"self-check", "summary_verify('" + name + "'): " + reply.rows[0][1].text + " differences"};
    }
  }
}

void History::finish() {
  if (reader_.session->in_transaction()) {
    ask_some(reader_, 2);
    execute(reader_, model::control(Act::kCommit));
    at_snapshot_.clear();
  }
  if (writer_.session->in_transaction()) execute(writer_, model::control(random_.chance(70) ? Act::kCommit : Act::kRollback));
  for (const Query& query : panel_) {
    if (plan_.facts <= 20000 || random_.chance(25)) ask(writer_, query, "all");
  }
  ask_some(reader_, 2);
  verify_summaries();
}

void History::run() {
  set_up();
  ask_some(writer_, plan_.panel);
  for (int i = 0; i < plan_.steps; ++i) step();
  finish();
}

}  // namespace judge
