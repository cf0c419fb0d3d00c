// Aggregates over distinct values: a table of (group, value) hands each pair once to the plain aggregate.

#include "base/check.h"
#include "exec/aggregate_state.h"
#include "exec/key_table.h"

namespace hdb {

namespace {

class DistinctState final : public AggregateState {
 public:
  DistinctState(const Aggregate& a, std::unique_ptr<AggregateState> inner, uint64_t rows_hint, MemoryBudget* budget)
      : pairs_({Type::bigint(), a.argument->type}, rows_hint, budget), inner_(std::move(inner)) {}

  void resize(uint32_t groups) override { inner_->resize(groups); }

  void update(const uint32_t* groups, uint32_t rows, const Vector& value, const Vector&, Scratch& scratch) override {
    if (constant_null(value)) return;
    const Scratch::Mark mark = scratch.mark();
    auto* live = scratch.array<uint32_t>(rows);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows; ++i) {
      live[count] = i;
      count += static_cast<uint32_t>(!value.is_null(i));
    }
    auto* group = scratch.array<int64_t>(count);
    for (uint32_t i = 0; i < count; ++i) group[i] = groups != nullptr ? groups[live[i]] : 0;
    take(group, count == rows ? flatten(value, rows, scratch) : gather(flatten(value, rows, scratch), live, count, scratch), count, scratch);
    scratch.rewind(mark);
  }

  void merge(const AggregateState& other, const uint32_t* groups, uint32_t, Scratch& scratch) override {
    const KeyTable& theirs = static_cast<const DistinctState&>(other).pairs_;
    for (uint32_t first = 0; first < theirs.size(); first += kVectorRows) {
      const uint32_t count = std::min(kVectorRows, theirs.size() - first);
      const Scratch::Mark mark = scratch.mark();
      auto* numbers = scratch.array<uint32_t>(count);
      for (uint32_t i = 0; i < count; ++i) numbers[i] = first + i;
      const Vector old = theirs.key(0, numbers, count, scratch);
      auto* group = scratch.array<int64_t>(count);
      for (uint32_t i = 0; i < count; ++i) group[i] = groups[old.i64[i]];
      take(group, theirs.key(1, numbers, count, scratch), count, scratch);
      scratch.rewind(mark);
    }
  }

  Vector result(const uint32_t* groups, uint32_t count, Scratch& scratch) const override { return inner_->result(groups, count, scratch); }
  uint64_t bytes() const override { return inner_->bytes(); }  // the table charges for itself

 private:
  void take(const int64_t* group, Vector value, uint32_t count, Scratch& scratch) {
    if (count == 0) return;
    value.nulls = nullptr;
    const Vector keys[2] = {make_vector(Type::bigint(), group, nullptr), value};
    auto* ids = scratch.array<uint32_t>(count);
    const uint32_t before = pairs_.size();
    pairs_.insert(keys, count, scratch, ids);
    if (pairs_.size() == before) return;
    // Ids of new pairs come in the order of rows, so each new id's first row is where it exceeds all ids before.
    auto* fresh = scratch.array<uint32_t>(count);
    auto* fresh_groups = scratch.array<uint32_t>(count);
    uint32_t n = 0, next = before;
    for (uint32_t i = 0; i < count; ++i) {
      if (ids[i] != next) continue;
      fresh[n] = i;
      fresh_groups[n++] = static_cast<uint32_t>(group[i]);
      ++next;
    }
    CHECK(next == pairs_.size());
    inner_->update(fresh_groups, n, gather(value, fresh, n, scratch), Vector(), scratch);
  }

  KeyTable pairs_;
  std::unique_ptr<AggregateState> inner_;
};

}  // namespace

std::unique_ptr<AggregateState> make_distinct(const Aggregate& a, std::unique_ptr<AggregateState> inner, uint64_t rows_hint, MemoryBudget* budget) {
  return std::make_unique<DistinctState>(a, std::move(inner), rows_hint, budget);
}

}  // namespace hdb
