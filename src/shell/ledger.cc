#include "shell/ledger.h"

#include <algorithm>

#include "base/int128.h"

namespace hdb::shell {

namespace {

// splitmix64: a good bijection of 64 bits, so that (seed, kind, id, draw) gives independent draws without any state.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class Draws {
 public:
  Draws(uint64_t seed, uint64_t kind, uint64_t id) : state_(mix(mix(seed * 4 + kind) ^ id)) {}
  uint64_t next() { return state_ = mix(state_); }
  uint64_t below(uint64_t bound) { return static_cast<uint64_t>(static_cast<uint128>(next()) * bound >> 64); }

 private:
  uint64_t state_;
};

template <size_t N>
size_t weighted(uint64_t percent, const std::array<uint64_t, N>& weights) {
  size_t i = 0;
  while (i + 1 < N && percent >= weights[i]) percent -= weights[i++];
  return i;
}

template <size_t N>
std::array<std::string_view, N> month_names(int first_year) {
  static std::array<std::string, N> owned;
  std::array<std::string_view, N> names;
  for (size_t i = 0; i < N; ++i) {
    const std::string month = std::to_string(i % 12 + 1);
    owned[i] = std::to_string(first_year + static_cast<int>(i / 12)) + (month.size() == 1 ? "-0" : "-") + month;
    names[i] = owned[i];
  }
  return names;
}

constexpr std::array<std::string_view, 20> kCountries = {"AT", "AU", "BE", "BR", "CA", "CH", "DE", "DK", "ES", "FI",
                                                         "FR", "GB", "IE", "IN", "IT", "JP", "NL", "NO", "SE", "US"};

constexpr uint64_t kAmountMin = 500;
constexpr uint64_t kAmountMax = 5'000'000;
constexpr uint64_t kDrawSpan = 9'071;  // six draws of 0..9071 span log2(kAmountMax / kAmountMin) = 13.2877 doublings, in units of 2^-12

}  // namespace

const std::array<std::string_view, 24>& Ledger::months() {
  static const auto names = month_names<24>(2025);
  return names;
}

const std::array<std::string_view, 36>& Ledger::cohorts() {
  static const auto names = month_names<36>(2022);
  return names;
}

Ledger::Ledger(uint64_t invoices, uint64_t seed)
    : invoices_(invoices), customers_(std::max<uint64_t>(invoices / kInvoicesPerCustomer, 1)), seed_(seed), power_{} {
  // 2^(1/256) in 63 fraction bits, multiplied up. The last entry is 2 by definition.
  constexpr uint64_t kRoot = 9'248'379'135'337'035'441u;  // round(2^(1/256) * 2^63)
  uint64_t power = uint64_t{1} << 63;
  for (size_t i = 0; i < 256; ++i) {
    power_[i] = power >> 31;
    power = static_cast<uint64_t>(static_cast<uint128>(power) * kRoot >> 63);
  }
  power_[256] = uint64_t{1} << 33;
}

LedgerCustomer Ledger::customer(uint64_t id) const {
  Draws draws(seed_, 1, id);
  LedgerCustomer customer;
  customer.customer_id = static_cast<int64_t>(id);
  std::string digits = std::to_string(id);
  if (digits.size() < 7) digits.insert(0, 7 - digits.size(), '0');
  customer.name = "Customer " + digits;
  customer.segment = kSegments[weighted<4>(draws.below(100), {10, 25, 45, 20})];
  customer.signup_cohort = cohorts()[draws.below(36)];
  customer.country = kCountries[draws.below(20)];
  return customer;
}

LedgerInvoice Ledger::invoice(uint64_t id) const {
  Draws draws(seed_, 2, id);
  LedgerInvoice invoice;
  invoice.invoice_id = static_cast<int64_t>(id);
  // Half of the invoices go to any customer, half lean to low ids (the smaller of two draws).
  uint64_t customer = draws.below(customers_);
  if (draws.below(2) == 1) customer = std::min(customer, draws.below(customers_));
  invoice.customer_id = static_cast<int64_t>(customer + 1);
  invoice.region = kRegions[draws.below(4)];
  const size_t status = weighted<5>(draws.below(100), {70, 12, 8, 5, 5});
  invoice.status = kStatuses[status];
  invoice.month = months()[draws.below(24)];
  // 500 * 2^y, where y is a sum of six draws and so is bell-shaped: the amount is log-normal, but bounded.
  uint64_t y = 0;
  for (int i = 0; i < 6; ++i) y += draws.below(kDrawSpan + 1);
  const uint64_t fraction = y & 4095;
  const uint64_t low = power_[fraction >> 4];
  const uint64_t high = power_[(fraction >> 4) + 1];
  const uint64_t scaled = low + (high - low) * (fraction & 15) / 16;
  const uint64_t amount = static_cast<uint64_t>(static_cast<uint128>(kAmountMin) * scaled << (y >> 12) >> 32) + draws.below(7);
  invoice.amount_cents = static_cast<int64_t>(std::min(std::max(amount, kAmountMin), kAmountMax));
  static constexpr std::array<int64_t, 6> kTaxPercent = {0, 7, 10, 19, 20, 21};
  invoice.tax_cents = invoice.amount_cents * kTaxPercent[draws.below(6)] / 100;
  const bool owing = status == 1 || status == 2;
  const int64_t owed_percent = static_cast<int64_t>(draws.below(4) == 0 ? 1 + draws.below(99) : 100);
  invoice.balance_cents = owing ? (invoice.amount_cents + invoice.tax_cents) * owed_percent / 100 : 0;
  invoice.due_day = static_cast<int64_t>(draws.below(731));
  return invoice;
}

