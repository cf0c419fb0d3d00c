#include "exec/sort.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace hdb {

namespace {

constexpr uint64_t kPruneRowsMin = 128;

uint64_t double_prefix(double x) {
  if (x != x) return UINT64_MAX;
  if (x == 0) x = 0;  // -0.0
  const auto bits = std::bit_cast<uint64_t>(x);
  return (bits >> 63) != 0 ? ~bits : bits | (uint64_t{1} << 63);
}

uint64_t text_prefix(std::string_view s) {
  uint64_t p = 0;
  for (size_t i = 0; i < 8; ++i) p = (p << 8) | (i < s.size() ? static_cast<unsigned char>(s[i]) : 0);
  return p;
}

uint64_t wide_prefix(int128 v) { return static_cast<uint64_t>(static_cast<uint128>(v) >> 64) ^ (uint64_t{1} << 63); }

template <class T>
int order(const T& a, const T& b) { return a < b ? -1 : b < a ? 1 : 0; }
int order_reals(double a, double b) {
  if (a == b || (a != a && b != b)) return 0;
  return a < b || b != b ? -1 : 1;
}

class SortOperator final : public Operator {
 public:
  SortOperator(const SortSink& sink, Worker& worker)
      : Operator(nullptr), rows(std::make_shared<Rows>(sink.types(), sink.budget())), sink_(sink), worker_(worker) {}

  void start(uint32_t morsel) override { position_ = int64_t{morsel} << 32; }

  void push(Chunk& chunk) override {
    Scratch& scratch = worker_.scratch;
    const Scratch::Mark mark = scratch.mark();
    all_.assign(chunk.columns.begin(), chunk.columns.end());
    for (size_t k = 0; k < sink_.keys().size(); ++k) {
      if (sink_.key_place(k) >= sink_.input().size()) all_.push_back(worker_.evaluator.evaluate(*sink_.keys()[k].expr, sink_.input(), chunk));
    }
    auto* place = scratch.array<int64_t>(chunk.rows);
    for (uint32_t i = 0; i < chunk.rows; ++i) place[i] = position_ + i;
    all_.push_back(make_vector(Type::bigint(), static_cast<const int64_t*>(place), nullptr));
    position_ += chunk.rows;
    const uint64_t bound = sink_.bound().get();
    if (bound == UINT64_MAX) {
      rows->append(all_.data(), chunk.rows, nullptr);
    } else {
      auto* prefix = scratch.array<uint64_t>(chunk.rows);
      sink_.prefixes(all_[sink_.key_place(0)], chunk.rows, prefix);
      auto* better = scratch.array<uint32_t>(chunk.rows);
      uint32_t count = 0;
      for (uint32_t i = 0; i < chunk.rows; ++i) {
        better[count] = i;
        count += static_cast<uint32_t>(prefix[i] <= bound);
      }
      if (count > 0) rows->append(all_.data(), count, better);
    }
    scratch.rewind(mark);
    if (sink_.kept() < UINT32_MAX && rows->size() > std::max(kPruneRowsMin, sink_.kept() * 2)) prune();
  }

  std::shared_ptr<Rows> rows;

 private:
  // Keeps the first rows only, and remembers what a row must have to come in.
  void prune() {
    const std::vector<uint32_t> best = sink_.sorted(*rows, sink_.kept(), *worker_.context.cancel);
    std::vector<Vector> columns;
    for (uint32_t c = 0; c < rows->column_count(); ++c) columns.push_back(rows->whole(c));
    auto kept = std::make_shared<Rows>(sink_.types(), sink_.budget());
    kept->append(columns.data(), static_cast<uint32_t>(best.size()), best.data());
    rows = std::move(kept);
    if (rows->size() < sink_.kept() || rows->size() == 0) return;
    const Scratch::Mark mark = worker_.scratch.mark();
    const uint32_t last = rows->size() - 1;
    uint64_t bound = UINT64_MAX;
    sink_.prefixes(rows->gather(sink_.key_place(0), &last, 1, worker_.scratch), 1, &bound);
    sink_.bound().lower(bound);
    worker_.scratch.rewind(mark);
  }

  const SortSink& sink_;
  Worker& worker_;
  std::vector<Vector> all_;
  int64_t position_ = 0;
};

}  // namespace

SortSink::SortSink(const std::vector<SortKey>& keys, ColumnMap input, uint64_t limit, uint64_t offset, MemoryBudget* budget)
    : keys_(keys), input_(std::move(input)), limit_(limit), offset_(offset), kept_(limit > UINT64_MAX - offset ? UINT64_MAX : limit + offset), budget_(budget),
      types_(input_.types()) {
  CHECK(!keys.empty());
  for (const SortKey& k : keys) {
    uint32_t place = k.expr->kind == ExprKind::kColumn ? input_.find(k.expr->column) : ColumnMap::kNone;
    if (place == ColumnMap::kNone) {
      place = static_cast<uint32_t>(types_.size());
      types_.push_back(k.expr->type);
    }
    places_.push_back(place);
  }
  types_.push_back(Type::bigint());
}

