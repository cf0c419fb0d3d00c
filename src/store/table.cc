#include "store/table.h"

#include "base/check.h"
#include "store/column_cache.h"
#include "store/value.h"

namespace hdb {

std::atomic<uint32_t> Table::run_blocks_of_new_{kRunBlocks};

Table::Table(uint64_t id, std::string name, std::vector<ColumnShape> shape, MemoryBudget* budget)
    : id_(id), name_(std::move(name)), shape_(std::move(shape)), columns_(shape_.size()), budget_(budget),
      run_blocks_(run_blocks_of_new_.load(std::memory_order_relaxed)), whole_(std::make_unique<ChangeScope>()), chunks_(new std::atomic<Block**>[kChunks]()) {
  for (size_t i = 0; i < shape_.size(); ++i) {
    columns_[i].type = shape_[i].type;
    if (shape_[i].type.lane() == Lane::kText) columns_[i].dictionary = std::make_shared<Dictionary>(budget_);
  }
}

void Table::keep_in(std::shared_ptr<ColumnCache> cache) {
  cache->add(this);
  cache_ = std::move(cache);
}

BufferRef Table::pin(uint64_t index, uint32_t column) const {
  Block& b = block(index);
  if (cache_ != nullptr) return cache_->pin(*this, b, column);
  const SharedLatch hold(b.latch);
  return b.columns[column];
}

Datum Table::latest_by_latch(const Block& b, uint32_t slot, uint32_t column) const {
  {
    const SharedLatch hold(b.latch);
    if (b.columns[column]) return b.columns[column]->at(slot);
  }
  return pin(b.index(), column)->at(slot);
}

Table::~Table() {
  if (cache_ != nullptr) cache_->remove(this);
  for (uint64_t i = 0; i < block_count(); ++i) delete &block(i);
  for (uint64_t c = 0; c < kChunks; ++c) delete[] chunks_[c].load(std::memory_order_relaxed);
}

Block& Table::add_block() {
  const uint64_t index = block_count();
  if (index >= kTableRowsMax / kBlockRows) fail(sqlstate::kProgramLimit, "table " + name_ + " has reached its limit of rows");
  if (index % run_blocks_ == 0 && index / run_blocks_ == runs_.size()) runs_.push_back(std::make_unique<ChangeScope>());
  auto block = std::make_unique<Block>(index, column_count(), runs_[index / run_blocks_].get(), whole_.get());
  std::atomic<Block**>& chunk = chunks_[index / kChunkBlocks];
  if (chunk.load(std::memory_order_relaxed) == nullptr) chunk.store(new Block*[kChunkBlocks](), std::memory_order_release);
  Block* raw = block.release();
  chunk.load(std::memory_order_relaxed)[index % kChunkBlocks] = raw;
  block_count_.store(index + 1, std::memory_order_release);
  return *raw;
}

uint64_t Table::bytes() const {
  uint64_t total = 0;
  for (const ColumnStore& c : columns_) total += c.dictionary != nullptr ? c.dictionary->bytes() : 0;
  for (uint64_t i = 0; i < block_count(); ++i) {
    const Block& b = block(i);
    const SharedLatch hold(b.latch);
    total += sizeof(Block) + sizeof(VisibleBitmap) + b.zones.size() * sizeof(Zone);
    for (const BufferRef& c : b.columns) total += c ? sizeof(ColumnBuffer) + c->bytes() : 0;
  }
  return total;
}

Datum to_datum(Table& table, uint32_t column, const Value& value) {
  if (value.null) return {};
  switch (table.type(column).lane()) {
    case Lane::kText: return table.intern(column, value.text);
    case Lane::kDouble: return Datum::of(value.real);
    default: return Datum::of(value.int64());
  }
}

Value to_value(const Type& type, const Datum& datum) {
  if (datum.null) return Value::make_null(type);
  Value v;
  v.type = type;
  v.null = false;
  switch (type.lane()) {
    case Lane::kText: v.text = std::string(datum.text()->view()); break;
    case Lane::kDouble: v.real = datum.f64(); break;
    default: v.number = datum.i64();
  }
  return v;
}

}  // namespace hdb
