// Identities that need no second engine: a condition, its negation and its unknown part make the whole; what WHERE keeps is what the
// condition says when it is merely selected; SELECT, UPDATE and DELETE touch the same rows. Each under settings that must not
// change an answer, and inside of BEGIN ... ROLLBACK with the same totals before and after.
//
// Invariants checked: ID1 ternary logic partitioning of rows, aggregates, groups, HAVING and joins; ID2 the non-optimising comparison; ID3 the
// same rows for SELECT, UPDATE and DELETE, and totals by summary = totals by scan on the way; ID4 the same answer under all settings
// (summaries, limbs, zone sums, block cells, indexes, threads). EX1 by planted faults.
#include <algorithm>
#include <map>
#include <set>

#include "experiment.h"
#include "laws.h"

namespace judge {

namespace {

using model::Big;
using Rows = std::vector<std::string>;

const char* const kFrom[] = {"f", "f JOIN p ON f.k = p.pid", "f LEFT JOIN p ON f.k = p.pid"};
const char* const kTotals = "SELECT g, k, COUNT(*), COUNT(n), sum_exact(n), sum_exact(h), SUM(m), MIN(n), MAX(h) FROM f GROUP BY g, k ORDER BY g, k";

// ---- The database ------------------------------------------------------------------------------------------------------
std::string value(model::Random& r, char type, bool small = false) {
  static const std::vector<std::string> kWords = {"'a'", "'b'", "'ab'", "'A'", "''", "'é'", "'a_b'"};
  static const std::vector<std::string> kHuge = {"9223372036854775807", "-9223372036854775807", "4294967296", "-129", "70000"};
  if (!small && r.chance(14)) return "NULL";
  switch (type) {
    case 'b':
      return r.chance(50) ? "TRUE" : "FALSE";
    case 'h':
      return r.chance(30) ? r.pick(kHuge) : std::to_string(r.range(-200, 200));
    case 'm':
      return std::to_string(r.range(-40, 40)) + "." + std::to_string(r.range(0, 3) * 25 + 10).substr(0, 2);
    case 'x':
      return r.chance(20) ? "1e300" : std::to_string(r.range(-9, 9)) + ".5e0";
    case 't':
      return r.pick(kWords);
    case 'd':
      return "DATE '20" + std::to_string(r.range(19, 22)) + "-0" + std::to_string(r.range(1, 9)) + "-15'";
    default:
      return std::to_string(r.range(-12, 60));
  }
}

void indexes(model::Random& r, Rows& setup) {
  if (r.chance(70)) setup.push_back("CREATE INDEX s ON f USING SUMMARY (g, k) INCLUDE (n, h, m)");
  if (r.chance(40)) setup.push_back("CREATE INDEX s2 ON f USING SUMMARY (l, g) INCLUDE (n)");
  if (r.chance(40)) setup.push_back("CREATE UNIQUE INDEX fn ON f(n, id)");
  if (r.chance(30)) setup.push_back("CREATE UNIQUE INDEX fg ON f(id, g)");
}

Rows set_up(model::Random& r, bool blocks) {
  Rows out = {"CREATE TABLE p(pid BIGINT PRIMARY KEY, seg TEXT, w BIGINT)",
              "CREATE TABLE f(id BIGINT PRIMARY KEY, k BIGINT REFERENCES p(pid), g TEXT, n BIGINT, h BIGINT, m DECIMAL(12,2), x DOUBLE, d DATE, l BOOLEAN, "
              "mark BIGINT)"};
  const bool before = r.chance(50);
  if (before) indexes(r, out);
  const int64_t parents = r.range(2, 8);
  for (int64_t i = 1; i <= parents; ++i) out.push_back("INSERT INTO p VALUES (" + std::to_string(i) + ", " + value(r, 't') + ", " + value(r, 'i') + ")");
  const int64_t rows = r.chance(10) ? r.range(0, 3) : r.range(8, 40);
  for (int64_t i = 1; i <= rows; ++i) {
    std::string row = "INSERT INTO f VALUES (" + std::to_string(i) + ", " + (r.chance(15) ? "NULL" : std::to_string(r.range(1, parents)));
    for (const char type : std::string("tihmxdb")) row += ", " + value(r, type);
    out.push_back(row + ", 0)");
  }
  for (int64_t have = rows, shift = 1000; blocks && have > 0 && have < 34000; have *= 2, shift *= 2) {  // three blocks
    out.push_back("INSERT INTO f SELECT id + " + std::to_string(shift) + ", k, g, n + " + std::to_string(r.range(0, 1)) + ", h, m, x, d, l, mark FROM f");
  }
  if (!before) indexes(r, out);
  if (r.chance(60)) out.push_back("DELETE FROM f WHERE id % 7 = 3");
  if (r.chance(60)) out.push_back("UPDATE f SET n = n + 1, h = NULL WHERE id % 5 = 2");
  if (r.chance(30)) out.push_back("UPDATE p SET seg = 'zz' WHERE pid = 2");
  return out;
}

struct Switch {
  const char* name;
  std::vector<const char*> values;
};
const std::vector<Switch>& switches() {
  static const std::vector<Switch> kSwitches = {{"summary_mode", {"auto", "off"}}, {"limbs", {"on", "off"}},   {"zone_sums", {"on", "off"}},
                                                {"block_cells", {"on", "off"}},    {"indexes", {"on", "off"}}, {"threads", {"1", "4", "2"}}};
  return kSwitches;
}
Rows random_settings(model::Random& r) {
  const uint64_t kind = r.below(4);  // all on, all off, or a mixture
  Rows out;
  for (const Switch& s : switches()) out.push_back(std::string("SET ") + s.name + " = " + s.values[kind < 2 ? kind : r.below(s.values.size())]);
  return out;
}

std::vector<TextColumn> columns(bool joined) {
  std::vector<TextColumn> out = {{"id", 'i'}, {"k", 'i'}, {"g", 't'}, {"n", 'i'}, {"n", 'i'}, {"h", 'h'}, {"m", 'm'}, {"x", 'x'}, {"d", 'd'}, {"l", 'b'}};
  if (joined) out.insert(out.end(), {{"pid", 'i'}, {"seg", 't'}, {"w", 'i'}});
  return out;
}

// ---- ID1: a condition, its negation, and where it is unknown -----------------------------------------------------------
Rows parts_of(const std::string& p) { return {p, "(NOT " + p + ")", "(" + p + " IS NULL)"}; }

std::string compared(const std::string& law, const Rows& got, const Rows& want) {
  if (got == want) return "";
  return law + ": " + std::to_string(got.size()) + " rows, not " + std::to_string(want.size()) + ": " + Script::joined(got).substr(0, 200) + " and " +
         Script::joined(want).substr(0, 200);
}

Law partition_rows(const std::string& from) {
  return [from](Script& s, const Experiment& e) {
    const std::string list = "SELECT id, n, g FROM " + from;
    Rows whole = s.sorted(list), parts;
    for (const std::string& part : parts_of(print(*e.expression))) {
      for (const std::string& row : s.rows(list + " WHERE " + part)) parts.push_back(row);
    }
    std::sort(parts.begin(), parts.end());
    return compared("ID1: the rows of the three parts are not the rows", parts, whole);
  };
}

// Sums and counts add up; of MIN and MAX the least and the largest are taken; DISTINCT is the union.
std::string add_up(Script& s, const std::string& from, const Rows& parts, size_t keys) {
  const std::string by = keys > 0 ? "g, " : "";
  const std::string list =
      "SELECT " + by + "COUNT(*), COUNT(n), sum_exact(n), sum_exact(h), SUM(CAST(m * 100 AS BIGINT)), -MIN(n), MAX(n), MAX(id) FROM " + from;
  const std::string group = keys > 0 ? " GROUP BY g" : "";
  const auto fold = [&](std::map<std::string, std::vector<Big>>& into, const std::string& where) {
    for (const std::vector<Cell>& row : s.run(list + where + group).rows) {
      std::vector<Big>& cell = into[keys == 0 ? "" : row[0].null ? "NULL" : "'" + row[0].text];
      const bool fresh = cell.empty();
      cell.resize(8);
      for (size_t i = 0; i < 8; ++i) {
        const Big x = row[keys + i].null ? Big(i < 5 ? 0 : -1000000000) : Big(row[keys + i].text);
        cell[i] = i < 5 ? Big(cell[i] + x) : fresh ? x : std::max(cell[i], x);
      }
    }
  };
  std::map<std::string, std::vector<Big>> whole, sum;
  fold(whole, "");
  for (const std::string& part : parts) fold(sum, " WHERE " + part);
  return whole == sum ? "" : "ID1: the totals of the three parts do not add up to the whole's";
}

Law partition_totals(const std::string& from, size_t keys) {
  return [from, keys](Script& s, const Experiment& e) { return add_up(s, from, parts_of(print(*e.expression)), keys); };
}

Law partition_distinct(const std::string& from) {
  return [from](Script& s, const Experiment& e) {
    const std::string list = "SELECT DISTINCT g, l FROM " + from;
    std::set<std::string> parts;
    for (const std::string& part : parts_of(print(*e.expression))) {
      for (const std::string& row : s.rows(list + " WHERE " + part)) parts.insert(row);
    }
    return compared("ID1: DISTINCT of the parts", {parts.begin(), parts.end()}, s.sorted(list));
  };
}

Law partition_having(const std::string& from) {
  return [from](Script& s, const Experiment& e) {
    const std::string list = "SELECT g, COUNT(*), SUM(m), MIN(n) FROM " + from + " GROUP BY g";
    Rows parts, whole = s.sorted(list);
    for (const std::string& part : parts_of(print(*e.expression))) {
      for (const std::string& row : s.rows(list + " HAVING " + part)) parts.push_back(row);
    }
    std::sort(parts.begin(), parts.end());
    return compared("ID1: the groups of HAVING's three parts are not the groups", parts, whole);
  };
}

std::string partition_join(Script& s, const Experiment& e) {
  Rows parts, whole = s.sorted("SELECT id, pid FROM f CROSS JOIN p");
  for (const std::string& part : parts_of(print(*e.expression))) {
    for (const std::string& row : s.rows("SELECT id, pid FROM f JOIN p ON " + part)) parts.push_back(row);
  }
  std::sort(parts.begin(), parts.end());
  return compared("ID1: the joins by the three parts are not the cross join", parts, whole);
}

// ---- ID2: what WHERE keeps is where the condition, merely selected, is true ---------------------------------------------
Law not_optimised(const std::string& from) {
  return [from](Script& s, const Experiment& e) -> std::string {
    const std::string p = print(*e.expression);
    Rows kept = s.rows("SELECT id FROM " + from + " WHERE " + p + " ORDER BY id"), told;
    uint64_t truths = 0;
    for (const std::vector<Cell>& row : s.run("SELECT id, " + p + " FROM " + from + " ORDER BY id").rows) {
      if (!row[1].null && row[1].text == "true") told.push_back("'" + row[0].text + "'"), ++truths;
    }
    if (std::string text = compared("ID2: WHERE and the condition selected", kept, told); !text.empty()) return text;
    const std::string count = "'" + std::to_string(truths) + "'";
    if (s.one("SELECT COUNT(*) FROM " + from + " WHERE " + p) != count) return "ID2: COUNT(*) under WHERE is not " + count;
    if (s.one("SELECT COUNT(CASE WHEN " + p + " THEN 1 END) FROM " + from) != count) return "ID2: COUNT of the condition's CASE is not " + count;
    const std::string sums = s.one("SELECT sum_exact(h), MIN(n), COUNT(DISTINCT g), SUM(x) FROM " + from + " WHERE " + p);
    const std::string cases = s.one("SELECT sum_exact(CASE WHEN " + p + " THEN h END), MIN(CASE WHEN " + p + " THEN n END), COUNT(DISTINCT CASE WHEN " + p +
                                    " THEN g END), SUM(CASE WHEN " + p + " THEN x END) FROM " + from);
    return sums == cases ? "" : "ID2: totals under WHERE and totals of CASE: " + sums + " and " + cases;
  };
}

// ---- ID3: SELECT, UPDATE and DELETE mean the same rows --------------------------------------------------------------------
std::string same_rows(Script& s, const Experiment& e) {
  const std::string p = print(*e.expression);
  const std::string scan_totals = std::string(kTotals).replace(std::string(kTotals).find(" FROM f"), 7, " FROM f WHERE id IS NOT NULL");
  const Rows all = s.rows("SELECT id FROM f ORDER BY id"), chosen = s.rows("SELECT id FROM f WHERE " + p + " ORDER BY id");
  const std::string before = s.one(kTotals);
  if (before != s.one(scan_totals)) return "ID3: totals and their scan";
  s.run("BEGIN");
  const int64_t updated = s.run("UPDATE f SET mark = 7, n = n - 3, g = 'moved' WHERE " + p).changes;
  if (updated != static_cast<int64_t>(chosen.size())) return "ID3: UPDATE changed " + std::to_string(updated) + " rows of " + std::to_string(chosen.size());
  if (std::string text = compared("ID3: UPDATE and SELECT", s.rows("SELECT id FROM f WHERE mark = 7 ORDER BY id"), chosen); !text.empty()) return text;
  if (s.one(kTotals) != s.one(scan_totals)) return "ID3: totals and their scan, after UPDATE";
  s.run("ROLLBACK");
  if (s.one(kTotals) != before) return "ID3: other totals after UPDATE and ROLLBACK";
  s.run("BEGIN");
  s.run("SAVEPOINT a");
  const int64_t deleted = s.run("DELETE FROM f WHERE " + p).changes;
  if (deleted != static_cast<int64_t>(chosen.size())) return "ID3: DELETE took " + std::to_string(deleted) + " rows of " + std::to_string(chosen.size());
  Rows left;
  std::set_difference(all.begin(), all.end(), chosen.begin(), chosen.end(), std::back_inserter(left), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // as numbers: ids are not negative
  });
  if (std::string text = compared("ID3: DELETE left", s.rows("SELECT id FROM f ORDER BY id"), left); !text.empty()) return text;
  if (s.one(kTotals) != s.one(scan_totals)) return "ID3: totals and their scan, after DELETE";
  s.run("ROLLBACK TO a");
  if (s.one(kTotals) != before) return "ID3: other totals after DELETE and ROLLBACK TO";
  s.run("ROLLBACK");
  return s.rows("SELECT id FROM f ORDER BY id") == all && s.one(kTotals) == before ? "" : "ID3: other rows after ROLLBACK";
}

// ---- ID4: settings choose how an answer is found, never which -------------------------------------------------------------
Law same_answer(const std::string& from) {
  return [from](Script& s, const Experiment& e) -> std::string {
    const std::string p = print(*e.expression);
    const Rows questions = {"SELECT COUNT(*), sum_exact(n), sum_exact(h), SUM(m), AVG(n), SUM(x), MIN(h), MAX(n) FROM " + from + " WHERE " + p,
                            "SELECT g, COUNT(*), COUNT(n), sum_exact(h), AVG(m), MAX(d) FROM " + from + " WHERE " + p + " GROUP BY g",
                            "SELECT id, h FROM " + from + " WHERE " + p + " ORDER BY h DESC, id LIMIT 7"};
    Rows first, first_sorted;
    for (size_t with = 0; with < 2 + switches().size(); ++with) {  // all on, all off, one off
      const bool only_threads = with == 1 + switches().size();     // then the bytes are the same, order included (C17)
      for (size_t i = 0; i < switches().size(); ++i) {
        const Switch& one = switches()[i];
        s.run(std::string("SET ") + one.name + " = " + one.values[with == 1 || with == i + 2 ? 1 : 0]);
      }
      Rows answers, sorted;
      for (const std::string& question : questions) {
        Rows rows = s.rows(question);
        answers.push_back(Script::joined(rows));
        std::sort(rows.begin(), rows.end());
        sorted.push_back(Script::joined(rows));
      }
      if (with == 0) first = answers, first_sorted = sorted;
      for (size_t i = 0; i < questions.size(); ++i) {
        const bool as_list = only_threads || i == 2;  // groups have no order of their own
        if (as_list ? answers[i] != first[i] : sorted[i] != first_sorted[i])
          return "ID4: other settings, another answer: " + answers[i].substr(0, 150) + " and " + first[i].substr(0, 150) + " of " + questions[i];
      }
    }
    return "";
  };
}

// ---- Cases ------------------------------------------------------------------------------------------------------------------
struct Kind {
  const char* name;
  bool joined, changes;
  Law law;
};

std::vector<Kind> kinds(model::Random& r) {
  const std::string from = kFrom[r.below(3)];
  const bool joined = from != "f";
  return {{"rows", joined, false, partition_rows(from)},         {"totals", joined, false, partition_totals(from, 0)},
          {"groups", joined, false, partition_totals(from, 1)},  {"distinct", joined, false, partition_distinct(from)},
          {"having", false, false, partition_having(from)},      {"join", true, false, partition_join},
          {"not-optimised", joined, false, not_optimised(from)}, {"same-rows", false, true, same_rows},
          {"same-answer", joined, false, same_answer(from)}};
}

std::unique_ptr<Peer> new_engine();

// A connection that keeps its database alive.
class OwnEngine : public Peer {
 public:
  OwnEngine() : connection_(engine_.connection()) {}
  Reply run(const std::string& sql) override { return connection_->run(sql); }
  Reply append(const model::TableDef& table, const std::vector<model::Row>& rows) override { return connection_->append(table, rows); }

