#include "exec/aggregate.h"

#include <algorithm>

#include "base/check.h"

namespace hdb {

namespace {

// Memory of the states, charged as it grows.
class Charge {
 public:
  explicit Charge(MemoryBudget* budget) : budget_(budget) {}
  ~Charge() {
    if (budget_ != nullptr) budget_->release(bytes_);
  }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  void raise_to(uint64_t bytes) {
    if (bytes <= bytes_) return;
    if (budget_ != nullptr) budget_->charge(bytes - bytes_);
    bytes_ = bytes;
  }

 private:
  MemoryBudget* budget_;
  uint64_t bytes_ = 0;
};

uint64_t state_bytes(const Groups& g) {
  uint64_t bytes = g.first_seen.capacity() * 8;
  for (const auto& s : g.states) bytes += s->bytes();
  return bytes;
}

class GroupOperator final : public Operator {
 public:
  GroupOperator(const AggregateSink& sink, Worker& worker)
      : Operator(nullptr), groups(sink.make_groups()), sink_(sink), worker_(worker), charge_(sink.budget()) {
    keys_.resize(sink.node().exprs.size());
  }

  void start(uint32_t morsel) override { position_ = uint64_t{morsel} << 32; }

  void push(Chunk& chunk) override {
    if (chunk.rows == 0) return;
    Evaluator& evaluator = worker_.evaluator;
    Groups& g = *groups;
    uint32_t* ids = nullptr;
    if (g.keys != nullptr) {
      for (size_t k = 0; k < keys_.size(); ++k) keys_[k] = evaluator.evaluate(*sink_.node().exprs[k].expr, sink_.input(), chunk);
      ids = worker_.scratch.array<uint32_t>(chunk.rows);
      g.keys->insert(keys_.data(), chunk.rows, worker_.scratch, ids);
      if (g.keys->size() > g.size) enter_new(ids, chunk.rows);
    }
    const auto& aggregates = sink_.node().aggregates;
    for (size_t a = 0; a < aggregates.size(); ++a) {
      const Scratch::Mark mark = worker_.scratch.mark();
      Vector value, counts;
      if (aggregates[a].argument != nullptr) value = evaluator.evaluate(*aggregates[a].argument, sink_.input(), chunk);
      if (aggregates[a].value_count != nullptr) counts = evaluator.evaluate(*aggregates[a].value_count, sink_.input(), chunk);
      g.states[a]->update(ids, chunk.rows, value, counts, worker_.scratch);
      worker_.scratch.rewind(mark);
    }
    position_ += chunk.rows;
  }

  std::unique_ptr<Groups> groups;

 private:
  void enter_new(const uint32_t* ids, uint32_t rows) {
    Groups& g = *groups;
    g.first_seen.resize(g.keys->size());
    // Ids of new groups come in the order of rows.
    for (uint32_t i = 0; i < rows && g.size < g.keys->size(); ++i) {
      if (ids[i] == g.size) g.first_seen[g.size++] = position_ + i;
    }
    for (auto& s : g.states) s->resize(g.size);
    charge_.raise_to(state_bytes(g));
  }

  const AggregateSink& sink_;
  Worker& worker_;
  Charge charge_;
  std::vector<Vector> keys_;
  uint64_t position_ = 0;
};

class GroupSource final : public Source {
 public:
  GroupSource(std::shared_ptr<const Groups> groups, std::shared_ptr<const std::vector<uint32_t>> order)
      : groups_(std::move(groups)), order_(std::move(order)) {}
  uint32_t morsels() const override { return (groups_->size + kBlockRows - 1) / kBlockRows; }
  uint64_t rows_hint() const override { return groups_->size; }
  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    const uint64_t begin = uint64_t{morsel} * kBlockRows;
    send_slices(begin, std::min<uint64_t>(begin + kBlockRows, groups_->size), worker, out, [&](uint64_t at, uint32_t n, Chunk& chunk) {
      const auto first = static_cast<uint32_t>(at);
      auto* ids = worker.scratch.array<uint32_t>(n);
      for (uint32_t i = 0; i < n; ++i) ids[i] = order_ != nullptr ? (*order_)[first + i] : first + i;
      chunk.columns.clear();
      const uint32_t keys = groups_->keys != nullptr ? groups_->keys->column_count() : 0;
      for (uint32_t k = 0; k < keys; ++k) chunk.columns.push_back(groups_->keys->key(k, ids, n, worker.scratch));
      for (const auto& s : groups_->states) chunk.columns.push_back(s->result(ids, n, worker.scratch));
    });
  }

