#include "exec/limb_aggregate.h"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "base/check.h"
#include "base/hash.h"
#include "base/kernel_table.h"
#include "base/pool.h"
#include "exec/aggregate.h"
#include "exec/key_map.h"
#include "exec/limb_build.h"
#include "txn/transaction.h"

namespace hdb {

namespace {

constexpr uint64_t kGroupFieldsMax = uint64_t{1} << 26;
constexpr uint64_t kDirectFieldsMax = uint64_t{1} << 18;  // of groups that rows are added to without a limb: they stay in the caches
constexpr uint64_t kParallelCells = uint64_t{1} << 17;    // half of them are 50 us: what it takes to wake a thread
constexpr uint64_t kFewFields = 1024;         // so few are added up in several copies, so that additions do not wait for each other
constexpr uint32_t kCopies = 4;

// What the query takes from a limb: its fields and local codes, in terms of the query's own.
struct Reading {
  std::vector<uint32_t> fields;      // of the limb: weight, then sum and count of each measure of the shape
  std::vector<uint32_t> out;         // by local code of the limb: the query's local code, or kNone if a filter drops it
  std::vector<LimbLocal> locals;     // the query's own: the grouped ones
  uint32_t out_cells = 1;
  bool all = true;                   // out[i] == i

  static constexpr uint32_t kNone = KeyMap::kNone;
};

class GroupCells final {
 public:
  GroupCells(uint64_t groups, uint32_t locals, uint32_t stride, MemoryBudget* budget)
      : locals_(locals), stride_(stride), copies_(groups * locals * stride <= kFewFields ? kCopies : 1), copy_fields_(groups * locals * stride),
        cells_(copy_fields_ * copies_ == 0 ? 1 : copy_fields_ * copies_, budget) {}

  uint32_t copies() const { return copies_; }
  uint64_t copy_fields() const { return copy_fields_; }
  int64_t* at(uint64_t group) const { return cells_.data() + group * locals_ * stride_; }
  void fold() {
    for (uint32_t c = 1; c < copies_; ++c) add(cells_.data() + c * copy_fields_);
    copies_ = 1;
  }
  void merge(GroupCells& o) {
    o.fold();
    add(o.cells_.data());
  }

 private:
  void add(const int64_t* from) {
    for (uint64_t i = 0; i < copy_fields_; ++i) cells_.data()[i] += from[i];
  }
  uint64_t locals_, stride_;
  uint32_t copies_;
  uint64_t copy_fields_;
  LimbCells cells_;
};

// Adds the cells of `slots` key slots to their groups. group: by slot.
class Adder {
 public:
  Adder(const LimbForm& form, const Reading& reading) : form_(form), reading_(reading), locals_(form.local_cells()), stride_(static_cast<uint32_t>(reading.fields.size())) {}

  void add(const uint32_t* group, uint64_t slots, const int64_t* cells, GroupCells& to) const {
    if (locals_ == 1 && reading_.all && stride_ <= 3) {
      if (stride_ == 1) return add_simple<1>(group, slots, cells, to);
      if (stride_ == 2) return add_simple<2>(group, slots, cells, to);
      return add_simple<3>(group, slots, cells, to);
    }
    if (reading_.all && contiguous()) return add_runs(group, slots, cells, to);
    const uint64_t cell_fields = form_.stride;
    for (uint64_t s = 0; s < slots; ++s) {
      if (group[s] == KeyMap::kNone) continue;
      int64_t* base = to.at(group[s]) + (s % to.copies()) * to.copy_fields();
      const int64_t* cell = cells + s * locals_ * cell_fields;
      for (uint32_t l = 0; l < locals_; ++l, cell += cell_fields) {
        if (reading_.out[l] == Reading::kNone) continue;
        int64_t* a = base + uint64_t{reading_.out[l]} * stride_;
        for (uint32_t f = 0; f < stride_; ++f) a[f] += cell[reading_.fields[f]];
      }
    }
  }
  void take(uint32_t group, uint32_t local, const int64_t* fields, int sign, GroupCells& to) const {
    if (group == KeyMap::kNone || reading_.out[local] == Reading::kNone) return;
    int64_t* a = to.at(group) + uint64_t{reading_.out[local]} * stride_;
    for (uint32_t f = 0; f < stride_; ++f) a[f] += sign * fields[reading_.fields[f]];
  }

