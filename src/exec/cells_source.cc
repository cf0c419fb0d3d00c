#include <algorithm>
#include <optional>

#include "base/bitmap.h"
#include "exec/cells_source.h"
#include "plane/folded_cells.h"
#include "plane/summary.h"

namespace hdb {

ColumnMap scan_output(const Node& scan) {
  ColumnMap map;
  for (const ScanColumn& c : scan.columns) map.add(c.id, c.derived ? c.derived->type : scan.table->columns[c.ordinal].type);
  const auto hidden = [&](ColumnId id, const Type& type) {
    if (id != kNoColumn) map.add(id, type);
  };
  hidden(scan.access.weight, Type::bigint());
  for (const MeasureColumns& m : scan.access.measures) {
    const Type& own = scan.table->columns[m.measure].type;
    hidden(m.sum, Type::decimal(kDecimalDigitsMax, own.id == TypeId::kDecimal ? own.scale : 0));
    hidden(m.count, Type::bigint());
    hidden(m.min, own);
    hidden(m.max, own);
  }
  hidden(scan.row_id, Type::bigint());
  return map;
}

namespace {

constexpr uint32_t kSummaryChunks = 16;  // reads of kVectorRows cells a morsel

class CellsSource final : public Source {
 public:
  CellsSource(const Node& scan, ExecContext& context)
      : scan_(&scan), table_(*scan_->table->table), map_(scan_output(*scan_)) {
    for (const ScanColumn& c : scan_->columns) request_.dimensions.push_back(c.ordinal);
    const bool parted = ask_for_parts(context);
    for (const MeasureColumns& m : scan_->access.measures) {
      request_.measures.push_back(m.measure);
      request_.extremes |= m.min != kNoColumn || m.max != kNoColumn;
    }
    const AccessKind kind = scan_->access.kind;
    if (kind == AccessKind::kSummary || kind == AccessKind::kLimb) {
      // A kept plan may meet a snapshot that its summary does not serve: then the same cells are counted from the blocks (never kept).
      if (!scan_->access.index->summary->declines(context.snapshot)) summary_ = scan_->access.index->summary.get();
    }
    if (summary_ != nullptr) {
      whole_ = summary_->folded(context.snapshot, request_);
      if (whole_ == nullptr && parted) {
        ask_for_values();
        whole_ = summary_->folded(context.snapshot, request_);
      }
      return;
    }
    if (parted) ask_for_values();
    const bool keep = kind == AccessKind::kBlockCells || kind == AccessKind::kZoneSums;
    folded_.emplace(table_, context.snapshot, request_, keep, *context.epochs, *context.cancel);
    whole_ = folded_->whole();
  }

  uint32_t morsels() const override {
    if (whole_ != nullptr) return 1;
    if (summary_ == nullptr) return static_cast<uint32_t>(folded_->runs());
    const uint64_t each = uint64_t{kSummaryChunks} * kVectorRows;
    return static_cast<uint32_t>((summary_->cell_count() + each - 1) / each);
  }
  uint64_t rows_hint() const override {
    return whole_ != nullptr ? whole_->rows : summary_ != nullptr ? summary_->cell_count() : folded_->rows_to_read();
  }

  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    if (whole_ != nullptr) return send(*whole_, worker, out);
    if (summary_ != nullptr) return run_summary(morsel, worker, out);
    for (const FoldedCells::Batch& batch : folded_->read(morsel)) send(*batch, worker, out);
  }

