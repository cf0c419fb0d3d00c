#include "exec/key_map.h"

#include <algorithm>

#include "base/hash.h"
#include "exec/key_table.h"
#include "plan/make.h"
#include "store/table.h"

namespace hdb {

namespace {

constexpr size_t kMapsMax = 16;               // kept of one table
constexpr uint64_t kSparse = 8, kSmall = 65'536;

void text_of(const Expr& e, const Node& scan, std::span<const Value> parameters, std::string* out) {
  *out += std::to_string(static_cast<int>(e.kind)) + "." + std::to_string(static_cast<int>(e.function)) + to_string(e.type);
  if (e.kind == ExprKind::kConstant || e.kind == ExprKind::kParameter) {
    const Value v = evaluate_constant(e, parameters);
    const std::string text = v.null ? "NULL" : to_text(v);
    *out += std::to_string(text.size()) + ":" + text;
  }
  for (const ScanColumn& c : scan.columns) {
    if (e.kind == ExprKind::kColumn && c.id == e.column) *out += "c" + std::to_string(c.ordinal);
  }
  *out += "(";
  for (const ExprPtr& a : e.args) text_of(*a, scan, parameters, out);
  *out += ")";
}

std::string name_of(const LimbShape& shape, std::span<const Value> parameters) {
  std::string out = std::to_string(shape.dimension_key);
  for (const ScanColumn& c : shape.attributes) out += "," + std::to_string(c.ordinal);
  out += shape.key_ids.empty() ? ";" : "k;";
  if (shape.left) out += "l;";
  for (const ExprPtr& f : shape.dimension->filters) text_of(*f, *shape.dimension, parameters, &out);
  return out;
}

// Has the reader's own transaction changed the table?
bool changed_by(const Table& table, const TransactionState* transaction) {
  if (transaction == nullptr) return false;
  for (uint64_t b = 0; b < table.block_count(); ++b) {
    const SharedLatch hold(table.block(b).latch);
    if (table.block(b).last.transaction == transaction) return true;
  }
  return false;
}

ColumnId column_id(const Node& scan, uint32_t ordinal) {
  for (const ScanColumn& c : scan.columns) {
    if (c.ordinal == ordinal) return c.id;
  }
  return kNoColumn;
}

// Are the values of one TEXT column all different? By 64-bit hashes: equal hashes only mean that it has to be looked at again.
bool all_different(const Rows& rows, uint32_t column) {
  const Vector v = rows.whole(column);
  if (v.lane != Lane::kText || v.codes != nullptr || v.nulls != nullptr) return false;
  uint64_t slots = 64;
  while (slots < uint64_t{rows.size()} * 2) slots *= 2;
  std::vector<uint64_t> seen(slots, 0);
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const uint64_t h = hash_bytes(v.text[i].data(), v.text[i].size()) | 1;
    uint64_t at = (h >> 20) & (slots - 1);
    for (; seen[at] != 0; at = (at + 1) & (slots - 1)) {
      if (seen[at] == h) return false;
    }
    seen[at] = h;
  }
  return true;
}

// group[i]: of row i; first[g]: the first row of group g.
void number_groups(const Rows& rows, uint32_t attributes, bool each, ExecContext& context, std::vector<uint32_t>* group, std::vector<uint32_t>* first) {
  const uint32_t n = rows.size();
  group->assign(n, 0);
  if (each || (attributes == 1 && all_different(rows, 1))) {
    for (uint32_t i = 0; i < n; ++i) (*group)[i] = i;
    *first = *group;
    return;
  }
  if (attributes == 0) {
    if (n > 0) first->push_back(0);
    return;
  }
  std::vector<Type> types;
  for (uint32_t a = 0; a < attributes; ++a) types.push_back(rows.type(1 + a));
  KeyTable table(std::move(types), n, context.budget);
  Scratch scratch(context.budget);
  std::vector<Vector> keys(attributes);
  for (uint32_t at = 0; at < n; at += kVectorRows) {
    scratch.reset();
    const uint32_t count = std::min(kVectorRows, n - at);
    for (uint32_t a = 0; a < attributes; ++a) keys[a] = rows.view(1 + a, at);
    table.insert(keys.data(), count, scratch, group->data() + at);
    for (uint32_t i = at; i < at + count; ++i) {
      if ((*group)[i] == first->size()) first->push_back(i);
    }
  }
}

// group_of by key. False: the keys are too far apart.
bool place_keys(const Vector& keys, uint32_t n, const std::vector<uint32_t>& group, KeyMap* map) {
  if (keys.lane == Lane::kText) {
    map->group_of.assign(map->codes->size(), KeyMap::kNone);
    for (uint32_t i = 0; i < n; ++i) {
      if (keys.is_null(i)) continue;
      const uint32_t code = map->codes->find(keys.text_at(i));
      if (code < map->group_of.size()) map->group_of[code] = group[i];
    }
    return true;
  }
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (uint32_t i = 0; i < n; ++i) {
    if (keys.is_null(i)) continue;
    low = std::min(low, keys.i64[i]);
    high = std::max(high, keys.i64[i]);
  }
  if (low > high) return true;
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (range >= n * kSparse + kSmall) return false;
  map->low = low;
  map->group_of.assign(range + 1, KeyMap::kNone);
  for (uint32_t i = 0; i < n; ++i) {
    if (!keys.is_null(i)) map->group_of[static_cast<uint64_t>(keys.i64[i]) - static_cast<uint64_t>(low)] = group[i];
  }
  return true;
}

// A row of NULLs. columns: whole ones of `rows`, of which the first row's values stand under the NULLs (W2).
void append_null_row(const Rows& rows, std::vector<Vector>* columns, Rows* out) {
  static const uint64_t kNull = 1;
  if (rows.size() > 0) {
    for (Vector& v : *columns) v.nulls = &kNull;
  }
  const uint32_t first = 0;
  out->append(columns->data(), 1, &first);
}

std::shared_ptr<KeyMap> make_map(const LimbShape& shape, Executor& executor, const Dictionary* codes) {
  ExecContext& context = executor.context();
  const Node& scan = *shape.dimension;
  std::vector<ColumnId> ids{column_id(scan, shape.dimension_key)};
  for (const ScanColumn& c : shape.attributes) ids.push_back(c.id);
  const bool each = !shape.key_ids.empty();
  const auto attributes = static_cast<uint32_t>(shape.attributes.size());
  const std::shared_ptr<Rows> rows = executor.collect(executor.pipeline(scan), ids, Rows::Texts::kKeepCodes, nullptr);
  auto map = std::make_shared<KeyMap>(context.budget);
  map->codes = codes;
  std::vector<uint32_t> group, first;
  number_groups(*rows, attributes, each, context, &group, &first);
  if (rows->size() > 0 && !place_keys(rows->whole(0), rows->size(), group, map.get())) return nullptr;
  map->groups = static_cast<uint32_t>(first.size());
  const uint64_t bytes = map->group_of.size() * 4;
  context.budget->charge(bytes);
  map->charged = bytes;
  // Attributes first, then the key.
  std::vector<Type> types;
  std::vector<Vector> columns;
  for (uint32_t a = 0; a < attributes; ++a) types.push_back(rows->type(1 + a));
  if (each) types.push_back(rows->type(0));
  map->values = std::make_shared<Rows>(types, context.budget, Rows::Texts::kKeepCodes);
  if (shape.left) map->null_group = map->groups++;
  if (types.empty() || (first.empty() && !shape.left)) return map;
  for (uint32_t a = 0; a < attributes; ++a) columns.push_back(rows->whole(1 + a));
  if (each) columns.push_back(rows->whole(0));
  if (!first.empty()) map->values->append(columns.data(), static_cast<uint32_t>(first.size()), first.data());
  if (shape.left) append_null_row(*rows, &columns, map->values.get());
  return map;
}

}  // namespace