 private:
  bool contiguous() const {
    if (stride_ != form_.stride) return false;
    for (uint32_t f = 0; f < stride_; ++f) {
      if (reading_.fields[f] != f) return false;
    }
    return true;
  }
  template <uint32_t kFields>
  void add_simple(const uint32_t* group, uint64_t slots, const int64_t* cells, GroupCells& to) const {
    uint32_t field[kFields];
    for (uint32_t f = 0; f < kFields; ++f) field[f] = reading_.fields[f];
    const uint64_t copies = to.copies(), copy = to.copy_fields(), stride = form_.stride;
    int64_t* const base = to.at(0);
    for (uint64_t s = 0; s < slots; ++s) {
      if (group[s] == KeyMap::kNone) continue;
      int64_t* a = base + uint64_t{group[s]} * kFields + s % copies * copy;
      for (uint32_t f = 0; f < kFields; ++f) a[f] += cells[s * stride + field[f]];
    }
  }
  // All fields of all locals of a key go to the same run of the group.
  void add_runs(const uint32_t* group, uint64_t slots, const int64_t* cells, GroupCells& to) const {
    static_assert(KeyMap::kNone == kNoGroup);
    kernels().add_runs(group, slots, locals_ * stride_, cells, to.copies(), to.copy_fields(), to.at(0));
  }

