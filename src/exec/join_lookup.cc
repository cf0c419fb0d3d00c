#include "exec/join_lookup.h"

#include <algorithm>
#include <set>

#include "base/epoch.h"
#include "exec/block_columns.h"
#include "store/key_index.h"
#include "txn/block_view.h"

namespace hdb {

namespace {

// The table column that a right key is, or kNone.
uint32_t ordinal_of(const Expr& key, const Node& scan) {
  if (key.kind != ExprKind::kColumn) return ColumnMap::kNone;
  for (const ScanColumn& c : scan.columns) {
    if (c.id == key.column) return c.ordinal;
  }
  return ColumnMap::kNone;
}

Datum datum_of(const Vector& v, uint32_t row, Scratch& scratch) {
  if (v.is_null(row)) return {};
  if (v.lane == Lane::kDouble) return Datum::of(v.f64[v.at(row)]);
  if (v.lane == Lane::kInt64) return Datum::of(v.i64[v.at(row)]);
  return text_datum(v.text_at(row), scratch);
}

}  // namespace

const IndexDef* lookup_index(const Node& join, std::vector<uint32_t>* order) {
  const Node& scan = *join.inputs[1];
  if (scan.kind != NodeKind::kScan || scan.access.kind != AccessKind::kScan || scan.row_id != kNoColumn || join.right_keys.empty()) return nullptr;
  std::vector<uint32_t> ordinals;
  for (const ExprPtr& key : join.right_keys) ordinals.push_back(ordinal_of(*key, scan));
  for (const auto& index : scan.table->indexes) {
    if ((index->kind != IndexKind::kPrimary && index->kind != IndexKind::kUnique) || index->columns.size() != ordinals.size()) continue;
    order->clear();
    for (const uint32_t c : index->columns) {
      const auto at = std::find(ordinals.begin(), ordinals.end(), c);
      if (at == ordinals.end()) break;
      order->push_back(static_cast<uint32_t>(at - ordinals.begin()));
    }
    if (order->size() == index->columns.size()) return index.get();
  }
  return nullptr;
}

std::shared_ptr<Rows> lookup_rows(const Node& join, const IndexDef& index, const std::vector<uint32_t>& order, const Rows& left, const ColumnMap& left_map, Worker& worker,
                                  ColumnMap* map) {
  const Node& scan = *join.inputs[1];
  const Table& table = *scan.table->table;
  Scratch& scratch = worker.scratch;
  std::vector<uint32_t> ordinals;
  std::vector<Type> types;
  for (const ScanColumn& c : scan.columns) {
    ordinals.push_back(c.ordinal);
    types.push_back(scan.table->columns[c.ordinal].type);
    map->add(c.id, types.back());
  }
  const size_t width = ordinals.size(), keys = join.right_keys.size();
  for (const ExprPtr& key : join.right_keys) types.push_back(key->type);
  ordinals.insert(ordinals.end(), index.columns.begin(), index.columns.end());
  auto rows = std::make_shared<Rows>(types, worker.context.budget);
  std::set<uint64_t> found;
  for (uint32_t first = 0; first < left.size(); first += kVectorRows) {
    scratch.reset();
    Chunk chunk;
    chunk.rows = std::min(kVectorRows, left.size() - first);
    for (uint32_t c = 0; c < left.column_count(); ++c) chunk.columns.push_back(left.view(c, first));
    std::vector<Vector> wanted;
    for (const ExprPtr& key : join.left_keys) wanted.push_back(worker.evaluator.evaluate(*key, left_map, chunk));
    for (uint32_t i = 0; i < chunk.rows; ++i) {
      worker.context.cancel->check();
      const Scratch::Mark mark = scratch.mark();
      auto* key = scratch.array<Datum>(keys);
      for (size_t k = 0; k < keys; ++k) key[k] = datum_of(wanted[order[k]], i, scratch);
      auto* row = scratch.array<Datum>(ordinals.size());
      uint64_t hash = 0, row_id = 0;
      bool there = false;
      if (hash_key(table, index.key->columns(), key, &hash)) {
        const EpochManager::Guard guard(*worker.context.epochs);
        there = index.key->find(key, hash, [&](uint64_t candidate) {
          row_id = candidate;
          return read_row(table, candidate, ordinals, worker.context.snapshot, row) && keys_equal(table, index.key->columns(), key, row + width);
        });
      }
      if (there && found.insert(row_id).second) {
        Chunk one;
        one.rows = 1;
        for (uint32_t c = 0; c < width; ++c) one.columns.push_back(vector_of(row[c], map->type(c), scratch));
        uint32_t only = 0;
        if (scan.filters.empty() || worker.evaluator.filter(scan.filters, *map, one, &only) == 1) {
          for (size_t k = 0; k < keys; ++k) one.columns.push_back(one.columns[map->index(join.right_keys[k]->column)]);
          rows->append(one);
        }
      }
      scratch.rewind(mark);
    }
  }
  return rows;
}

}  // namespace hdb
