#include "shell/ledger.h"

#include <catch2/catch.hpp>

#include <map>

using namespace hdb::shell;

TEST_CASE("a row depends on the seed and its id only") {
  const Ledger small(1000);
  const Ledger other(1000, 7);
  REQUIRE(small.customers() == 20);
  const LedgerInvoice first = small.invoice(500);
  const LedgerInvoice again = Ledger(1000).invoice(500);
  REQUIRE(first.amount_cents == again.amount_cents);
  REQUIRE(first.status == again.status);
  REQUIRE(first.customer_id == again.customer_id);
  int different = 0;
  for (uint64_t id = 1; id <= 100; ++id) different += small.invoice(id).amount_cents != other.invoice(id).amount_cents;
  REQUIRE(different > 90);
  REQUIRE(small.customer(7).name == "Customer 0000007");
}

TEST_CASE("the ledger has the shape of W1") {
  const Ledger ledger(50'000);
  std::map<std::string_view, int> statuses;
  std::map<std::string_view, int> regions;
  std::map<std::string_view, int> months;
  int64_t low_customers = 0;
  int above_2000 = 0;
  int below_median = 0;
  for (uint64_t id = 1; id <= ledger.invoices(); ++id) {
    const LedgerInvoice invoice = ledger.invoice(id);
    ++statuses[invoice.status];
    ++regions[invoice.region];
    ++months[invoice.month];
    low_customers += invoice.customer_id <= static_cast<int64_t>(ledger.customers() / 2);
    above_2000 += invoice.amount_cents > 200'000;
    below_median += invoice.amount_cents < 50'000;
    REQUIRE((invoice.customer_id >= 1 && invoice.customer_id <= static_cast<int64_t>(ledger.customers())));
    REQUIRE((invoice.amount_cents >= 500 && invoice.amount_cents <= 5'000'000));
    REQUIRE((invoice.due_day >= 0 && invoice.due_day <= 730));
    const bool owing = invoice.status == "open" || invoice.status == "overdue";
    REQUIRE((owing ? invoice.balance_cents >= 0 : invoice.balance_cents == 0));
    REQUIRE(invoice.balance_cents <= invoice.amount_cents + invoice.tax_cents);
  }
  REQUIRE(statuses.size() == 5);
  REQUIRE((statuses["paid"] > 34'000 && statuses["paid"] < 36'000));
  REQUIRE((statuses["overdue"] > 3'700 && statuses["overdue"] < 4'300));
  REQUIRE(regions.size() == 4);
  REQUIRE(months.size() == 24);
  REQUIRE((low_customers > 30'000 && low_customers < 33'000));  // 62.5 % of the invoices, for half of the customers
  REQUIRE((above_2000 > 3'500 && above_2000 < 7'000));
  REQUIRE((below_median > 23'000 && below_median < 27'000));
}

TEST_CASE("the ledger is the same on every machine") {
  const Ledger ledger(1'000'000);
  uint64_t print = 0;
  for (uint64_t id = 1; id <= 1000; ++id) {
    const LedgerInvoice invoice = ledger.invoice(id);
    for (const int64_t value : {invoice.customer_id, invoice.amount_cents, invoice.tax_cents, invoice.balance_cents, invoice.due_day}) {
      print = print * 1'000'003 + static_cast<uint64_t>(value);
    }
    print = print * 31 + invoice.region.size() + invoice.status.size() * 7 + static_cast<uint64_t>(invoice.month[6]);
  }
  REQUIRE(print == 2'506'168'487'677'174'868u);
}