  const LimbForm& form_;
  const Reading& reading_;
  const uint32_t locals_, stride_;
};

// ---- what the query takes ----------------------------------------------------------------------------------------------

// The value of code `code` of a local column, for vectors.
struct LocalCode {
  bool null;
  int64_t value;    // or the dictionary code
};
LocalCode decode(const LimbLocal& l, uint32_t code) {
  if (l.nullable && code == 0) return {true, 0};
  const uint32_t own = code - (l.nullable ? 1 : 0);
  return {false, l.text ? static_cast<int64_t>(own) : l.low + static_cast<int64_t>(own)};
}

Vector local_vector(const Table& table, const LimbLocal& l, const uint32_t* codes, uint32_t n, Scratch& scratch) {
  NullMask nulls(nullptr, n, scratch);
  auto* ints = scratch.zeroed<int64_t>(n);
  auto* texts = scratch.zeroed<uint32_t>(n);
  for (uint32_t i = 0; i < n; ++i) {
    const LocalCode c = decode(l, codes[i]);
    if (c.null) {
      nulls.set(i);
    } else {
      ints[i] = c.value;
      texts[i] = static_cast<uint32_t>(c.value);
    }
  }
  Vector v;
  if (l.text) {
    v.type = table.type(l.column);
    v.lane = Lane::kText;
    v.codes = texts;
    v.dictionary = table.dictionary(l.column);
    if (v.dictionary->size() == 0) {  // NULLs only: there is no code to stand under them (W2)
      auto* views = scratch.array<std::string_view>(n);
      std::fill(views, views + n, std::string_view("", 0));
      v = make_vector(v.type, static_cast<const std::string_view*>(views), nullptr);
    }
  } else {
    v = make_vector(table.type(l.column), static_cast<const int64_t*>(ints), nullptr);
  }
  v.nulls = nulls.words();
  return v;
}

// The code of local column `which` in the joint code.
uint32_t part_of(const std::vector<LimbLocal>& locals, size_t which, uint32_t joint) {
  for (size_t l = locals.size(); --l > which;) joint /= locals[l].capacity;
  return joint % locals[which].capacity;
}

// Which joint codes of the limb's locals pass the fact's filters of them; false: a filter could raise an error for values that no row has.
bool passing_codes(const LimbShape& shape, const LimbForm& form, Worker& worker, std::vector<uint8_t>* pass) {
  const uint32_t n = form.local_cells();
  pass->assign(n, 1);
  for (const ExprPtr& f : shape.fact->filters) {
    if (can_fail(*f)) return false;
  }
  if (shape.local_filters.empty()) return true;
  const Table& table = *shape.fact->table->table;
  ColumnMap map;
  std::vector<size_t> places;
  for (const ScanColumn& c : shape.fact->columns) {
    for (size_t l = 0; l < form.locals.size(); ++l) {
      if (form.locals[l].column != c.ordinal) continue;
      map.add(c.id, table.type(c.ordinal));
      places.push_back(l);
    }
  }
  std::fill(pass->begin(), pass->end(), uint8_t{0});
  for (uint32_t first = 0; first < n; first += kVectorRows) {
    worker.scratch.reset();
    Chunk chunk;
    chunk.rows = std::min(kVectorRows, n - first);
    auto* codes = worker.scratch.array<uint32_t>(chunk.rows);
    for (const size_t l : places) {
      for (uint32_t i = 0; i < chunk.rows; ++i) codes[i] = part_of(form.locals, l, first + i);
      chunk.columns.push_back(local_vector(table, form.locals[l], codes, chunk.rows, worker.scratch));
    }
    auto* rows = worker.scratch.array<uint32_t>(chunk.rows);
    const uint32_t count = worker.evaluator.filter(shape.local_filters, map, chunk, rows);
    for (uint32_t i = 0; i < count; ++i) (*pass)[first + rows[i]] = 1;
  }
  return true;
}

// Slots whose key does not pass the fact's filters of it have no group.
void filter_slots(const LimbShape& shape, const LimbKey& key, Worker& worker, std::vector<uint32_t>* groups) {
  if (shape.key_filters.empty()) return;
  const Table& table = *shape.fact->table->table;
  const LimbLocal codes{key.column, key.text, true, key.low, static_cast<uint32_t>(key.capacity + 1)};
  ColumnMap map;
  for (const ScanColumn& c : shape.fact->columns) {
    if (c.ordinal == shape.key) map.add(c.id, table.type(c.ordinal));
  }
  for (uint32_t first = 0; first < groups->size(); first += kVectorRows) {
    worker.scratch.reset();
    Chunk chunk;
    chunk.rows = std::min<uint32_t>(kVectorRows, static_cast<uint32_t>(groups->size()) - first);
    auto* slots = worker.scratch.array<uint32_t>(chunk.rows);
    for (uint32_t i = 0; i < chunk.rows; ++i) slots[i] = first + i;
    chunk.columns.push_back(local_vector(table, codes, slots, chunk.rows, worker.scratch));
    auto* rows = worker.scratch.array<uint32_t>(chunk.rows);
    const uint32_t count = worker.evaluator.filter(shape.key_filters, map, chunk, rows);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; ++i) {
      while (at < rows[i]) (*groups)[first + at++] = KeyMap::kNone;
      ++at;
    }
    while (at < chunk.rows) (*groups)[first + at++] = KeyMap::kNone;
  }
}

// The group of every key slot of a limb: from the map, shifted to where the limb's keys begin; without a map the slot itself.
std::vector<uint32_t> slot_groups(const LimbShape& shape, const LimbKey& key, const KeyMap* map, Worker& worker) {
  std::vector<uint32_t> out(key.capacity + 1, map != nullptr ? map->null_group : 0);
  if (map != nullptr) {
    const int128 first = static_cast<int128>(map->low) - key.low + 1;
    for (size_t i = 0; i < map->group_of.size(); ++i) {
      const int128 slot = first + static_cast<int128>(i);
      if (slot >= 1 && slot < static_cast<int128>(out.size()) && map->group_of[i] != KeyMap::kNone) out[static_cast<size_t>(slot)] = map->group_of[i];
    }
  } else {
    for (uint32_t s = 0; s < out.size(); ++s) out[s] = s;
  }
  filter_slots(shape, key, worker, &out);
  return out;
}

bool make_reading(const LimbShape& shape, const LimbForm& form, Worker& worker, Reading* r) {
  r->fields.push_back(0);
  for (const LimbMeasureColumns& m : shape.measures) {
    for (const LimbMeasure& own : form.measures) {
      if (own.column != m.ordinal) continue;
      r->fields.push_back(own.sum);
      if (own.nullable) r->fields.push_back(own.count);
    }
  }
  std::vector<size_t> places;
  for (uint32_t l = 0; l < shape.grouped; ++l) {
    for (size_t p = 0; p < form.locals.size(); ++p) {
      if (form.locals[p].column != shape.locals[l].ordinal) continue;
      places.push_back(p);
      r->locals.push_back(form.locals[p]);
      r->out_cells *= form.locals[p].capacity;
    }
  }
  std::vector<uint8_t> pass;
  if (!passing_codes(shape, form, worker, &pass)) return false;
  r->out.resize(pass.size());
  for (uint32_t joint = 0; joint < pass.size(); ++joint) {
    uint32_t code = 0;
    for (size_t i = 0; i < places.size(); ++i) code = code * r->locals[i].capacity + part_of(form.locals, places[i], joint);
    r->out[joint] = pass[joint] != 0 ? code : Reading::kNone;
    r->all = r->all && r->out[joint] == joint;
  }
  return true;
}

// ---- what comes out ----------------------------------------------------------------------------------------------------

class GroupsSource final : public Source {
 public:
  GroupsSource(const LimbShape& shape, const LimbForm& form, Reading reading, std::shared_ptr<const KeyMap> map, GroupCells groups, uint64_t group_count)
      : shape_(shape), table_(*shape.fact->table->table), reading_(std::move(reading)), key_(form.key), map_(std::move(map)), groups_(std::move(groups)),
        group_count_(group_count) {
    for (const ScanColumn& c : shape.attributes) columns.add(c.id, shape.dimension->table->columns[c.ordinal].type);
    for (const ColumnId id : shape.key_ids) columns.add(id, table_.type(shape.key));
    for (uint32_t l = 0; l < shape.grouped; ++l) columns.add(shape.locals[l].id, table_.type(shape.locals[l].ordinal));
    columns.add(shape.weight, Type::bigint());
    for (const LimbMeasureColumns& m : shape.measures) {
      const Type& own = table_.type(m.ordinal);
      columns.add(m.sum, Type::decimal(kDecimalDigitsMax, own.id == TypeId::kDecimal ? own.scale : 0));
      columns.add(m.count, Type::bigint());
    }
  }

