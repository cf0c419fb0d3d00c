#include "isolation_record.h"

#include <algorithm>

#include "inside.h"
#include "laws.h"

namespace judge {

void set_up_lists(Connection& c, const RecordPlan& plan) {
  for (const char* table : {"r0", "r1"}) {
    must(c, std::string("CREATE TABLE ") + table + "(k BIGINT PRIMARY KEY, g BIGINT, h TEXT, n BIGINT)");
    for (int64_t have = 1; plan.filler > 0 && have <= plan.filler; have *= 2) {
      if (have == 1) must(c, std::string("INSERT INTO ") + table + " VALUES (1000, -1, '', 0)");
      must(c, std::string("INSERT INTO ") + table + " SELECT k + " + std::to_string(have) + ", g, h, n FROM " + table);
    }
  }
  for (int key = 0; key < plan.keys; ++key)
    must(c, "INSERT INTO r" + std::to_string(key % 2) + " VALUES (" + std::to_string(key) + ", " + std::to_string(key / 2 % 2) + ", '', 0)");
  if (!plan.summary) return;
  for (const char* table : {"r0", "r1"}) must(c, std::string("CREATE INDEX s_") + table + " ON " + table + " USING SUMMARY (g) INCLUDE (n)");
}

Recorder::Recorder(Connection& connection, RecordClock& clock, const RecordPlan& plan, model::Random random)
    : connection_(connection), clock_(clock), plan_(plan), random_(random) {}

// Of the transaction that is open; the engine's own word, which check() does not use.
uint64_t Recorder::snapshot() { return inside::snapshot_of(connection_.handle()); }

bool Recorder::run(const std::string& sql, Reply& reply) {
  reply = connection_.run(sql);
  if (reply.ok) return true;
  if (reply.state != "40001" && reply.state != "55P03") throw Failure{"wrong-result", reply.state + " " + reply.message + "\n  " + sql};
  ++refused_;
  end(false);
  return false;
}

void Recorder::note(Act act) {
  act.snapshot = snapshot();
  now_.acts.push_back(std::move(act));
}

void Recorder::begin() {
  now_ = Transaction{};
  mark_ = SIZE_MAX;
  now_.began = clock_.stamp++;
  open_ = true;
  wanted_ = static_cast<int>(random_.range(1, 6));
  Reply reply;
  run("BEGIN", reply);
}

void Recorder::end(bool commit) {
  std::function<uint64_t()> number;
  if (commit) number = inside::commit_of(connection_.handle());
  const Reply reply = connection_.run(commit ? "COMMIT" : "ROLLBACK");
  if (!reply.ok) throw Failure{"wrong-result", reply.state + " " + reply.message + " at the end of a transaction"};
  now_.ended = clock_.stamp++;
  now_.end = commit ? Transaction::End::kCommitted : Transaction::End::kAborted;
  if (number && now_.writes()) now_.commit = number();
  open_ = false;
  done_.push_back(std::move(now_));
}

void Recorder::finish() {
  if (open_) end(random_.chance(85));
}

void Recorder::step() {
  if (!open_) begin();
  if (wanted_-- <= 0) return end(random_.chance(85));
  const uint64_t kind = random_.below(20);
  if (kind < 7)
    append();
  else if (kind < 12)
    read();
  else if (kind < 14)
    read_table();
  else if (kind < 18)
    total();
  else
    savepoint();
}

const Act* Recorder::last_read(int key) const {
  for (auto a = now_.acts.rbegin(); a != now_.acts.rend(); ++a) {
    if (a->key != key || a->kind == Act::Kind::kTotal) continue;
    return a->kind == Act::Kind::kRead ? &*a : nullptr;
  }
  return nullptr;
}

void Recorder::append() {
  Act act;
  act.kind = Act::Kind::kAppend;
  act.key = static_cast<int>(random_.below(static_cast<uint64_t>(plan_.keys)));
  act.number = clock_.number++;
  const std::string table = table_of(act.key), key = std::to_string(act.key), number = std::to_string(act.number);
  Reply reply;
  const Act* read = last_read(act.key);
  if (read != nullptr && random_.chance(60)) {  // the row is written anew, from what was read
    std::string list;
    for (const int64_t x : read->list) list += "," + std::to_string(x);
    const std::string length = std::to_string(read->list.size() + 1);
    if (!run("DELETE FROM " + table + " WHERE k = " + key, reply)) return;
    if (!run("INSERT INTO " + table + " VALUES (" + key + ", " + std::to_string(act.key / 2 % 2) + ", '" + list + "," + number + "', " + length + ")", reply))
      return;
  } else {
    if (!run("UPDATE " + table + " SET h = h || '," + number + "', n = n + 1 WHERE k = " + key, reply)) return;
    require(reply.changes == 1, "the row of list " + key + " is not there");
  }
  note(std::move(act));
}

namespace {

std::vector<int64_t> list_of(const std::string& text) {
  std::vector<int64_t> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at + 1), text.size());
    out.push_back(std::stoll(text.substr(at + 1, end - at - 1)));
    at = end;
  }
  return out;
}

}  // namespace