std::unique_ptr<Operator> SortSink::instance(Worker& worker) { return std::make_unique<SortOperator>(*this, worker); }

void SortSink::prefixes(const Vector& v, uint32_t rows, uint64_t* out) const {
  const SortKey& key = keys_[0];
  const uint64_t flip = key.descending ? UINT64_MAX : 0;
  switch (v.lane) {
    case Lane::kInt64:
      if (v.constant) for (uint32_t i = 0; i < rows; ++i) out[i] = (static_cast<uint64_t>(v.i64[0]) ^ (uint64_t{1} << 63)) ^ flip;
      else for (uint32_t i = 0; i < rows; ++i) out[i] = (static_cast<uint64_t>(v.i64[i]) ^ (uint64_t{1} << 63)) ^ flip;
      break;
    case Lane::kInt128:
      for (uint32_t i = 0; i < rows; ++i) out[i] = wide_prefix(v.i128[v.at(i)]) ^ flip;
      break;
    case Lane::kDouble:
      for (uint32_t i = 0; i < rows; ++i) out[i] = double_prefix(v.f64[v.at(i)]) ^ flip;
      break;
    case Lane::kText:
      for (uint32_t i = 0; i < rows; ++i) out[i] = text_prefix(v.is_null(i) ? std::string_view() : v.text_at(i)) ^ flip;
      break;
  }
  if (v.nulls == nullptr) return;
  for (uint32_t i = 0; i < rows; ++i) {
    if (v.is_null(i)) out[i] = key.nulls_first ? 0 : UINT64_MAX;
  }
}

int SortSink::compare(const Vector& v, size_t k, uint32_t a, uint32_t b) const {
  const bool a_null = v.is_null(a), b_null = v.is_null(b);
  if (a_null || b_null) {
    if (a_null == b_null) return 0;
    return a_null == keys_[k].nulls_first ? -1 : 1;
  }
  int r = 0;
  switch (v.lane) {
    case Lane::kInt64: r = order(v.i64[v.at(a)], v.i64[v.at(b)]); break;
    case Lane::kInt128: r = order(v.i128[v.at(a)], v.i128[v.at(b)]); break;
    case Lane::kDouble: r = order_reals(v.f64[v.at(a)], v.f64[v.at(b)]); break;
    case Lane::kText: r = v.codes != nullptr && v.codes[v.at(a)] == v.codes[v.at(b)] ? 0 : order(v.text_at(a), v.text_at(b)); break;
  }
  return keys_[k].descending ? -r : r;
}

std::vector<uint32_t> SortSink::sorted(const Rows& rows, uint64_t keep, const CancelToken& cancel) const {
  struct Entry {
    uint64_t prefix;
    uint32_t row;
  };
  std::vector<Vector> columns;
  for (const uint32_t place : places_) columns.push_back(rows.whole(place));
  const int64_t* position = rows.whole(static_cast<uint32_t>(types_.size()) - 1).i64;
  const uint32_t n = rows.size();
  if (budget_ != nullptr) {
    budget_->charge(uint64_t{n} * sizeof(Entry));
    budget_->release(uint64_t{n} * sizeof(Entry));
  }
  std::vector<uint64_t> prefix(n);
  if (n > 0) prefixes(columns[0], n, prefix.data());
  std::vector<Entry> entries(n);
  for (uint32_t i = 0; i < n; ++i) entries[i] = {prefix[i], i};
  uint64_t steps = 0;
  const auto before = [&](const Entry& a, const Entry& b) {
    if ((++steps & 0xFFFF) == 0) cancel.check();
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    for (size_t k = 0; k < columns.size(); ++k) {
      const int r = compare(columns[k], k, a.row, b.row);
      if (r != 0) return r < 0;
    }
    return position[a.row] < position[b.row];
  };
  if (keep < n) {
    std::nth_element(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(keep), entries.end(), before);
    entries.resize(keep);
  }
  std::sort(entries.begin(), entries.end(), before);
  std::vector<uint32_t> out(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) out[i] = entries[i].row;
  return out;
}

void SortSink::finish(Worker& worker, std::vector<std::unique_ptr<Operator>>& instances) {
  rows_ = static_cast<SortOperator&>(*instances[0]).rows;
  worker.scratch.reset();
  for (size_t w = 1; w < instances.size(); ++w) {
    const auto& more = *static_cast<SortOperator&>(*instances[w]).rows;
    rows_->append(more, 0, more.size(), worker.scratch);
  }
  order_ = sorted(*rows_, kept_, *worker.context.cancel);
  order_.erase(order_.begin(), order_.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(offset_, order_.size())));
}

std::unique_ptr<Source> SortSink::source() {
  std::vector<uint32_t> columns(input_.size());
  for (uint32_t c = 0; c < columns.size(); ++c) columns[c] = c;
  return ordered_source(rows_, std::move(order_), std::move(columns));
}

}  // namespace hdb
