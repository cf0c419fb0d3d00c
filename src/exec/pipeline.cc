#include "exec/pipeline.h"

#include <algorithm>

namespace hdb {

namespace {

constexpr uint32_t kRowsPerMorsel = kBlockRows;

class RowsSource final : public Source {
 public:
  explicit RowsSource(std::shared_ptr<const Rows> rows) : rows_(std::move(rows)) {}
  uint32_t morsels() const override { return (rows_->size() + kRowsPerMorsel - 1) / kRowsPerMorsel; }
  uint64_t rows_hint() const override { return rows_->size(); }
  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    const uint64_t first = uint64_t{morsel} * kRowsPerMorsel;
    send_slices(first, std::min<uint64_t>(first + kRowsPerMorsel, rows_->size()), worker, out, [&](uint64_t at, uint32_t, Chunk& chunk) {
      chunk.columns.resize(rows_->column_count());
      for (uint32_t c = 0; c < rows_->column_count(); ++c) chunk.columns[c] = rows_->view(c, static_cast<uint32_t>(at));
    });
  }

 private:
  std::shared_ptr<const Rows> rows_;
};

class OrderedSource final : public Source {
 public:
  OrderedSource(std::shared_ptr<const Rows> rows, std::vector<uint32_t> order, std::vector<uint32_t> columns)
      : rows_(std::move(rows)), order_(std::move(order)), columns_(std::move(columns)) {}
  uint32_t morsels() const override { return static_cast<uint32_t>((order_.size() + kRowsPerMorsel - 1) / kRowsPerMorsel); }
  uint64_t rows_hint() const override { return order_.size(); }
  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    const uint64_t first = uint64_t{morsel} * kRowsPerMorsel;
    send_slices(first, std::min<uint64_t>(first + kRowsPerMorsel, order_.size()), worker, out, [&](uint64_t at, uint32_t n, Chunk& chunk) {
      chunk.columns.resize(columns_.size());
      for (size_t c = 0; c < columns_.size(); ++c) chunk.columns[c] = rows_->gather(columns_[c], order_.data() + at, n, worker.scratch);
    });
  }

 private:
  std::shared_ptr<const Rows> rows_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> columns_;
};

// ---- Stages ----------------------------------------------------------------------------------------------------------

class FilterStage final : public Stage {
 public:
  FilterStage(std::vector<ExprPtr> conjuncts, ColumnMap map) : conjuncts_(std::move(conjuncts)), map_(std::move(map)) {}
  std::unique_ptr<Operator> instance(Worker& worker, Operator* next) override {
    class Filter final : public Operator {
     public:
      Filter(const FilterStage& s, Worker& w, Operator* n) : Operator(n), stage_(s), worker_(w) {}
      void push(Chunk& chunk) override {
        auto* rows = worker_.scratch.array<uint32_t>(chunk.rows);
        const uint32_t count = worker_.evaluator.filter(stage_.conjuncts_, stage_.map_, chunk, rows);
        if (count == 0) return;
        if (count == chunk.rows) return next_->push(chunk);
        gather_chunk(chunk, rows, count, worker_.scratch, &kept_);
        next_->push(kept_);
      }

     private:
      const FilterStage& stage_;
      Worker& worker_;
      Chunk kept_;
    };
    return std::make_unique<Filter>(*this, worker, next);
  }

 private:
  std::vector<ExprPtr> conjuncts_;
  ColumnMap map_;
};

class ProjectStage final : public Stage {
 public:
  ProjectStage(std::vector<ExprPtr> exprs, ColumnMap map) : exprs_(std::move(exprs)), map_(std::move(map)) {}
  std::unique_ptr<Operator> instance(Worker& worker, Operator* next) override {
    class Project final : public Operator {
     public:
      Project(const ProjectStage& s, Worker& w, Operator* n) : Operator(n), stage_(s), worker_(w) {}
      void push(Chunk& chunk) override {
        out_.rows = chunk.rows;
        out_.columns.resize(stage_.exprs_.size());
        for (size_t i = 0; i < stage_.exprs_.size(); ++i) out_.columns[i] = worker_.evaluator.evaluate(*stage_.exprs_[i], stage_.map_, chunk);
        next_->push(out_);
      }

     private:
      const ProjectStage& stage_;
      Worker& worker_;
      Chunk out_;
    };
    return std::make_unique<Project>(*this, worker, next);
  }

 private:
  std::vector<ExprPtr> exprs_;
  ColumnMap map_;
};

