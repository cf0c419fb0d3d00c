#include "exec/sources.h"

#include "base/check.h"
#include "base/epoch.h"
#include "plane/summary.h"

namespace hdb {

namespace {

void add_output(const Node& node, ColumnMap* map) {
  for (const OutputColumn& c : node.output) map->add(c.id, c.type);
}

// ---- VALUES ----------------------------------------------------------------------------------------------------------

class ValuesSource final : public Source {
 public:
  explicit ValuesSource(const Node& node) : node_(node) {}
  uint32_t morsels() const override { return 1; }
  uint64_t rows_hint() const override { return node_.rows.size(); }
  void run(uint32_t, Worker& worker, Operator& out) override {
    Chunk none;
    none.rows = 1;
    const ColumnMap nothing;
    const size_t width = node_.output.size();
    std::vector<Type> types;
    for (const OutputColumn& c : node_.output) types.push_back(c.type);
    send_slices(0, node_.rows.size(), worker, out, [&](uint64_t first, uint32_t n, Chunk& chunk) {
      rows_ = std::make_unique<Rows>(types, worker.context.budget);
      std::vector<Vector> row(width);
      for (uint32_t r = 0; r < n; ++r) {
        const Scratch::Mark mark = worker.scratch.mark();
        for (size_t c = 0; c < width; ++c) row[c] = worker.evaluator.evaluate(*node_.rows[first + r][c], nothing, none);
        rows_->append(row.data(), 1, nullptr);
        worker.scratch.rewind(mark);
      }
      chunk.columns.clear();
      for (uint32_t c = 0; c < width; ++c) chunk.columns.push_back(rows_->whole(c));
    });
  }

 private:
  const Node& node_;
  std::unique_ptr<Rows> rows_;
};

// ---- summary_verify ----------------------------------------------------------------------------------------------------

class VerifySource final : public Source {
 public:
  explicit VerifySource(const Node& node) : node_(node) {}
  uint32_t morsels() const override { return 1; }
  uint64_t rows_hint() const override { return 1; }
  void run(uint32_t, Worker& worker, Operator& out) override {
    worker.scratch.reset();
    const EpochManager::Guard guard(*worker.context.epochs);
    const VerifyResult r = verify_summary(*node_.access.index->summary, worker.context.snapshot, worker.context.cancel);
    auto* values = worker.scratch.array<int64_t>(2);
    values[0] = static_cast<int64_t>(r.cells_checked);
    values[1] = static_cast<int64_t>(r.differences);
    Chunk chunk;
    chunk.rows = 1;
    CHECK(node_.output.size() == 2);
    for (int i = 0; i < 2; ++i) chunk.columns.push_back(make_vector(Type::bigint(), static_cast<const int64_t*>(values + i), nullptr));
    out.push(chunk);
  }

 private:
  const Node& node_;
};

}  // namespace

std::unique_ptr<Source> values_source(const Node& node, ExecContext&, ColumnMap* map) {
  add_output(node, map);
  return std::make_unique<ValuesSource>(node);
}

std::unique_ptr<Source> table_function_source(const Node& node, ExecContext&, ColumnMap* map) {
  CHECK(node.function == "summary_verify");
  add_output(node, map);
  return std::make_unique<VerifySource>(node);
}

}  // namespace hdb