  // Lists the groups that have rows: all of them, or those that may be among the first n by a field.
  void choose() {
    for_each([&](uint32_t cell, const int64_t*) { chosen_.push_back(cell); });
  }
  void choose_top(uint32_t field, bool descending, uint64_t n) {
    if (n == 0) return;
    std::vector<int64_t> best;  // a heap, the worst of the best n on top
    const auto key = [&](const int64_t* fields) { return descending ? fields[field] : ~fields[field]; };  // ~ reverses the order
    const auto worse = [](int64_t a, int64_t b) { return a > b; };
    int64_t bar = INT64_MIN;
    for_each([&](uint32_t, const int64_t* fields) {
      const int64_t k = key(fields);
      if (best.size() == n && k <= bar) return;
      if (best.size() == n) {
        std::pop_heap(best.begin(), best.end(), worse);
        best.back() = k;
      } else {
        best.push_back(k);
      }
      std::push_heap(best.begin(), best.end(), worse);
      if (best.size() == n) bar = best.front();
    });
    for_each([&](uint32_t cell, const int64_t* fields) {
      if (key(fields) >= bar) chosen_.push_back(cell);
    });
  }

  uint32_t morsels() const override { return static_cast<uint32_t>((chosen_.size() + kBlockRows - 1) / kBlockRows); }
  uint64_t rows_hint() const override { return chosen_.size(); }
  void run(uint32_t morsel, Worker& worker, Operator& out) override {
    const uint64_t begin = uint64_t{morsel} * kBlockRows;
    send_slices(begin, std::min<uint64_t>(begin + kBlockRows, chosen_.size()), worker, out,
                [&](uint64_t at, uint32_t n, Chunk& chunk) { fill(chosen_.data() + at, n, worker.scratch, &chunk); });
  }

  ColumnMap columns;

 private:
  template <class F>
  void for_each(const F& f) const {
    const auto stride = static_cast<uint32_t>(reading_.fields.size());
    const int64_t* fields = groups_.at(0);
    const auto cells = static_cast<uint32_t>(group_count_ * reading_.out_cells);
    for (uint32_t cell = 0; cell < cells; ++cell, fields += stride) {
      if (fields[0] != 0) f(cell, fields);
    }
  }