void Recorder::read() {
  Act act;
  act.key = static_cast<int>(random_.below(static_cast<uint64_t>(plan_.keys)));
  Reply reply;
  if (!run("SELECT h, n FROM " + table_of(act.key) + " WHERE k = " + std::to_string(act.key), reply)) return;
  require(reply.rows.size() == 1, "list " + std::to_string(act.key) + " has " + std::to_string(reply.rows.size()) + " rows");
  act.list = list_of(reply.rows[0][0].text);
  require(std::to_string(act.list.size()) == reply.rows[0][1].text, "a list and its length differ in one row: " + Scene::text_of(reply));
  note(std::move(act));
}

void Recorder::read_table() {
  const int odd = random_.chance(50) ? 1 : 0;
  Reply reply;
  if (!run("SELECT k, h FROM r" + std::to_string(odd) + " WHERE g >= 0 ORDER BY k", reply)) return;
  require(static_cast<int>(reply.rows.size()) == (plan_.keys + 1 - odd) / 2, "a scan sees " + std::to_string(reply.rows.size()) + " lists");
  for (const auto& row : reply.rows) {
    Act act;
    act.key = std::stoi(row[0].text);
    act.list = list_of(row[1].text);
    note(std::move(act));
  }
}

void Recorder::total() {
  Act act;
  act.kind = Act::Kind::kTotal;
  const int odd = random_.chance(50) ? 1 : 0;
  const bool by_group = random_.chance(50);
  const int group = random_.chance(50) ? 1 : 0;
  for (int key = odd; key < plan_.keys; key += 2) {
    if (!by_group || key / 2 % 2 == group) act.keys.push_back(key);
  }
  std::string sql = "SELECT SUM(n), COUNT(*) FROM r" + std::to_string(odd);
  if (by_group) sql += " WHERE g = " + std::to_string(group);
  if (!by_group && random_.chance(30)) sql += " WHERE k >= 0";
  Reply reply;
  if (random_.chance(30) && !run(random_.chance(50) ? "SET summary_mode = off" : "SET summary_mode = auto", reply)) return;
  if (!run(sql, reply)) return;
  act.number = reply.rows.at(0).at(0).null ? 0 : std::stoll(reply.rows[0][0].text);
  note(std::move(act));
}

void Recorder::savepoint() {
  Reply reply;
  if (mark_ == SIZE_MAX) {
    run("SAVEPOINT a", reply);
    mark_ = now_.acts.size();
    return;
  }
  run("ROLLBACK TO a", reply);
  for (size_t i = mark_; i < now_.acts.size(); ++i) {
    if (now_.acts[i].kind == Act::Kind::kAppend) now_.undone.push_back(now_.acts[i].number);
  }
  now_.acts.resize(mark_);
}

void Recorder::read_all() {
  begin();
  for (int table = 0; table < 2; ++table) {
    Reply reply;
    run("SELECT k, h FROM r" + std::to_string(table) + " WHERE g >= 0 ORDER BY k", reply);
    for (const auto& row : reply.rows) {
      Act act;
      act.key = std::stoi(row[0].text);
      act.list = list_of(row[1].text);
      note(std::move(act));
    }
  }
  end(true);
}

std::string judged(const ConcurrentHistory& history) {
  std::string out;
  for (const Anomaly& a : check(history, Level::kStrict)) out += (out.empty() ? "" : "\n  ") + a.name + ": " + a.text;
  if (!inside::has_numbers()) return out;
  for (const Anomaly& a : check_numbers(history)) out += (out.empty() ? "" : "\n  ") + ("by commit numbers, " + a.name) + ": " + a.text;
  return out;
}

}  // namespace judge
