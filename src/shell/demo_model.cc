#include "shell/demo_model.h"

#include <algorithm>
#include <map>

namespace hdb::shell {

namespace {
template <class Names>
size_t index_of(const Names& names, std::string_view name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}
}  // namespace

DemoModel::DemoModel(const Ledger& ledger) : cells_(kRegions * kStatuses * kMonths * kSegments) {
  segment_of_.reserve(ledger.customers());
  for (uint64_t id = 1; id <= ledger.customers(); ++id) {
    segment_of_.push_back(static_cast<uint8_t>(index_of(Ledger::kSegments, ledger.customer(id).segment)));
  }
}

void DemoModel::change(const LedgerInvoice& invoice, int64_t sign) {
  size_t at = index_of(Ledger::kRegions, invoice.region);
  at = at * kStatuses + index_of(Ledger::kStatuses, invoice.status);
  at = at * kMonths + index_of(Ledger::months(), invoice.month);
  at = at * kSegments + segment_of_[static_cast<size_t>(invoice.customer_id - 1)];
  cells_[at].count += sign;
  cells_[at].amount += sign * invoice.amount_cents;
  if (invoice.status == "overdue" && invoice.due_day < 200) {
    overdue_before_200_.count += sign;
    overdue_before_200_.amount += sign * invoice.balance_cents;
  }
  if (invoice.amount_cents > 200'000) above_2000_ += sign;
}

template <class Key>
std::string DemoModel::grouped(Key&& key, bool with_count) const {
  std::map<std::string, Cell> groups;
  for (size_t at = 0; at < cells_.size(); ++at) {
    if (cells_[at].count == 0) continue;
    const size_t segment = at % kSegments;
    const size_t month = at / kSegments % kMonths;
    const size_t status = at / (kSegments * kMonths) % kStatuses;
    const size_t region = at / (kSegments * kMonths * kStatuses);
    Cell& group = groups[std::string(key(region, status, month, segment))];
    group.count += cells_[at].count;
    group.amount += cells_[at].amount;
  }
  std::string rows;
  for (const auto& [name, group] : groups) {
    rows += name + (name.empty() ? "" : "|") + std::to_string(group.amount) + (with_count ? "|" + std::to_string(group.count) : "") + "\n";
  }
  return rows;
}

std::string DemoModel::expected(std::string_view question) const {
  const auto region = [](size_t r, size_t, size_t, size_t) { return Ledger::kRegions[r]; };
  const auto status = [](size_t, size_t s, size_t, size_t) { return Ledger::kStatuses[s]; };
  const auto month = [](size_t, size_t, size_t m, size_t) { return Ledger::months()[m]; };
  const auto segment = [](size_t, size_t, size_t, size_t g) { return Ledger::kSegments[g]; };
  const auto all = [](size_t, size_t, size_t, size_t) { return std::string_view(); };
  const auto pair = [](std::string_view a, std::string_view b) { return std::string(a) + "|" + std::string(b); };
  if (question == "Q1") return grouped(status, true);
  if (question == "Q2") return grouped(month, true);
  if (question == "Q3") return grouped(region, true);
  if (question == "Q4") return grouped(all, false);
  if (question == "Q5") {
    int64_t count = 0;
    for (const Cell& cell : cells_) count += cell.count;
    return std::to_string(count) + "\n";
  }
  if (question == "Q7") {
    const std::string sum = overdue_before_200_.count == 0 ? "NULL" : std::to_string(overdue_before_200_.amount);
    return sum + "|" + std::to_string(overdue_before_200_.count) + "\n";
  }
  if (question == "Q8") return std::to_string(above_2000_) + "\n";
  if (question == "Q11") {
    return grouped([&](size_t r, size_t s, size_t, size_t) { return pair(Ledger::kRegions[r], Ledger::kStatuses[s]); }, true);
  }
  if (question == "Q12") return grouped(segment, true);
  if (question == "Q13") {
    return grouped([&](size_t, size_t s, size_t, size_t g) { return pair(Ledger::kSegments[g], Ledger::kStatuses[s]); }, true);
  }
  if (question == "Q14") {
    const std::string rows = grouped(segment, false);
    const size_t begin = rows.find("enterprise|");
    if (begin == std::string::npos) return "NULL\n";
    return rows.substr(begin + 11, rows.find('\n', begin) - begin - 10);
  }
  return "";
}

}  // namespace hdb::shell