  Vector key_vector(const uint32_t* group, uint32_t n, Scratch& scratch) const {
    if (map_ != nullptr) return map_->values->gather(map_->values->column_count() - 1, group, n, scratch);
    // Without a join the group is the key's slot.
    LimbLocal key{key_.column, key_.text, true, key_.low, static_cast<uint32_t>(key_.capacity + 1)};
    return local_vector(table_, key, group, n, scratch);
  }

  void fill(const uint32_t* cells, uint32_t n, Scratch& scratch, Chunk* chunk) const {
    chunk->columns.clear();
    auto* group = scratch.array<uint32_t>(n);
    auto* codes = scratch.array<uint32_t>(n);
    for (uint32_t i = 0; i < n; ++i) group[i] = cells[i] / reading_.out_cells;
    for (uint32_t a = 0; a < shape_.attributes.size(); ++a) chunk->columns.push_back(map_->values->gather(a, group, n, scratch));
    for (size_t k = 0; k < shape_.key_ids.size(); ++k) chunk->columns.push_back(key_vector(group, n, scratch));
    for (size_t l = 0; l < reading_.locals.size(); ++l) {
      for (uint32_t i = 0; i < n; ++i) codes[i] = part_of(reading_.locals, l, cells[i] % reading_.out_cells);
      chunk->columns.push_back(local_vector(table_, reading_.locals[l], codes, n, scratch));
    }
    const auto stride = static_cast<uint32_t>(reading_.fields.size());
    const auto field = [&](uint32_t i, uint32_t f) { return groups_.at(0)[uint64_t{cells[i]} * stride + f]; };
    const auto counts = [&](uint32_t f) {
      auto* v = scratch.array<int64_t>(n);
      for (uint32_t i = 0; i < n; ++i) v[i] = field(i, f);
      return make_vector(Type::bigint(), static_cast<const int64_t*>(v), nullptr);
    };
    chunk->columns.push_back(counts(0));
    uint32_t f = 1;
    for (size_t m = 0; m < shape_.measures.size(); ++m) {
      auto* sums = scratch.array<int128>(n);
      for (uint32_t i = 0; i < n; ++i) sums[i] = field(i, f);
      ++f;
      const uint32_t place = columns.index(shape_.measures[m].sum);
      chunk->columns.push_back(make_vector(columns.type(place), static_cast<const int128*>(sums), nullptr));
      const bool nullable = !shape_.fact->table->columns[shape_.measures[m].ordinal].not_null;
      chunk->columns.push_back(counts(nullable ? f : 0));
      f += nullable ? 1 : 0;
    }
  }