 private:
  // R6 (plan/route_cells.h). False: there are no derived columns, or they are made from whole values (place_).
  bool ask_for_parts(const ExecContext& context) {
    const auto& columns = scan_->columns;
    if (std::none_of(columns.begin(), columns.end(), [](const ScanColumn& c) { return c.derived != nullptr; })) return false;
    request_.parts.resize(columns.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].derived == nullptr) continue;
      const Expr& call = *columns[i].derived;
      const Expr& name = *call.args[0];
      const Value field_name = name.kind == ExprKind::kConstant ? name.constant : evaluate_constant(name, context.parameters);
      const auto field = field_name.null ? std::nullopt : date_field(field_name.text);
      const bool truncate = call.function == Function::kDateTrunc;
      if (!field || (truncate && !can_truncate(*field))) {  // an error, once there is a row; or NULL
        ask_for_values();
        return false;
      }
      request_.parts[i] = DatePart{*field, truncate, call.args[1]->type.id == TypeId::kDate, call.type.id == TypeId::kDate};
    }
    return true;
  }

  // The columns themselves, each once; what is derived from them is evaluated in send().
  void ask_for_values() {
    request_.parts.clear();
    request_.dimensions.clear();
    for (const ScanColumn& c : scan_->columns) {
      const auto at = std::find(request_.dimensions.begin(), request_.dimensions.end(), c.ordinal);
      place_.push_back(static_cast<uint32_t>(at - request_.dimensions.begin()));
      if (at != request_.dimensions.end()) continue;
      request_.dimensions.push_back(c.ordinal);
      values_map_.add(c.derived ? c.source : c.id, scan_->table->columns[c.ordinal].type);
    }
  }

  void put_dimensions(const CellBatch& batch, uint32_t first, Worker& worker, Chunk* chunk) const {
    for (const CellDimension& d : batch.dimensions) chunk->columns.push_back(dimension(d, first, chunk->rows, worker.scratch));
    if (place_.empty()) return;
    Chunk values;
    values.rows = chunk->rows;
    values.columns.swap(chunk->columns);
    for (size_t i = 0; i < place_.size(); ++i) {
      const ScanColumn& c = scan_->columns[i];
      if (c.derived == nullptr) chunk->columns.push_back(values.columns[place_[i]]);
      else chunk->columns.push_back(flatten(worker.evaluator.evaluate(*c.derived, values_map_, values), chunk->rows, worker.scratch));
    }
  }

  void run_summary(uint32_t morsel, Worker& worker, Operator& out) {
    CellBatch batch;
    const uint64_t first = uint64_t{morsel} * kSummaryChunks * kVectorRows, end = first + uint64_t{kSummaryChunks} * kVectorRows;
    for (uint64_t next = first; next < end && out.wants_more();) {
      worker.context.cancel->check();
      next = summary_->read(worker.context.snapshot, next, request_, &batch);
      send(batch, worker, out);
    }
  }

  // Slices of at most a vector's length; the batch outlives them.
  void send(const CellBatch& batch, Worker& worker, Operator& out) {
    for (uint32_t first = 0; first < batch.rows && out.wants_more(); first += kVectorRows) {
      worker.scratch.reset();
      Chunk chunk;
      chunk.rows = std::min(kVectorRows, batch.rows - first);
      put_dimensions(batch, first, worker, &chunk);
      if (scan_->access.weight != kNoColumn) chunk.columns.push_back(make_vector<int64_t>(Type::bigint(), batch.weight.data() + first, nullptr));
      for (size_t m = 0; m < batch.measures.size(); ++m) measure(batch.measures[m], scan_->access.measures[m], first, chunk, worker.scratch);
      if (scan_->filters.empty()) {
        out.push(chunk);
        continue;
      }
      auto* rows = worker.scratch.array<uint32_t>(chunk.rows);
      const uint32_t count = worker.evaluator.filter(scan_->filters, map_, chunk, rows);
      if (count == chunk.rows) {
        out.push(chunk);
      } else if (count > 0) {
        Chunk kept;
        gather_chunk(chunk, rows, count, worker.scratch, &kept);
        out.push(kept);
      }
    }
  }

  static Vector dimension(const CellDimension& d, uint32_t first, uint32_t rows, Scratch& scratch) {
    const uint64_t* nulls = d.any_null ? d.nulls.data() + first / 64 : nullptr;
    if (d.type.lane() != Lane::kText) return make_vector<int64_t>(d.type, d.values.data() + first, nulls);
    if (d.dictionary == nullptr) return make_vector<std::string_view>(d.type, d.texts.data() + first, nulls);
    if (d.dictionary->size() == 0) {  // W2: nothing but NULLs
      auto* empty = scratch.array<std::string_view>(rows);
      std::fill(empty, empty + rows, std::string_view("", 0));
      return make_vector<std::string_view>(d.type, empty, nulls);
    }
    Vector v;
    v.type = d.type;
    v.lane = Lane::kText;
    v.codes = d.codes.data() + first;
    v.dictionary = d.dictionary;
    v.nulls = nulls;
    return v;
  }

  void measure(const CellMeasure& m, const MeasureColumns& ids, uint32_t first, Chunk& chunk, Scratch& scratch) const {
    const Type& own = table_.type(ids.measure);
    const Type sum = Type::decimal(kDecimalDigitsMax, own.id == TypeId::kDecimal ? own.scale : 0);
    if (ids.sum != kNoColumn) chunk.columns.push_back(make_vector<int128>(sum, m.sum.data() + first, nullptr));
    if (ids.count != kNoColumn) chunk.columns.push_back(make_vector<int64_t>(Type::bigint(), m.count.data() + first, nullptr));
    if (ids.min == kNoColumn && ids.max == kNoColumn) return;
    NullMask none(nullptr, chunk.rows, scratch);
    for (uint32_t i = 0; i < chunk.rows; ++i) {
      if (m.count[first + i] == 0) none.set(i);
    }
    if (ids.min != kNoColumn) chunk.columns.push_back(make_vector<int64_t>(own, m.min.data() + first, none.words()));
    if (ids.max != kNoColumn) chunk.columns.push_back(make_vector<int64_t>(own, m.max.data() + first, none.words()));
  }

  const Node* scan_;
  const Table& table_;
  ColumnMap map_;
  CellRequest request_;
  std::vector<uint32_t> place_;  // by column of the scan: the dimension that it is or is derived from; empty: they are the same
  ColumnMap values_map_;         // of the dimensions then
  const Summary* summary_ = nullptr;
  std::optional<FoldedCells> folded_;  // zone sums and block cells
  std::shared_ptr<const CellBatch> whole_;  // all cells, added up over what is asked for; null: read by morsel
};

}  // namespace

std::unique_ptr<Source> cells_source(const Node& scan, ExecContext& context) {
  return std::make_unique<CellsSource>(scan, context);
}

}  // namespace hdb
