#include "exec/join.h"

#include <algorithm>

#include "base/check.h"

namespace hdb {

namespace {

constexpr uint32_t kNoRow = 0xFFFFFFFFu;

// As gather, with NULL where rows[i] is kNoRow.
Vector gather_or_null(const Rows& from, uint32_t column, const uint32_t* rows, uint32_t count, bool any_missing, Scratch& scratch) {
  if (!any_missing) return from.gather(column, rows, count, scratch);
  if (from.size() == 0) return null_vector(from.type(column));
  auto* safe = scratch.array<uint32_t>(count);
  for (uint32_t i = 0; i < count; ++i) safe[i] = rows[i] == kNoRow ? 0 : rows[i];
  Vector v = from.gather(column, safe, count, scratch);
  NullMask nulls(v.nulls, count, scratch);
  for (uint32_t i = 0; i < count; ++i) {
    if (rows[i] == kNoRow) nulls.set(i);
  }
  v.nulls = nulls.words();
  return v;
}

class Probe final : public Operator {
 public:
  Probe(const JoinShape& shape, const JoinTable& table, Worker& worker, Operator* next)
      : Operator(next), shape_(shape), table_(table), worker_(worker), left_columns_(shape.left.size()) {
    const auto needed = [&](uint32_t place) { right_needed_[place - left_columns_] = true; };
    right_needed_.resize(shape.both.size() - left_columns_);
    for (const uint32_t place : shape.out) {
      if (place >= left_columns_) needed(place);
    }
    std::vector<ColumnId> used;
    for (const ExprPtr& e : shape.residual) collect_columns(*e, &used);
    for (const ColumnId id : used) {
      const uint32_t place = shape.both.index(id);
      if (place >= left_columns_) needed(place);
    }
  }

  void push(Chunk& chunk) override {
    Scratch& scratch = worker_.scratch;
    const uint32_t* ids = nullptr;
    if (table_.keys != nullptr) {
      keys_.resize(shape_.left_keys.size());
      for (size_t k = 0; k < keys_.size(); ++k) keys_[k] = worker_.evaluator.evaluate(*shape_.left_keys[k], shape_.left, chunk);
      auto* found = scratch.array<uint32_t>(chunk.rows);
      table_.keys->find(keys_.data(), chunk.rows, scratch, finder_, found);
      ids = found;
    }
    if (table_.unique && shape_.residual.empty()) return push_unique(chunk, ids);
    push_pairs(chunk, ids);
  }

 private:
  // At most one match a row: ids are the right rows.
  void push_unique(Chunk& chunk, const uint32_t* ids) {
    const bool left_join = shape_.kind == JoinKind::kLeft;
    auto* kept = worker_.scratch.array<uint32_t>(chunk.rows);
    uint32_t count = 0;
    for (uint32_t i = 0; i < chunk.rows; ++i) {
      kept[count] = i;
      count += static_cast<uint32_t>(ids[i] != kNoRow);
    }
    if (count == chunk.rows || left_join) return emit(chunk, nullptr, ids, chunk.rows, count != chunk.rows);
    if (count == 0) return;
    auto* right = worker_.scratch.array<uint32_t>(count);
    for (uint32_t i = 0; i < count; ++i) right[i] = ids[kept[i]];
    emit(chunk, kept, right, count, false);
  }

  // left: rows of the chunk, null for all of them in order. right: rows of the table, kNoRow for NULLs.
  void emit(const Chunk& chunk, const uint32_t* left, const uint32_t* right, uint32_t count, bool any_missing) {
    out_.rows = count;
    out_.columns.resize(shape_.out.size());
    for (size_t i = 0; i < shape_.out.size(); ++i) {
      const uint32_t place = shape_.out[i];
      if (place >= left_columns_) out_.columns[i] = gather_or_null(*table_.rows, place - left_columns_, right, count, any_missing, worker_.scratch);
      else out_.columns[i] = left == nullptr ? chunk.columns[place] : gather(chunk.columns[place], left, count, worker_.scratch);
    }
    next_->push(out_);
  }

