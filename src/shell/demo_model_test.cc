#include "shell/demo_model.h"

#include <catch2/catch.hpp>

using namespace hdb::shell;

TEST_CASE("the demo's own totals follow each change and cancel out") {
  const Ledger ledger(1000);
  DemoModel model(ledger);
  int64_t amount = 0;
  for (uint64_t id = 1; id <= 1000; ++id) {
    model.add(ledger.invoice(id));
    amount += ledger.invoice(id).amount_cents;
  }
  REQUIRE(model.expected("Q4") == std::to_string(amount) + "\n");
  REQUIRE(model.expected("Q5") == "1000\n");
  const std::string before = model.expected("Q13");
  LedgerInvoice changed = ledger.invoice(17);
  model.remove(ledger.invoice(17));
  changed.amount_cents += 3;
  model.add(changed);
  REQUIRE(model.expected("Q4") == std::to_string(amount + 3) + "\n");
  REQUIRE(model.expected("Q13") != before);
  model.remove(changed);
  model.add(ledger.invoice(17));
  REQUIRE(model.expected("Q13") == before);
  for (uint64_t id = 2; id <= 1000; ++id) model.remove(ledger.invoice(id));
  const LedgerInvoice only = ledger.invoice(1);
  REQUIRE(model.expected("Q1") == std::string(only.status) + "|" + std::to_string(only.amount_cents) + "|1\n");
  REQUIRE(model.expected("Q9").empty());
}

TEST_CASE("groups come in the order of their names") {
  const Ledger ledger(5000);
  DemoModel model(ledger);
  for (uint64_t id = 1; id <= 5000; ++id) model.add(ledger.invoice(id));
  const std::string regions = model.expected("Q3");
  REQUIRE(regions.starts_with("east|"));
  REQUIRE(regions.find("\nnorth|") < regions.find("\nsouth|"));
  const std::string one = model.expected("Q14");
  REQUIRE(model.expected("Q12").find("enterprise|" + one.substr(0, one.size() - 1) + "|") == 0);
}
