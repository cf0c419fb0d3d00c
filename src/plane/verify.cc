#include <map>
#include <string>
#include <utility>

#include "base/bitmap.h"
#include "base/budget.h"
#include "plane/summary.h"
#include "txn/block_view.h"

namespace hdb {

namespace {

struct Sums {
  int64_t weight = 0;
  std::vector<std::pair<int128, int64_t>> measures;  // sum, count of values
  bool operator==(const Sums&) const = default;
};
using Rebuild = std::map<std::vector<std::string>, Sums>;

std::string key_part(const Type& type, const Datum& d) {
  return d.null ? std::string("n") : "v" + to_text(to_value(type, d));
}
std::string key_part(const CellDimension& d, uint32_t i) {
  if (d.any_null && bit_test(d.nulls.data(), i)) return "n";
  Value v;
  v.type = d.type;
  v.null = false;
  if (d.dictionary != nullptr) v.text = std::string(d.dictionary->text(d.codes[i]));
  else if (d.type.lane() == Lane::kText) v.text = std::string(d.texts[i]);
  else v.number = d.values[i];
  return "v" + to_text(v);
}

// Row by row, with nothing of the plane's own code.
Rebuild rebuild(const Summary& summary, const Snapshot& snapshot, const CancelToken* cancel) {
  const Table& table = *summary.table();
  std::vector<uint32_t> columns = summary.dimensions();
  columns.insert(columns.end(), summary.measures().begin(), summary.measures().end());
  const size_t dims = summary.dimensions().size();
  Rebuild cells;
  std::vector<std::string> key(dims);
  BlockView view;
  for (uint64_t b = 0; b < table.block_count(); ++b) {
    if (cancel != nullptr) cancel->check();
    view.open(table, b, columns, snapshot);
    for_each_bit(view.visible(), bitmap_words(view.rows()), [&](uint32_t slot) {
      for (size_t d = 0; d < dims; ++d) key[d] = key_part(table.type(columns[d]), view.column(d).at(slot));
      Sums& s = cells[key];
      s.measures.resize(columns.size() - dims);
      ++s.weight;
      for (size_t m = dims; m < columns.size(); ++m) {
        const Datum d = view.column(m).at(slot);
        if (d.null) continue;
        s.measures[m - dims].first += d.i64();
        ++s.measures[m - dims].second;
      }
    });
  }
  return cells;
}

}  // namespace

VerifyResult verify_summary(const Summary& summary, const Snapshot& snapshot, const CancelToken* cancel) {
  Rebuild expected = rebuild(summary, snapshot, cancel);
  VerifyResult result;
  CellRequest request{summary.dimensions(), summary.measures(), false};
  CellBatch batch;
  for (uint64_t next = 0; next != UINT64_MAX;) {
    if (cancel != nullptr) cancel->check();
    next = summary.read(snapshot, next, request, &batch);
    for (uint32_t i = 0; i < batch.rows; ++i) {
      std::vector<std::string> key;
      for (const CellDimension& d : batch.dimensions) key.push_back(key_part(d, i));
      Sums s;
      s.weight = batch.weight[i];
      for (const CellMeasure& m : batch.measures) s.measures.emplace_back(m.sum[i], m.count[i]);
      ++result.cells_checked;
      const auto it = expected.find(key);
      // A cell that the rows do not have, or that came twice, or whose sums differ.
      if (it == expected.end() || !(it->second == s)) ++result.differences;
      if (it != expected.end()) expected.erase(it);
    }
  }
  // Cells that the plane lacks.
  result.cells_checked += expected.size();
  result.differences += expected.size();
  return result;
}

}  // namespace hdb