std::shared_ptr<const KeyMap> key_map(const LimbShape& shape, Executor& executor) {
  const Table& table = *shape.dimension->table->table;
  const Table& fact = *shape.fact->table->table;
  ExecContext& context = executor.context();
  const Dictionary* codes = fact.type(shape.key).lane() == Lane::kText ? fact.dictionary(shape.key) : nullptr;
  // KM1: whatever commit the snapshot sees has stored its number before the snapshot was taken.
  const uint64_t version = table.last_commit.load(std::memory_order_acquire);
  const bool keep = version <= context.snapshot.commit && codes == nullptr && !changed_by(table, context.snapshot.transaction);
  std::string name;
  if (keep) {
    name = name_of(shape, context.parameters);
    const SharedLatch hold(table.kept_latch);
    for (const auto& m : table.key_maps) {
      if (m->version == version && m->name == name) return m;
    }
  }
  const std::shared_ptr<KeyMap> map = make_map(shape, executor, codes);
  if (!keep || map == nullptr) return map;
  map->version = version;
  map->name = std::move(name);
  std::vector<std::shared_ptr<const KeyMap>> gone;  // freed without the latch
  const ExclusiveLatch hold(table.kept_latch);
  auto& maps = table.key_maps;
  for (size_t i = 0; i < maps.size();) {
    if (maps[i]->version >= version && maps.size() < kMapsMax) {
      ++i;
      continue;
    }
    gone.push_back(std::move(maps[i]));
    maps.erase(maps.begin() + static_cast<long>(i));
  }
  maps.push_back(map);
  return map;
}

}  // namespace hdb
