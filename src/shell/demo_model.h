// shell/demo_model.h: what the answers of the demo must be, counted without the engine.
//
// What:       keeps a count and sums for each (region, status, month, segment) of the ledger, one addition an invoice, and writes
//             the rows that eleven of the sixteen questions must answer, as their values joined by '|'.
// Invariants: B1 add() and remove() of the same invoice cancel out.
// Callers:    shell/demo.cc
// Held by:    src/shell/demo_model_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shell/ledger.h"

namespace hdb::shell {

class DemoModel {
 public:
  explicit DemoModel(const Ledger& ledger);

  void add(const LedgerInvoice& invoice) { change(invoice, 1); }
  void remove(const LedgerInvoice& invoice) { change(invoice, -1); }
  // The rows that the question must answer, a line each; empty if the model does not know it.
  std::string expected(std::string_view question) const;

 private:
  struct Cell {
    int64_t count = 0;
    int64_t amount = 0;
  };
  static constexpr size_t kRegions = 4, kStatuses = 5, kMonths = 24, kSegments = 4;

  void change(const LedgerInvoice& invoice, int64_t sign);
  template <class Key>
  std::string grouped(Key&& key, bool with_count) const;

  std::vector<Cell> cells_;             // [region][status][month][segment]
  std::vector<uint8_t> segment_of_;     // customer_id - 1
  Cell overdue_before_200_;             // amount: the balance
  int64_t above_2000_ = 0;
};

}  // namespace hdb::shell