  const LimbShape& shape_;
  const Table& table_;
  const Reading reading_;
  const LimbKey key_;
  const std::shared_ptr<const KeyMap> map_;
  const GroupCells groups_;
  const uint64_t group_count_;
  std::vector<uint32_t> chosen_;
};

// ---- the cells ---------------------------------------------------------------------------------------------------------

std::shared_ptr<Limb> known_limb(const LimbShape& shape, const Snapshot& snapshot) {
  std::vector<uint32_t> locals, measures;
  limb_columns(shape, &locals, &measures);
  std::shared_ptr<Limb> limb = find_limb(*shape.fact->table->table, shape.key, locals, measures, snapshot);
  if (limb != nullptr) limb->note_read();
  return limb;
}

// Rows that go to a few groups are faster counted without a large limb: so it is done the first time, when nobody knows whether there will be a second.
bool count_directly(const LimbShape& shape, const LimbPlan& plan, const KeyMap* map) {
  if (map == nullptr || (map->groups + 1) * uint64_t{plan.form.local_cells()} * plan.form.stride > kDirectFieldsMax) return false;
  if (!plan.keep) return true;
  if (plan.form.cells() < kLimbCellsMany) return false;
  uint64_t hash = hash64(shape.key);
  for (const ScanColumn& c : shape.locals) hash = hash64(hash ^ c.ordinal);
  for (const LimbMeasureColumns& m : shape.measures) hash = hash64(hash ^ (m.ordinal + 1000));
  const uint64_t bit = uint64_t{1} << (hash >> 58);
  return (shape.fact->table->table->limbs_asked.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

std::shared_ptr<Limb> make_limb(const LimbShape& shape, const LimbPlan& plan, Executor& executor) {
  ExecContext& context = executor.context();
  Table& table = *shape.fact->table->table;
  std::shared_ptr<Limb> limb = limb_from_summary(shape, plan, executor);
  if (limb == nullptr) {
    limb = count_limb(table, plan, executor);
    if (limb == nullptr) return nullptr;
    executor.note(shape.fact, plan.rows, 0);
  }
  if (context.manager != nullptr && context.snapshot.transaction == nullptr) install_limb(*context.manager, table, context.snapshot, limb);
  return limb;
}

// All cells into groups; false: the limb died meanwhile.
bool add_up(const LimbShape& shape, const Limb& limb, const Reading& reading, const KeyMap* map, Executor& executor, uint64_t groups, GroupCells* result) {
  ExecContext& context = executor.context();
  const LimbForm& form = limb.form();
  const Adder adder(form, reading);
  std::vector<uint32_t> slots;
  uint64_t begin = 0, end = form.key.capacity + 1;
  const uint32_t* group = nullptr;
  if (map != nullptr && !shape.left && shape.key_filters.empty()) {
    // Slots that have a value in the map's range: value = key.low + slot - 1.
    const int128 first = static_cast<int128>(map->low) - form.key.low + 1, last = first + static_cast<int128>(map->group_of.size());
    begin = static_cast<uint64_t>(std::clamp<int128>(first, 1, static_cast<int128>(end)));
    end = static_cast<uint64_t>(std::clamp<int128>(last, static_cast<int128>(begin), static_cast<int128>(end)));
    if (end > begin) group = map->group_of.data() + static_cast<size_t>(static_cast<int128>(begin) - first);
  } else {
    slots = slot_groups(shape, form.key, map, executor.worker(0));
    group = slots.data();
  }
  const uint32_t locals = form.local_cells();
  const auto stride = static_cast<uint32_t>(reading.fields.size());
  const auto group_at = [&](uint64_t slot) { return slot >= begin && slot < end ? group[slot - begin] : KeyMap::kNone; };
  const auto part = [&](uint64_t from, uint64_t to, GroupCells& out) {
    return limb.scan(
        context.snapshot, from, to, [&](uint64_t at, uint64_t n, const int64_t* cells) { adder.add(group + (at - begin), n, cells, out); },
        [&](uint32_t cell, const int64_t* fields, int sign) { adder.take(group_at(cell / locals), cell % locals, fields, sign, out); });
  };
  const uint64_t total = (end - begin) * locals;
  uint32_t workers = 1;
  if (context.pool != nullptr && total >= kParallelCells && groups * reading.out_cells * stride * 8 <= total) {
    workers = context.pool->workers_for(static_cast<uint32_t>(total / (kParallelCells / 4)), context.threads);
  }
  std::vector<GroupCells> outs;
  for (uint32_t w = 0; w < workers; ++w) outs.emplace_back(groups, reading.out_cells, stride, context.budget);
  bool ok = true;
  if (workers == 1) {
    ok = part(begin, end, outs[0]);
  } else {
    const uint32_t tasks = workers * 4;
    std::atomic<bool> good{true};
    const uint64_t each = (end - begin + tasks - 1) / tasks;
    context.pool->parallel_for(tasks, workers, [&](uint32_t w, uint32_t t) {
      const uint64_t from = std::min(end, begin + t * each), to = std::min(end, from + each);
      if (!part(from, to, outs[w])) good.store(false, std::memory_order_relaxed);
    });
    ok = good.load();
  }
  if (!ok) return false;
  outs[0].fold();
  for (uint32_t w = 1; w < workers; ++w) outs[0].merge(outs[w]);
  limb.scan_own(context.snapshot, [&](uint32_t cell, const int64_t* fields, int sign) { adder.take(group_at(cell / locals), cell % locals, fields, sign, outs[0]); });
  *result = std::move(outs[0]);
  return true;
}

// Rows into groups, without a limb.
bool add_rows_up(const LimbShape& shape, const LimbPlan& plan, const Reading& reading, const KeyMap& map, Executor& executor, GroupCells* result) {
  std::vector<uint32_t> group_of = slot_groups(shape, plan.form.key, &map, executor.worker(0)), groups(map.groups);
  for (uint32_t& g : group_of) g = std::min(g, map.groups);
  const std::optional<LimbCells> cells = count_groups(*shape.fact->table->table, plan, group_of, map.groups, executor);
  if (!cells) return false;
  executor.note(shape.fact, plan.rows, 0);
  *result = GroupCells(map.groups, reading.out_cells, static_cast<uint32_t>(reading.fields.size()), executor.context().budget);
  for (uint32_t g = 0; g < map.groups; ++g) groups[g] = g;
  Adder(plan.form, reading).add(groups.data(), map.groups, cells->data(), *result);
  result->fold();
  return true;
}

// The field of a reading that a top-n above the node orders by; 0 for none that helps (its NULLs or its groups are not those of the cells).
bool top_field(const LimbShape& shape, ColumnId id, uint32_t* field) {
  if (!shape.plain || shape.left) return false;  // a LEFT JOIN may have two groups of NULLs
  for (const Aggregate& a : shape.merged.aggregates) {
    if (a.id != id) continue;
    if (a.kind == AggregateKind::kMergeCount && a.argument->column == shape.weight) {
      *field = 0;
      return true;
    }
    if (a.kind != AggregateKind::kMergeSum) return false;
    uint32_t f = 1;
    for (const LimbMeasureColumns& m : shape.measures) {
      const bool nullable = !shape.fact->table->columns[m.ordinal].not_null;
      if (m.sum == a.argument->column) {
        *field = f;
        return !nullable;
      }
      f += nullable ? 2 : 1;
    }
  }
  return false;
}

}  // namespace

std::unique_ptr<Source> limb_aggregate(const Node& node, Executor& executor) {
  const LimbShape* shape = node.limb.get();
  if (shape == nullptr) return nullptr;
  ExecContext& context = executor.context();
  std::unique_ptr<GroupsSource> source;
  try {
    std::shared_ptr<Limb> limb = known_limb(*shape, context.snapshot);
    std::optional<LimbPlan> plan;
    if (limb == nullptr && !(plan = limb_form(*shape))) return nullptr;
    const LimbForm form = limb != nullptr ? limb->form() : plan->form;
    Reading reading;
    if (!make_reading(*shape, form, executor.worker(0), &reading)) return nullptr;
    std::shared_ptr<const KeyMap> map;
    if (shape->dimension != nullptr && (map = key_map(*shape, executor)) == nullptr) return nullptr;
    const uint64_t groups = map != nullptr ? map->groups : form.key.capacity + 1;
    if (groups * reading.out_cells * reading.fields.size() > kGroupFieldsMax) return nullptr;
    GroupCells sums(0, 1, 1, nullptr);
    if (limb == nullptr && !limb_summary(*shape, context.snapshot) && count_directly(*shape, *plan, map.get())) {
      if (!add_rows_up(*shape, *plan, reading, *map, executor, &sums)) return nullptr;
    } else {
      if (limb == nullptr && (!plan->keep || (limb = make_limb(*shape, *plan, executor)) == nullptr)) return nullptr;
      if (!add_up(*shape, *limb, reading, map.get(), executor, groups, &sums)) return nullptr;
    }
    source = std::make_unique<GroupsSource>(*shape, form, std::move(reading), std::move(map), std::move(sums), groups);
  } catch (const Error& e) {
    // What does not fit into memory is computed from rows, which may fit.
    if (std::string_view(e.sqlstate()) != sqlstate::kMemory) throw;
    return nullptr;
  }
  uint32_t field = 0;
  const Top* top = executor.top_of(&node);
  if (top != nullptr && top_field(*shape, top->column, &field)) source->choose_top(field, top->descending, top->rows);
  else source->choose();
  AggregateSink sink(shape->merged, source->columns, source->rows_hint(), context.budget);
  Pipeline p;
  p.map = source->columns;
  p.source = std::move(source);
  executor.run(p, sink, &node);
  return sink.source();
}

}  // namespace hdb