class SelectStage final : public Stage {
 public:
  explicit SelectStage(std::vector<uint32_t> columns) : columns_(std::move(columns)) {}
  std::unique_ptr<Operator> instance(Worker&, Operator* next) override {
    class Select final : public Operator {
     public:
      Select(const SelectStage& s, Operator* n) : Operator(n), stage_(s) {}
      void push(Chunk& chunk) override {
        out_.rows = chunk.rows;
        out_.columns.resize(stage_.columns_.size());
        for (size_t i = 0; i < stage_.columns_.size(); ++i) out_.columns[i] = chunk.columns[stage_.columns_[i]];
        next_->push(out_);
      }

     private:
      const SelectStage& stage_;
      Chunk out_;
    };
    return std::make_unique<Select>(*this, next);
  }

 private:
  std::vector<uint32_t> columns_;
};

class LimitStage final : public Stage {
 public:
  LimitStage(uint64_t limit, uint64_t offset) : limit_(limit), offset_(offset) {}
  std::unique_ptr<Operator> instance(Worker& worker, Operator* next) override {
    class Limit final : public Operator {
     public:
      Limit(uint64_t limit, uint64_t offset, Worker& w, Operator* n) : Operator(n), left_(limit), skip_(offset), worker_(w) {}
      bool wants_more() const override { return left_ > 0 && next_->wants_more(); }
      void push(Chunk& chunk) override {
        const uint32_t first = static_cast<uint32_t>(std::min<uint64_t>(skip_, chunk.rows));
        skip_ -= first;
        const auto count = static_cast<uint32_t>(std::min<uint64_t>(left_, chunk.rows - first));
        left_ -= count;
        if (count == 0) return;
        if (count == chunk.rows) return next_->push(chunk);
        auto* rows = worker_.scratch.array<uint32_t>(count);
        for (uint32_t i = 0; i < count; ++i) rows[i] = first + i;
        gather_chunk(chunk, rows, count, worker_.scratch, &part_);
        next_->push(part_);
      }

     private:
      uint64_t left_, skip_;
      Worker& worker_;
      Chunk part_;
    };
    return std::make_unique<Limit>(limit_, offset_, worker, next);
  }

 private:
  uint64_t limit_, offset_;
};

// ---- Collect ---------------------------------------------------------------------------------------------------------

class Collect final : public Operator {
 public:
  Collect(const std::vector<Type>& types, MemoryBudget* budget, Rows::Texts texts) : Operator(nullptr), rows(std::make_shared<Rows>(types, budget, texts)) {}
  void start(uint32_t morsel) override { parts.push_back({morsel, rows->size(), 0}); }
  void push(Chunk& chunk) override {
    rows->append(chunk);
    parts.back().count = rows->size() - parts.back().first;
  }

  struct Part {
    uint32_t morsel, first, count;
  };
  std::shared_ptr<Rows> rows;
  std::vector<Part> parts;
};

}  // namespace

std::unique_ptr<Source> rows_source(std::shared_ptr<const Rows> rows) { return std::make_unique<RowsSource>(std::move(rows)); }
std::unique_ptr<Source> ordered_source(std::shared_ptr<const Rows> rows, std::vector<uint32_t> order, std::vector<uint32_t> columns) {
  return std::make_unique<OrderedSource>(std::move(rows), std::move(order), std::move(columns));
}
std::unique_ptr<Stage> filter_stage(std::vector<ExprPtr> conjuncts, ColumnMap map) {
  return std::make_unique<FilterStage>(std::move(conjuncts), std::move(map));
}
std::unique_ptr<Stage> project_stage(std::vector<ExprPtr> exprs, ColumnMap map) {
  return std::make_unique<ProjectStage>(std::move(exprs), std::move(map));
}
std::unique_ptr<Stage> limit_stage(uint64_t limit, uint64_t offset) { return std::make_unique<LimitStage>(limit, offset); }
std::unique_ptr<Stage> select_stage(std::vector<uint32_t> columns) { return std::make_unique<SelectStage>(std::move(columns)); }

std::unique_ptr<Operator> CollectSink::instance(Worker&) { return std::make_unique<Collect>(types_, budget_, texts_); }

void CollectSink::finish(Worker& worker, std::vector<std::unique_ptr<Operator>>& instances) {
  if (instances.size() == 1) {  // its morsels came in order
    rows_ = static_cast<Collect&>(*instances[0]).rows;
    return;
  }
  struct Ordered {
    Collect::Part part;
    const Rows* rows;
  };
  std::vector<Ordered> all;
  for (const auto& instance : instances) {
    const auto& collect = static_cast<const Collect&>(*instance);
    for (const Collect::Part& part : collect.parts) {
      if (part.count > 0) all.push_back({part, collect.rows.get()});
    }
  }
  std::sort(all.begin(), all.end(), [](const Ordered& a, const Ordered& b) { return a.part.morsel < b.part.morsel; });
  rows_ = std::make_shared<Rows>(types_, budget_, texts_);
  worker.scratch.reset();
  for (const Ordered& o : all) rows_->append(*o.rows, o.part.first, o.part.count, worker.scratch);
}

}  // namespace hdb
