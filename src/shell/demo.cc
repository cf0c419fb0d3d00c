#include "shell/demo.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "include/holodb/holodb.hpp"
#include "shell/demo_model.h"
#include "shell/ledger.h"
#include "shell/render.h"
#include "shell/terminal.h"
#include "shell/utf8.h"
#include "shell/verify.h"

namespace hdb::shell {

namespace {

constexpr uint64_t kLookups = 1'000;

// One question, asked once in one state of the database.
struct Asked {
  std::string rows;   // every row, its values joined by '|'
  std::string path;   // "summary s1"
  double seconds = 0; // the median of several runs; for Q6, of one lookup
  std::string error;
};
using Round = std::vector<Asked>;

std::string row_text(const holodb::Row& row) {
  std::string text;
  for (int i = 0; i < row.size(); ++i) {
    if (i > 0) text += '|';
    text += row.is_null(i) ? "NULL" : row.get<std::string>(i);
  }
  return text + "\n";
}

// "    summary s2 on invoices ..." -> "summary s2"; empty if the line is no access node.
std::string access_path(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  for (const std::string_view name : {"zone sums", "block cells", "scan"}) {
    if (line.starts_with(name)) return std::string(name);
  }
  if (line.starts_with("index")) return "index";
  if (line.starts_with("limb (")) return "limb";  // kept from first use: it has no name, only its columns
  for (const std::string_view kind : {"summary ", "limb "}) {
    if (line.starts_with(kind)) return std::string(line.substr(0, line.find(' ', kind.size())));
  }
  return "";
}

class Demo {
 public:
  explicit Demo(uint64_t invoices) : ledger_(invoices), model_(ledger_), connection_(database_), style_(Style::of(stdout)) {
    // A burst big enough to touch every summary cell, small enough to take a moment.
    changes_ = std::clamp<uint64_t>(invoices / 300, 100, 1'500);
  }

  bool run() {
    std::printf("\n%sHoloDb %s%s  a ledger of %s invoices for %s customers, in memory\n\n", style_.bold(), holodb::version(), style_.reset(),
                format_count(ledger_.invoices()).c_str(), format_count(ledger_.customers()).c_str());
    load();
    const Round alone = ask_all("asking, without summaries");
    summary("s1", "region, status, month", kLedgerSummary1);
    summary("s2", "customer_id, status", kLedgerSummary2);
    const Round served = ask_all("asking, with summaries");
    compare("%s answers with the summaries equal those without", alone, served);
    compare_model("%s answers equal what the generator counted by itself", served);
    rolled_back_burst(served);
    burst();
    const Round after = ask_all("asking, after the burst");
    compare_model("%s answers after the burst equal the generator's count", after);
    connection_.execute("SET summary_mode = off");
    const Round off = ask_all("asking, without summaries again", false);
    connection_.execute("SET summary_mode = auto");
    compare("%s answers after the burst equal those of summary_mode = off", off, after);
    print_table(alone, served, after);
    verify();
    print_checks();
    return failed_checks_ == 0;
  }

 private:
  struct Check {
    bool good;
    std::string text;
  };

  void load() {
    connection_.execute(kLedgerTables);
    const uint64_t rows = ledger_.customers() + ledger_.invoices();
    Progress progress("loading", rows);
    double seconds = 0;
    {
      const Stopwatch watch;
      holodb::Appender customers = connection_.appender("customers");
      for (uint64_t id = 1; id <= ledger_.customers(); ++id) {
        const LedgerCustomer one = ledger_.customer(id);
        customers.row(one.customer_id, one.name, one.segment, one.signup_cohort, one.country);
      }
      customers.close();
      seconds += watch.seconds();
    }
    // Making the rows is not loading them: they are made in batches, and only the appender's share is counted.
    holodb::Appender invoices = connection_.appender("invoices");
    std::vector<LedgerInvoice> batch;
    for (uint64_t next = 1; next <= ledger_.invoices();) {
      batch.clear();
      for (; next <= ledger_.invoices() && batch.size() < 8'192; ++next) batch.push_back(ledger_.invoice(next));
      for (const LedgerInvoice& one : batch) model_.add(one);
      const Stopwatch watch;
      for (const LedgerInvoice& one : batch) append(&invoices, one);
      seconds += watch.seconds();
      progress.update(ledger_.customers() + next);
    }
    const Stopwatch closing;
    invoices.close();
    seconds += closing.seconds();
    progress.finish();
    step("load", format_count(rows) + " rows, two primary keys and a foreign key",
         format_seconds(seconds) + ", " + format_count(static_cast<uint64_t>(static_cast<double>(rows) / seconds)) + " rows/s");
  }

  static void append(holodb::Appender* invoices, const LedgerInvoice& one) {
    invoices->row(one.invoice_id, one.customer_id, one.region, one.status, one.month, one.amount_cents, one.tax_cents, one.balance_cents,
                  one.due_day);
  }

  void summary(const std::string& name, const std::string& dimensions, const char* sql) {
    const Stopwatch watch;
    connection_.execute(sql);
    const double seconds = watch.seconds();
    std::string size;
    for (const holodb::Row row : connection_.query("SHOW INDEXES FROM invoices")) {
      if (row.get<std::string>(1) != name) continue;
      size = format_count(row.get<uint64_t>(5)) + " cells, " + format_bytes(row.get<uint64_t>(6)) + ", ";
    }
    step("summary " + name, "(" + dimensions + ")", size + "built in " + format_seconds(seconds));
  }

  void step(std::string_view name, std::string_view what, std::string_view cost) {
    std::string line = "  ";
    append_padded(&line, name, 12, false);
    append_padded(&line, what, 54, false);
    std::printf("%s%s%s%s\n", line.c_str(), style_.dim(), std::string(cost).c_str(), style_.reset());
    std::fflush(stdout);
  }

  // ---- Asking ---------------------------------------------------------------------------------------------------------

  Round ask_all(const char* label, bool timed = true) {
    Round round;
    Progress progress(label, kLedgerQuestions.size());
    for (const LedgerQuestion& question : kLedgerQuestions) {
      Asked asked;
      try {
        asked = std::string_view(question.id) == "Q6" ? ask_lookups(question, timed) : ask(question, timed);
        asked.path = path_of(question);
      } catch (const holodb::Error& error) {
        asked.error = "error[" + error.sqlstate() + "] " + error.what();
      }
      round.push_back(std::move(asked));
      progress.update(round.size());
    }
    return round;
  }

  Asked ask(const LedgerQuestion& question, bool timed) {
    Asked asked;
    holodb::Statement statement = connection_.prepare(question.sql);
    for (const holodb::Row row : statement.rows()) asked.rows += row_text(row);
    if (!timed) return asked;
    // At least five runs, more while they are quick.
    std::vector<double> times;
    const Stopwatch budget;
    while (times.size() < 5 || (times.size() < 101 && budget.seconds() < 0.05)) {
      const Stopwatch watch;
      int64_t bytes = 0;
      for (const holodb::Row row : statement.rows()) bytes += consume(row, statement);
      times.push_back(watch.seconds());
      if (bytes < 0) break;
      if (budget.seconds() > 2.0) break;  // an engine that needs seconds need not be asked five times
    }
    asked.seconds = median(&times);
    return asked;
  }

  // Reads every value by its type, as a program would.
  static int64_t consume(const holodb::Row& row, const holodb::Statement& statement) {
    int64_t total = 0;
    for (int i = 0; i < row.size(); ++i) {
      if (row.is_null(i)) continue;
      total += statement.column_type(i) == holodb::Type::kBigint ? (row.get<int64_t>(i) & 1)
                                                                 : static_cast<int64_t>(row.get<std::string_view>(i).size());
    }
    return total;
  }

  Asked ask_lookups(const LedgerQuestion& question, bool timed) {
    Asked asked;
    holodb::Statement statement = connection_.prepare(question.sql);
    const uint64_t step_between = std::max<uint64_t>(ledger_.invoices() / kLookups, 1);
    std::vector<double> times;
    for (int run = 0; run < (timed ? 5 : 1); ++run) {
      asked.rows.clear();
      double seconds = 0;
      for (uint64_t i = 0; i < kLookups; ++i) {
        const uint64_t id = 1 + (i * step_between * 7 + i) % ledger_.invoices();
        const Stopwatch watch;
        statement.reset();
        statement.bind(1, id);
        const bool found = statement.step();
        if (found) consume(statement.row(), statement);
        seconds += watch.seconds();
        if (found) asked.rows += row_text(statement.row());
      }
      times.push_back(seconds / static_cast<double>(kLookups));
    }
    asked.seconds = median(&times);
    return asked;
  }

  static double median(std::vector<double>* times) {
    std::sort(times->begin(), times->end());
    return (*times)[times->size() / 2];
  }

  // How EXPLAIN says that the invoices are reached: in a join, the customers have an access node of their own.
  std::string path_of(const LedgerQuestion& question) {
    std::string sql = std::string("EXPLAIN ") + question.sql;
    const size_t parameter = sql.find('?');
    if (parameter != std::string::npos) sql.replace(parameter, 1, "1");
    std::string path;
    for (const holodb::Row row : connection_.query(sql)) {
      const std::string line = row.get<std::string>(0);
      const std::string one = access_path(line);
      if (one.empty()) continue;
      if (line.find(" invoices") != std::string::npos) return one;
      if (path.empty()) path = one;
    }
    return path;
  }

  // ---- Changing -------------------------------------------------------------------------------------------------------

  // Three kinds of change, to ids that no other change of the same burst touches. `number` counts from 0 through all bursts.
  struct Changer {
    explicit Changer(holodb::Connection& connection)
        : insert(connection.prepare("INSERT INTO invoices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")),
          update(connection.prepare("UPDATE invoices SET status = ?, amount_cents = ?, balance_cents = ? WHERE invoice_id = ?")),
          erase(connection.prepare("DELETE FROM invoices WHERE invoice_id = ?")) {}
    holodb::Statement insert;
    holodb::Statement update;
    holodb::Statement erase;
  };

  // Change number i of a burst; `keep` tells the generator's own count as well. Returns the rows changed: one, or a check fails.
  void change(Changer* changer, uint64_t number, bool keep) {
    const uint64_t stride = std::max<uint64_t>(ledger_.invoices() / (changes_ * 4), 1);
    const uint64_t old_id = 1 + number * stride % ledger_.invoices();
    int64_t rows = 0;
    switch (number % 3) {
      case 0: {
        const LedgerInvoice one = ledger_.invoice(ledger_.invoices() + 1 + number);
        rows = changer->insert.execute(one.invoice_id, one.customer_id, one.region, one.status, one.month, one.amount_cents, one.tax_cents,
                                       one.balance_cents, one.due_day);
        if (keep) model_.add(one);
        break;
      }
      case 1: {
        const LedgerInvoice before = ledger_.invoice(old_id);
        LedgerInvoice after = before;
        after.status = "paid";
        after.amount_cents += 1'234;
        after.balance_cents = 0;
        rows = changer->update.execute(after.status, after.amount_cents, after.balance_cents, after.invoice_id);
        if (keep) {
          model_.remove(before);
          model_.add(after);
        }
        break;
      }
      default: {
        const LedgerInvoice before = ledger_.invoice(old_id);
        rows = changer->erase.execute(before.invoice_id);
        if (keep) model_.remove(before);
        break;
      }
    }
    if (rows != 1) misses_ += 1;
  }

  void rolled_back_burst(const Round& before) {
    Changer changer(connection_);
    const Stopwatch watch;
    connection_.execute("BEGIN");
    for (uint64_t i = 0; i < changes_ * 3; ++i) change(&changer, i, false);
    connection_.execute("ROLLBACK");
    step("rollback", format_count(changes_ * 3) + " changes in one transaction, taken back", format_seconds(watch.seconds()));
    const Round after = ask_all("asking, after the rollback", false);
    compare("%s answers are as before " + format_count(changes_ * 3) + " changes that were rolled back", before, after);
  }

  // A third by itself (autocommit), a third in a transaction, and between them changes that a savepoint takes back.
  void burst() {
    Changer changer(connection_);
    const uint64_t all = changes_ * 3;
    const Stopwatch watch;
    for (uint64_t i = 0; i < all / 2; ++i) change(&changer, i, true);
    connection_.execute("BEGIN");
    connection_.execute("SAVEPOINT aside");
    for (uint64_t i = all / 2; i < all; ++i) change(&changer, i, false);
    connection_.execute("ROLLBACK TO aside");
    for (uint64_t i = all / 2; i < all; ++i) change(&changer, i, true);
    connection_.execute("COMMIT");
    step("burst", format_count(all) + " inserts, updates and deletes kept, " + format_count(all - all / 2) + " undone",
         format_seconds(watch.seconds()));
    check(misses_ == 0, "every change reached exactly one row");
  }

  // ---- Checking -------------------------------------------------------------------------------------------------------

  void check(bool good, std::string text) {
    failed_checks_ += good ? 0 : 1;
    checks_.push_back({good, std::move(text)});
  }

  // Puts "15 of 16" in the place of %s.
  void check_count(const std::string& sentence, size_t equal, size_t all, const std::string& culprits) {
    std::string text = sentence;
    text.replace(text.find("%s"), 2, std::to_string(equal) + " of " + std::to_string(all));
    check(equal == all && all > 0, text + (culprits.empty() ? "" : "; not:" + culprits));
  }

  void compare(const std::string& sentence, const Round& left, const Round& right) {
    size_t equal = 0;
    std::string culprits;
    for (size_t i = 0; i < left.size(); ++i) {
      const bool same = left[i].error.empty() && right[i].error.empty() && !left[i].rows.empty() && left[i].rows == right[i].rows;
      if (same) {
        ++equal;
      } else {
        culprits += std::string(" ") + kLedgerQuestions[i].id;
      }
    }
    check_count(sentence, equal, left.size(), culprits);
  }

  void compare_model(const std::string& sentence, const Round& round) {
    size_t equal = 0;
    size_t known = 0;
    std::string culprits;
    for (size_t i = 0; i < round.size(); ++i) {
      const std::string expected = model_.expected(kLedgerQuestions[i].id);
      if (expected.empty()) continue;
      ++known;
      if (round[i].rows == expected) {
        ++equal;
      } else {
        culprits += std::string(" ") + kLedgerQuestions[i].id;
      }
    }
    check_count(sentence, equal, known, culprits);
  }

  void verify() {
    Progress progress("rebuilding the summaries", 1);
    for (const IndexVerdict& verdict : verify_indexes(connection_, std::nullopt)) {
      check(verdict.good && verdict.checked > 0, verdict.text);
    }
  }

  // ---- Printing -------------------------------------------------------------------------------------------------------

  // A time and the path that it took; green where a summary served it.
  std::string cell(const Asked& asked) const {
    std::string text;
    if (!asked.error.empty()) {
      append_padded(&text, "failed", 21, false);
      return style_.red() + text + style_.reset();
    }
    append_padded(&text, format_seconds(asked.seconds), 8, true);
    std::string path = "  ";
    append_padded(&path, asked.path, 11, false);
    const bool quick = asked.path.starts_with("summary") || asked.path.starts_with("limb") || asked.path == "zone sums";
    return text + (quick ? style_.green() : style_.dim()) + path + style_.reset();
  }

  void print_table(const Round& alone, const Round& served, const Round& after) const {
    std::string head = "  ";
    append_padded(&head, "", 5, false);
    append_padded(&head, "question", 34, false);
    append_padded(&head, "without summaries", 23, false);
    append_padded(&head, "with s1 and s2", 23, false);
    append_padded(&head, "after the burst", 21, false);
    std::printf("\n%s%s%s%s\n", style_.bold(), head.c_str(), "     gain", style_.reset());
    std::string rule;
    for (size_t i = 0; i < 112; ++i) rule += "─";
    std::printf("  %s%s%s\n", style_.dim(), rule.c_str(), style_.reset());
    for (size_t i = 0; i < alone.size(); ++i) {
      std::string line = "  ";
      append_padded(&line, kLedgerQuestions[i].id, 5, false);
      append_padded(&line, kLedgerQuestions[i].title, 34, false);
      line += cell(alone[i]) + "  " + cell(served[i]) + "  " + cell(after[i]) + gain(alone[i], served[i]);
      std::printf("%s\n", line.c_str());
      for (const Asked* asked : {&alone[i], &served[i], &after[i]}) {
        if (asked->error.empty()) continue;
        std::printf("       %s%s%s\n", style_.red(), printable(asked->error).c_str(), style_.reset());
        break;
      }
    }
    std::printf("\n");
  }

  std::string gain(const Asked& alone, const Asked& served) const {
    if (!alone.error.empty() || !served.error.empty() || served.seconds <= 0) return "";
    const double factor = alone.seconds / served.seconds;
    char text[32];
    std::snprintf(text, sizeof text, "%5.*f×", factor >= 9.95 ? 0 : 1, factor);
    if (factor < 1.25) return std::string("  ") + style_.dim() + text + style_.reset();
    return std::string("  ") + style_.bold() + text + style_.reset();
  }

  void print_checks() const {
    for (const Check& one : checks_) {
      std::printf("  %s%s%s %s\n", one.good ? style_.green() : style_.red(), one.good ? "✓" : "✗", style_.reset(), printable(one.text).c_str());
    }
    if (failed_checks_ == 0) {
      std::printf("\n  %s%s%zu checks, all of them held.%s\n\n", style_.bold(), style_.green(), checks_.size(), style_.reset());
    } else {
      std::printf("\n  %s%s%zu of %zu checks FAILED.%s\n\n", style_.bold(), style_.red(), failed_checks_, checks_.size(), style_.reset());
    }
  }

  Ledger ledger_;
  DemoModel model_;
  holodb::Database database_;
  holodb::Connection connection_;
  Style style_;
  uint64_t changes_ = 0;  // of each kind
  uint64_t misses_ = 0;
  std::vector<Check> checks_;
  size_t failed_checks_ = 0;
};

}  // namespace

bool run_demo(uint64_t invoices) { return Demo(invoices).run(); }

}  // namespace hdb::shell