const char* const kLedgerTables =
    "CREATE TABLE customers(customer_id BIGINT PRIMARY KEY, name TEXT NOT NULL, segment TEXT NOT NULL, signup_cohort TEXT NOT NULL, "
    "country TEXT NOT NULL);\n"
    "CREATE TABLE invoices(invoice_id BIGINT PRIMARY KEY, customer_id BIGINT NOT NULL REFERENCES customers, region TEXT NOT NULL, "
    "status TEXT NOT NULL, month TEXT NOT NULL, amount_cents BIGINT NOT NULL, tax_cents BIGINT NOT NULL, balance_cents BIGINT NOT "
    "NULL, due_day BIGINT NOT NULL);\n";

const char* const kLedgerSummary1 =
    "CREATE INDEX s1 ON invoices USING SUMMARY (region, status, month) INCLUDE (amount_cents, balance_cents)";
const char* const kLedgerSummary2 = "CREATE INDEX s2 ON invoices USING SUMMARY (customer_id, status) INCLUDE (amount_cents)";

#define JOINED "FROM invoices i JOIN customers c ON i.customer_id=c.customer_id "
const std::array<LedgerQuestion, 16> kLedgerQuestions = {{
    {"Q1", "totals by status", "SELECT status, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY status ORDER BY status"},
    {"Q2", "totals by month", "SELECT month, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY month ORDER BY month"},
    {"Q3", "totals by region", "SELECT region, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY region ORDER BY region"},
    {"Q4", "grand total", "SELECT SUM(amount_cents) FROM invoices"},
    {"Q5", "number of invoices", "SELECT COUNT(*) FROM invoices"},
    {"Q6", "one invoice by its id", "SELECT * FROM invoices WHERE invoice_id = ?"},
    {"Q7", "overdue before day 200", "SELECT SUM(balance_cents), COUNT(*) FROM invoices WHERE status='overdue' AND due_day < 200"},
    {"Q8", "invoices above 2,000.00", "SELECT COUNT(*) FROM invoices WHERE amount_cents > 200000"},
    {"Q9", "20 largest invoices",
     "SELECT invoice_id, customer_id, amount_cents FROM invoices ORDER BY amount_cents DESC, invoice_id LIMIT 20"},
    {"Q10", "10 best customers by id",
     "SELECT customer_id, SUM(amount_cents) AS s FROM invoices GROUP BY customer_id ORDER BY s DESC, customer_id LIMIT 10"},
    {"Q11", "totals by region and status",
     "SELECT region, status, SUM(amount_cents), COUNT(*) FROM invoices GROUP BY region, status ORDER BY region, status"},
    {"Q12", "totals by segment (join)",
     "SELECT c.segment, SUM(i.amount_cents), COUNT(*) " JOINED "GROUP BY c.segment ORDER BY c.segment"},
    {"Q13", "by segment and status (join)",
     "SELECT c.segment, i.status, SUM(i.amount_cents), COUNT(*) " JOINED "GROUP BY c.segment, i.status ORDER BY c.segment, i.status"},
    {"Q14", "one segment's total (join)", "SELECT SUM(i.amount_cents) " JOINED "WHERE c.segment='enterprise'"},
    {"Q15", "totals by cohort (join)",
     "SELECT c.signup_cohort, SUM(i.amount_cents), COUNT(*) " JOINED "GROUP BY c.signup_cohort ORDER BY c.signup_cohort"},
    {"Q16", "10 best customers by name (join)",
     "SELECT c.name, SUM(i.amount_cents) AS s " JOINED "GROUP BY c.name ORDER BY s DESC, c.name LIMIT 10"},
}};
#undef JOINED

}  // namespace hdb::shell