 private:
  Engine engine_;
  std::unique_ptr<Connection> connection_;
};
std::unique_ptr<Peer> new_engine() { return std::make_unique<OwnEngine>(); }

}  // namespace

void identities(Context& context, const std::string& name, bool blocks, int rounds) {
  model::Random& r = context.random;
  Experiment e;
  e.setup = set_up(r, blocks);
  const std::unique_ptr<Peer> peer = new_engine();
  for (const std::string& sql : e.setup) {
    if (History::trace) std::fprintf(stderr, "%s;\n", sql.c_str());
    const Reply reply = peer->run(sql);
    if (!reply.ok) throw Failure{"wrong-result", reply.state + " " + reply.message + "\n  " + sql};
  }
  int refused = 0, all = 0;
  for (int round = 0; round < rounds; ++round) {
    e.settings = random_settings(r);
    for (const std::string& sql : e.settings) peer->run(sql);
    for (const Kind& kind : kinds(r)) {
      if (blocks && (kind.law == nullptr || std::string(kind.name) == "join")) continue;  // too many pairs
      const bool having = std::string(kind.name) == "having";
      ScalarText texts(r, having ? std::vector<TextColumn>{{"g", 't'},
                                                           {"COUNT(*)", 'i'},
                                                           {"MAX(n)", 'i'},
                                                           {"SUM(m)", 'm'},
                                                           {"SUM(n)", 'i'},
                                                           {"MIN(d)", 'd'},
                                                           {"COUNT(DISTINCT l)", 'i'}}
                                 : columns(kind.joined));
      e.expression = texts.make('b', static_cast<int>(r.range(1, 3)));
      const Trial trial = ask(*peer, e, kind.law);
      ++all;
      if (trial.verdict == Verdict::kRefused) ++refused;
      if (trial.verdict == Verdict::kHolds) report::checked();
      if (trial.verdict == Verdict::kBroken) report_broken(new_engine, e, kind.law, name, trial);
    }
  }
  require(refused * 10 <= all, std::to_string(refused) + " of " + std::to_string(all) + " identities were not tried: a value was refused");
}

