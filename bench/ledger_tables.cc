#include "bench/ledger_tables.h"

namespace hdb::bench {
namespace {

using shell::Ledger;

constexpr std::array<std::string_view, 20> kCountries = {"AT", "AU", "BE", "BR", "CA", "CH", "DE", "DK", "ES", "FI",
                                                         "FR", "GB", "IE", "IN", "IT", "JP", "NL", "NO", "SE", "US"};

template <class Names>
std::vector<std::string_view> domain(const Names& names) {
  return {names.begin(), names.end()};
}

}  // namespace

const char* const kLedgerControl =
    "SELECT COUNT(*), SUM(amount_cents * due_day + tax_cents) FROM invoices WHERE amount_cents + tax_cents * 3 > due_day * 70";

std::vector<std::string_view> ledger_months() { return domain(Ledger::months()); }

Table ledger_customers(uint64_t invoices) {
  auto ledger = std::make_shared<Ledger>(invoices);
  return {.name = "customers",
          .columns = {{.name = "customer_id", .primary = true},
                      {.name = "name", .text = true},
                      {.name = "segment", .text = true, .domain = domain(Ledger::kSegments)},
                      {.name = "signup_cohort", .text = true, .domain = domain(Ledger::cohorts())},
                      {.name = "country", .text = true, .domain = domain(kCountries)}},
          .rows = ledger->customers(),
          .not_null = true,
          .append = [ledger](uint64_t id, Batch& batch) {
            auto row = ledger->customer(id);
            batch.integers[0].push_back(row.customer_id);
            batch.texts[1].push_back(batch.own(std::move(row.name)));
            batch.texts[2].push_back(row.segment);
            batch.texts[3].push_back(row.signup_cohort);
            batch.texts[4].push_back(row.country);
          }};
}

Table ledger_invoices(uint64_t rows, bool shuffled, bool keys) {
  auto ledger = std::make_shared<Ledger>(rows);
  const Permutation permutation(rows);
  return {.name = "invoices",
          .columns = {{.name = "invoice_id", .primary = true},
                      {.name = "customer_id", .references = keys ? "customers" : ""},
                      {.name = "region", .text = true, .domain = domain(Ledger::kRegions)},
                      {.name = "status", .text = true, .domain = domain(Ledger::kStatuses)},
                      {.name = "month", .text = true, .domain = domain(Ledger::months())},
                      {.name = "amount_cents"},
                      {.name = "tax_cents"},
                      {.name = "balance_cents"},
                      {.name = "due_day"}},
          .rows = rows,
          .not_null = true,
          .append = [ledger, permutation, rows, shuffled](uint64_t id, Batch& batch) {
            auto row = ledger->invoice(id);
            if (shuffled && id <= rows) row.amount_cents = ledger->invoice(permutation(id)).amount_cents;
            batch.integers[0].push_back(row.invoice_id);
            batch.integers[1].push_back(row.customer_id);
            batch.texts[2].push_back(row.region);
            batch.texts[3].push_back(row.status);
            batch.texts[4].push_back(row.month);
            size_t column = 5;
            for (const int64_t value : {row.amount_cents, row.tax_cents, row.balance_cents, row.due_day}) batch.integers[column++].push_back(value);
          }};
}

std::array<Value, 9> invoice_values(const Ledger& ledger, uint64_t id) {
  const auto row = ledger.invoice(id);
  return {row.invoice_id, row.customer_id, row.region, row.status, row.month, row.amount_cents, row.tax_cents, row.balance_cents, row.due_day};
}

}  // namespace hdb::bench