  // Pairs of one batch, and the chunk rows that end in it (for LEFT JOIN).
  struct Batch {
    uint32_t left[kVectorRows];
    uint32_t right[kVectorRows];
    uint32_t count = 0;
  };

  void push_pairs(Chunk& chunk, const uint32_t* ids) {
    const Scratch::Mark mark = worker_.scratch.mark();
    if (batch_ == nullptr) batch_ = std::make_unique<Batch>();
    Batch& b = *batch_;
    b.count = 0;
    matched_.assign(chunk.rows, 0);
    const bool left_join = shape_.kind == JoinKind::kLeft;
    const auto add = [&](uint32_t left, uint32_t right) {
      b.left[b.count] = left;
      b.right[b.count++] = right;
      if (b.count < kVectorRows) return;
      worker_.context.cancel->check();
      flush(chunk);
      worker_.scratch.rewind(mark);
    };
    for (uint32_t i = 0; i < chunk.rows && next_->wants_more(); ++i) {
      uint32_t first = 0, end = 0;
      if (table_.keys == nullptr) end = table_.rows->size();
      else if (ids[i] != kNoRow && table_.unique) first = ids[i], end = first + 1;
      else if (ids[i] != kNoRow) first = table_.starts[ids[i]], end = table_.starts[ids[i] + 1];
      const bool direct = table_.keys == nullptr || table_.unique;
      for (uint32_t m = first; m < end; ++m) add(i, direct ? m : table_.matches[m]);
      if (left_join && (first == end || !shape_.residual.empty())) add(i, kNoRow);
    }
    if (b.count > 0) flush(chunk);
  }

  // Judges the batch by the residual conditions and sends what stays. The pair (row, kNoRow) follows all pairs of its row (J2).
  void flush(const Chunk& chunk) {
    Batch& b = *batch_;
    uint32_t count = b.count;
    bool missing = false;
    if (shape_.residual.empty()) {
      for (uint32_t i = 0; i < count; ++i) missing = missing || b.right[i] == kNoRow;
    } else {
      count = judge(chunk);
      for (uint32_t i = 0; i < count; ++i) missing = missing || b.right[i] == kNoRow;
    }
    if (count > 0) emit(chunk, b.left, b.right, count, missing);
    b.count = 0;
  }

  uint32_t judge(const Chunk& chunk) {
    Batch& b = *batch_;
    Scratch& scratch = worker_.scratch;
    auto* real = scratch.array<uint32_t>(b.count);  // places of pairs with a right row
    auto* left = scratch.array<uint32_t>(b.count);
    auto* right = scratch.array<uint32_t>(b.count);
    uint32_t reals = 0;
    for (uint32_t i = 0; i < b.count; ++i) {
      if (b.right[i] == kNoRow) continue;
      left[reals] = b.left[i];
      right[reals] = b.right[i];
      real[reals++] = i;
    }
    Chunk both;
    both.rows = reals;
    for (uint32_t c = 0; c < left_columns_; ++c) both.columns.push_back(gather(chunk.columns[c], left, reals, scratch));
    for (uint32_t c = 0; c < right_needed_.size(); ++c) {
      both.columns.push_back(right_needed_[c] ? table_.rows->gather(c, right, reals, scratch) : Vector());
    }
    auto* passing = scratch.array<uint32_t>(reals);
    const uint32_t passed = reals == 0 ? 0 : worker_.evaluator.filter(shape_.residual, shape_.both, both, passing);
    uint32_t kept = 0, p = 0;
    for (uint32_t i = 0; i < b.count; ++i) {
      bool keep = false;
      if (b.right[i] == kNoRow) {
        keep = matched_[b.left[i]] == 0;
      } else if (p < passed && real[passing[p]] == i) {
        keep = true;
        ++p;
        matched_[b.left[i]] = 1;
      }
      if (!keep) continue;
      b.left[kept] = b.left[i];
      b.right[kept++] = b.right[i];
    }
    return kept;
  }