namespace {

// ---- The shrinker, shown engines that err -----------------------------------------------------------------------------------
// Loses the row with id 5 wherever a statement says `where` and not `unless`.
class Planted : public OwnEngine {
 public:
  explicit Planted(std::string where) : where_(std::move(where)) {}
  Reply run(const std::string& sql) override {
    Reply reply = OwnEngine::run(sql);
    if (sql.find(where_) == std::string::npos || sql.find("INSERT") == 0) return reply;
    for (size_t i = 0; i < reply.rows.size(); ++i) {
      if (reply.rows[i][0].text == "5") {
        reply.rows.erase(reply.rows.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    }
    return reply;
  }

 private:
  const std::string where_;
};

void shrinker(Context& context, const std::string& where, const Law& law) {
  const NewPeer planted = [&] { return std::make_unique<Planted>(where); };
  model::Random& r = context.random;
  for (int tries = 0; tries < 200; ++tries) {
    Experiment e;
    e.setup = set_up(r, false);
    e.settings = random_settings(r);
    e.expression = ScalarText(r, columns(false)).make('b', 3);
    if (attempt(planted, e, law).verdict != Verdict::kBroken) continue;
    require(attempt(new_engine, e, law).verdict == Verdict::kHolds, "the fault was planted, and a healthy engine breaks the law too");
    const Experiment small = shrink(planted, e, law, 1500);
    const Trial trial = attempt(planted, small, law);
    require(trial.verdict == Verdict::kBroken, "EX1: what was left does not break the law");
    require(small.setup.size() <= 4 && small.settings.empty() && size_of(*small.expression) <= 4, "not small: " + script_of(small, trial));
    return;
  }
  throw Failure{"wrong-result", "no experiment met the planted fault"};
}

}  // namespace

std::vector<Case> identity_laws() {
  std::vector<Case> cases;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "identities-" + std::to_string(i);
    cases.push_back({name, "ID1", [=](Context& c) { identities(c, name, false, 16); }});
  }
  for (int i = 0; i < 3; ++i) {
    const std::string name = "identities-blocks-" + std::to_string(i);
    cases.push_back({name, "ID4", [=](Context& c) { identities(c, name, true, 1); }});
  }
  cases.push_back({"shrinker-where", "EX1", [](Context& c) { shrinker(c, " WHERE ", partition_rows("f")); }});
  cases.push_back({"shrinker-not", "EX1", [](Context& c) { shrinker(c, "(NOT ", partition_rows("f")); }});
  return cases;
}

}  // namespace judge
