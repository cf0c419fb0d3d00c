// shell/ledger.h: the W1 ledger: customers and invoices of a fixed seed, each computed from its number alone.
//
// What:       customer(id) and invoice(id), ids from 1; the tables, the two summaries and the sixteen headline questions as SQL.
// Shape:      customer_id mildly skewed to low ids; status paid/open/overdue/void/draft 70/12/8/5/5 %; amount_cents roughly log-normal
//             in 500..5,000,000 around 50,000; tax a share of it; balance 0 unless open or overdue; due_day 0..730; 24 months, 4
//             regions; segment enterprise/midmarket/smb/startup 10/25/45/20 %, 36 cohorts, 20 countries.
// Invariants: G1 a row depends on the seed, its id and the number of customers only: any part can be made again, in any order.
//             G2 integer arithmetic throughout: the same rows on every machine and with every compiler.
// Callers:    shell/demo.cc, bench/. Thread-safe after construction.
// Held by:    src/shell/ledger_test.cc
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace hdb::shell {

struct LedgerCustomer {
  int64_t customer_id = 0;
  std::string name;
  std::string_view segment;
  std::string_view signup_cohort;
  std::string_view country;
};

struct LedgerInvoice {
  int64_t invoice_id = 0;
  int64_t customer_id = 0;
  std::string_view region;
  std::string_view status;
  std::string_view month;
  int64_t amount_cents = 0;
  int64_t tax_cents = 0;
  int64_t balance_cents = 0;
  int64_t due_day = 0;
};

class Ledger {
 public:
  static constexpr uint64_t kSeed = 20'261'130;
  static constexpr uint64_t kInvoicesPerCustomer = 50;

  explicit Ledger(uint64_t invoices, uint64_t seed = kSeed);

  uint64_t invoices() const { return invoices_; }
  uint64_t customers() const { return customers_; }
  LedgerCustomer customer(uint64_t id) const;
  LedgerInvoice invoice(uint64_t id) const;  // ids above invoices() are further invoices of the same kind

  static constexpr std::array<std::string_view, 4> kRegions = {"north", "south", "east", "west"};
  static constexpr std::array<std::string_view, 5> kStatuses = {"paid", "open", "overdue", "void", "draft"};
  static constexpr std::array<std::string_view, 4> kSegments = {"enterprise", "midmarket", "smb", "startup"};
  static const std::array<std::string_view, 24>& months();
  static const std::array<std::string_view, 36>& cohorts();

 private:
  uint64_t invoices_;
  uint64_t customers_;
  uint64_t seed_;
  std::array<uint64_t, 257> power_;  // 2^(i/256) * 2^32
};

struct LedgerQuestion {
  const char* id;     // "Q1"
  const char* title;  // "totals by status"
  const char* sql;    // Q6 has one parameter, the invoice_id
};

extern const char* const kLedgerTables;       // CREATE TABLE customers, invoices
extern const char* const kLedgerSummary1;     // CREATE INDEX s1 ...
extern const char* const kLedgerSummary2;
extern const std::array<LedgerQuestion, 16> kLedgerQuestions;

}  // namespace hdb::shell