  const JoinShape& shape_;
  const JoinTable& table_;
  Worker& worker_;
  uint32_t left_columns_;
  std::vector<bool> right_needed_;
  std::vector<Vector> keys_;
  KeyTable::Finder finder_;
  std::vector<char> matched_;
  std::unique_ptr<Batch> batch_;
  Chunk out_;
};

class ProbeStage final : public Stage {
 public:
  ProbeStage(JoinShape shape, std::shared_ptr<const JoinTable> table) : shape_(std::move(shape)), table_(std::move(table)) {}
  std::unique_ptr<Operator> instance(Worker& worker, Operator* next) override { return std::make_unique<Probe>(shape_, *table_, worker, next); }

 private:
  JoinShape shape_;
  std::shared_ptr<const JoinTable> table_;
};

// Rows without a NULL key, if there are others.
std::shared_ptr<Rows> without_null_keys(std::shared_ptr<Rows> rows, uint32_t first_key, Worker& worker) {
  std::vector<uint32_t> good;
  bool any = false;
  for (uint32_t c = first_key; c < rows->column_count(); ++c) any = any || rows->whole(c).nulls != nullptr;
  if (!any) return rows;
  for (uint32_t r = 0; r < rows->size(); ++r) {
    bool null = false;
    for (uint32_t c = first_key; c < rows->column_count(); ++c) null = null || rows->is_null(c, r);
    if (!null) good.push_back(r);
  }
  if (good.size() == rows->size()) return rows;
  std::vector<Type> types;
  std::vector<Vector> columns;
  for (uint32_t c = 0; c < rows->column_count(); ++c) {
    types.push_back(rows->type(c));
    columns.push_back(rows->whole(c));
  }
  auto kept = std::make_shared<Rows>(types, worker.context.budget);
  kept->append(columns.data(), static_cast<uint32_t>(good.size()), good.data());
  return kept;
}

}  // namespace

std::shared_ptr<JoinTable> build_join(std::shared_ptr<Rows> rows, uint32_t key_count, Worker& worker) {
  auto table = std::make_shared<JoinTable>();
  if (key_count == 0) {
    table->rows = std::move(rows);
    return table;
  }
  const uint32_t first_key = rows->column_count() - key_count;
  rows = without_null_keys(std::move(rows), first_key, worker);
  std::vector<Type> types;
  for (uint32_t k = 0; k < key_count; ++k) types.push_back(rows->type(first_key + k));
  table->keys = std::make_unique<KeyTable>(std::move(types), std::max<uint64_t>(rows->size(), 1u << 16), worker.context.budget);
  std::vector<uint32_t> ids(rows->size());
  std::vector<Vector> keys(key_count);
  for (uint32_t first = 0; first < rows->size(); first += kVectorRows) {
    worker.context.cancel->check();
    worker.scratch.reset();
    for (uint32_t k = 0; k < key_count; ++k) keys[k] = rows->view(first_key + k, first);
    table->keys->insert(keys.data(), std::min(kVectorRows, rows->size() - first), worker.scratch, ids.data() + first);
  }
  table->unique = table->keys->size() == rows->size();
  if (!table->unique) {
    table->starts.assign(table->keys->size() + 1, 0);
    for (const uint32_t id : ids) ++table->starts[id + 1];
    for (size_t i = 1; i < table->starts.size(); ++i) table->starts[i] += table->starts[i - 1];
    table->matches.resize(rows->size());
    std::vector<uint32_t> next(table->starts.begin(), table->starts.end() - 1);
    for (uint32_t r = 0; r < rows->size(); ++r) table->matches[next[ids[r]]++] = r;
  }
  table->rows = std::move(rows);
  return table;
}

std::unique_ptr<Stage> probe_stage(JoinShape shape, std::shared_ptr<const JoinTable> table) {
  return std::make_unique<ProbeStage>(std::move(shape), std::move(table));
}

}  // namespace hdb