 private:
  std::shared_ptr<const Groups> groups_;
  std::shared_ptr<const std::vector<uint32_t>> order_;
};

}  // namespace

AggregateSink::AggregateSink(const Node& node, ColumnMap input, uint64_t rows_hint, MemoryBudget* budget)
    : node_(node), input_(std::move(input)), rows_hint_(rows_hint), budget_(budget) {}

std::unique_ptr<Groups> AggregateSink::make_groups() const {
  auto g = std::make_unique<Groups>();
  if (!node_.exprs.empty()) {
    std::vector<Type> types;
    for (const NamedExpr& e : node_.exprs) types.push_back(e.expr->type);
    g->keys = std::make_unique<KeyTable>(std::move(types), rows_hint_, budget_);
  }
  for (const Aggregate& a : node_.aggregates) g->states.push_back(make_state(a, rows_hint_, budget_));
  if (g->keys == nullptr) {
    g->size = 1;
    g->first_seen.assign(1, 0);
    for (auto& s : g->states) s->resize(1);
  }
  return g;
}

std::unique_ptr<Operator> AggregateSink::instance(Worker& worker) { return std::make_unique<GroupOperator>(*this, worker); }

void AggregateSink::finish(Worker& worker, std::vector<std::unique_ptr<Operator>>& instances) {
  groups_ = std::move(static_cast<GroupOperator&>(*instances[0]).groups);
  Groups& all = *groups_;
  std::vector<uint32_t> to;
  for (size_t w = 1; w < instances.size(); ++w) {
    const Groups& part = *static_cast<GroupOperator&>(*instances[w]).groups;
    to.assign(part.size, 0);
    if (all.keys != nullptr) {
      std::vector<Vector> keys(all.keys->column_count());
      for (uint32_t first = 0; first < part.size; first += kVectorRows) {
        worker.scratch.reset();
        const uint32_t n = std::min(kVectorRows, part.size - first);
        auto* numbers = worker.scratch.array<uint32_t>(n);
        for (uint32_t i = 0; i < n; ++i) numbers[i] = first + i;
        for (uint32_t k = 0; k < keys.size(); ++k) keys[k] = part.keys->key(k, numbers, n, worker.scratch);
        all.keys->insert(keys.data(), n, worker.scratch, to.data() + first);
      }
      all.size = all.keys->size();
      all.first_seen.resize(all.size, UINT64_MAX);
      for (auto& s : all.states) s->resize(all.size);
      for (uint32_t i = 0; i < part.size; ++i) all.first_seen[to[i]] = std::min(all.first_seen[to[i]], part.first_seen[i]);
    }
    for (size_t a = 0; a < all.states.size(); ++a) all.states[a]->merge(*part.states[a], to.data(), part.size, worker.scratch);
  }
  if (std::is_sorted(all.first_seen.begin(), all.first_seen.end())) return;
  order_ = std::make_shared<std::vector<uint32_t>>(all.size);
  for (uint32_t i = 0; i < all.size; ++i) (*order_)[i] = i;
  std::sort(order_->begin(), order_->end(), [&](uint32_t a, uint32_t b) { return all.first_seen[a] < all.first_seen[b]; });
}

std::unique_ptr<Source> AggregateSink::source() { return std::make_unique<GroupSource>(groups_, order_); }

}  // namespace hdb
