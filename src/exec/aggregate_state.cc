#include "exec/aggregate_state.h"

#include "base/check.h"
#include "exact/average.h"
#include "exact/sum128.h"
#include "exact/sum192.h"
#include "exec/real_sum.h"

namespace hdb {

namespace {

template <class F>
Vector int_results(const Type& type, uint32_t count, Scratch& scratch, F f) {
  auto* out = scratch.array<int64_t>(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = f(i);
  return make_vector(type, static_cast<const int64_t*>(out), nullptr);
}

// ---- COUNT -----------------------------------------------------------------------------------------------------------

class CountState final : public AggregateState {
 public:
  explicit CountState(const Type& type, bool star) : type_(type), star_(star) {}
  void resize(uint32_t groups) override { counts_.resize(groups, 0); }
  void update(const uint32_t* groups, uint32_t rows, const Vector& value, const Vector&, Scratch&) override {
    if (star_ || value.nulls == nullptr) {
      if (groups == nullptr) counts_[0] += rows;
      else for (uint32_t i = 0; i < rows; ++i) ++counts_[groups[i]];
      return;
    }
    for (uint32_t i = 0; i < rows; ++i) counts_[groups != nullptr ? groups[i] : 0] += static_cast<int64_t>(!value.is_null(i));
  }
  void merge(const AggregateState& other, const uint32_t* groups, uint32_t count, Scratch&) override {
    const auto& o = static_cast<const CountState&>(other);
    for (uint32_t i = 0; i < count; ++i) counts_[groups[i]] += o.counts_[i];
  }
  Vector result(const uint32_t* groups, uint32_t count, Scratch& scratch) const override {
    return int_results(type_, count, scratch, [&](uint32_t i) { return counts_[groups[i]]; });
  }
  uint64_t bytes() const override { return counts_.capacity() * 8; }

 private:
  Type type_;
  bool star_;
  std::vector<int64_t> counts_;
};

// ---- SUM, AVG over exact numbers ---------------------------------------------------------------------------------------

enum class Finish { kCount, kBigint, kExact, kDecimal, kAverageOfIntegers, kAverageOfDecimals };

Finish finish_of(const Aggregate& a) {
  const bool decimal = a.measure_type.id == TypeId::kDecimal;
  switch (a.kind) {
    case AggregateKind::kMergeCount: return Finish::kCount;
    case AggregateKind::kSumExact:
    case AggregateKind::kMergeSumExact: return decimal ? Finish::kDecimal : Finish::kExact;
    case AggregateKind::kAvg:
    case AggregateKind::kMergeAvg: return decimal ? Finish::kAverageOfDecimals : Finish::kAverageOfIntegers;
    default: return decimal ? Finish::kDecimal : Finish::kBigint;
  }
}

// Turns exact sums into results; knows the aggregate's type and position.
class ExactResults {
 public:
  explicit ExactResults(const Aggregate& a) : type_(a.type), scale_(a.measure_type.scale), position_(a.position), finish_(finish_of(a)) {}

  // get(i) gives the sum (Sum192) and how many values are in it.
  template <class F>
  Vector make(uint32_t count, Scratch& scratch, F get) const {
    NullMask nulls(nullptr, count, scratch);
    auto* ints = type_.lane() == Lane::kInt64 ? scratch.zeroed<int64_t>(count) : nullptr;
    auto* wides = type_.lane() == Lane::kInt128 ? scratch.zeroed<int128>(count) : nullptr;
    auto* reals = type_.lane() == Lane::kDouble ? scratch.zeroed<double>(count) : nullptr;
    try {
      for (uint32_t i = 0; i < count; ++i) {
        const auto [sum, n] = get(i);
        if (n == 0 && finish_ != Finish::kCount) {
          nulls.set(i);
          continue;
        }
        if (reals != nullptr) reals[i] = average_of_integers(sum.low128(), static_cast<uint64_t>(n));
        else if (ints != nullptr) ints[i] = static_cast<int64_t>(exact(sum, n));
        else wides[i] = exact(sum, n);
      }
    } catch (Error& error) {
      if (!error.has_position()) error.set_position(position_);
      throw;
    }
    if (reals != nullptr) return make_vector(type_, static_cast<const double*>(reals), nulls.words());
    if (ints != nullptr) return make_vector(type_, static_cast<const int64_t*>(ints), nulls.words());
    return make_vector(type_, static_cast<const int128*>(wides), nulls.words());
  }

 private:
  int128 exact(const Sum192& sum, int64_t n) const {
    switch (finish_) {
      case Finish::kCount:
      case Finish::kBigint: {
        const Sum128 low{sum.l0, sum.l1};
        if (!sum.fits_int128()) bigint_sum(Sum128{0, 1});
        return bigint_sum(low);
      }
      case Finish::kExact:
      case Finish::kDecimal: return decimal_sum(sum);
      case Finish::kAverageOfDecimals: return average_of_decimals(sum, static_cast<uint64_t>(n), scale_);
      case Finish::kAverageOfIntegers: break;
    }
    CHECK(false);
    return 0;
  }

  Type type_;
  int scale_;
  int64_t position_;
  Finish finish_;
};

// Over the int64 lane.
class IntSumState final : public AggregateState {
 public:
  explicit IntSumState(const Aggregate& a) : results_(a) {}
  void resize(uint32_t groups) override { cells_.resize(groups); }
  void update(const uint32_t* groups, uint32_t rows, const Vector& value, const Vector&, Scratch& scratch) override {
    const Vector v = flatten(value, rows, scratch);
    if (groups == nullptr) return update_one(v, rows);
    if (v.nulls == nullptr) {
      for (uint32_t i = 0; i < rows; ++i) cells_[groups[i]].add(v.i64[i]);
      return;
    }
    for (uint32_t i = 0; i < rows; ++i) {
      if (!bit_test(v.nulls, i)) cells_[groups[i]].add(v.i64[i]);
    }
  }
  void merge(const AggregateState& other, const uint32_t* groups, uint32_t count, Scratch&) override {
    const auto& o = static_cast<const IntSumState&>(other);
    for (uint32_t i = 0; i < count; ++i) {
      cells_[groups[i]].sum.merge(o.cells_[i].sum);
      cells_[groups[i]].count += o.cells_[i].count;
    }
  }
  Vector result(const uint32_t* groups, uint32_t count, Scratch& scratch) const override {
    return results_.make(count, scratch, [&](uint32_t i) {
      const Cell& c = cells_[groups[i]];
      Sum192 wide;
      wide.merge(c.sum);
      return std::pair<Sum192, int64_t>(wide, c.count);
    });
  }
  uint64_t bytes() const override { return cells_.capacity() * sizeof(Cell); }

 private:
  struct Cell {
    Sum128 sum;
    int64_t count = 0;
    void add(int64_t x) {
      sum.add(static_cast<uint64_t>(x));
      ++count;
    }
  };
  // One group: halves of 32 bits add up without a carry for a whole vector.
  void update_one(const Vector& v, uint32_t rows) {
    uint64_t low = 0;
    int64_t high = 0, count = rows;
    if (v.nulls == nullptr) {
      for (uint32_t i = 0; i < rows; ++i) {
        low += static_cast<uint32_t>(v.i64[i]);
        high += v.i64[i] >> 32;
      }
    } else {
      count = 0;
      for (uint32_t i = 0; i < rows; ++i) {
        if (bit_test(v.nulls, i)) continue;
        low += static_cast<uint32_t>(v.i64[i]);
        high += v.i64[i] >> 32;
        ++count;
      }
    }
    cells_[0].sum.add_int128((static_cast<int128>(high) << 32) + low);
    cells_[0].count += count;
  }

  ExactResults results_;
  std::vector<Cell> cells_;
};

// Over the int128 lane, and over cells.
class WideSumState final : public AggregateState {
 public:
  explicit WideSumState(const Aggregate& a) : results_(a), cells_of_plane_(a.value_count != nullptr) {}
  void resize(uint32_t groups) override { cells_.resize(groups); }
  void update(const uint32_t* groups, uint32_t rows, const Vector& value, const Vector& counts, Scratch&) override {
    for (uint32_t i = 0; i < rows; ++i) {
      if (value.is_null(i)) continue;
      Cell& c = cells_[groups != nullptr ? groups[i] : 0];
      c.sum.add_int128(wide_at(value, i));
      c.count += cells_of_plane_ ? counts.i64[counts.at(i)] : 1;
    }
  }
  void merge(const AggregateState& other, const uint32_t* groups, uint32_t count, Scratch&) override {
    const auto& o = static_cast<const WideSumState&>(other);
    for (uint32_t i = 0; i < count; ++i) {
      cells_[groups[i]].sum.merge(o.cells_[i].sum);
      cells_[groups[i]].count += o.cells_[i].count;
    }
  }
  Vector result(const uint32_t* groups, uint32_t count, Scratch& scratch) const override {
    return results_.make(count, scratch, [&](uint32_t i) { return std::pair<Sum192, int64_t>(cells_[groups[i]].sum, cells_[groups[i]].count); });
  }
  uint64_t bytes() const override { return cells_.capacity() * sizeof(Cell); }

 private:
  struct Cell {
    Sum192 sum;
    int64_t count = 0;
  };
  ExactResults results_;
  bool cells_of_plane_;
  std::vector<Cell> cells_;
};

// ---- SUM, AVG over DOUBLE ----------------------------------------------------------------------------------------------

class RealSumState final : public AggregateState {
 public:
  explicit RealSumState(const Aggregate& a) : type_(a.type), average_(a.kind == AggregateKind::kAvg) {}
  void resize(uint32_t groups) override { cells_.resize(groups); }
  void update(const uint32_t* groups, uint32_t rows, const Vector& value, const Vector&, Scratch&) override {
    for (uint32_t i = 0; i < rows; ++i) {
      if (value.is_null(i)) continue;
      Cell& c = cells_[groups != nullptr ? groups[i] : 0];
      c.sum.add(value.f64[value.at(i)]);
      ++c.count;
    }
  }
  void merge(const AggregateState& other, const uint32_t* groups, uint32_t count, Scratch&) override {
    const auto& o = static_cast<const RealSumState&>(other);
    for (uint32_t i = 0; i < count; ++i) {
      cells_[groups[i]].sum.merge(o.cells_[i].sum);
      cells_[groups[i]].count += o.cells_[i].count;
    }
  }
  Vector result(const uint32_t* groups, uint32_t count, Scratch& scratch) const override {
    NullMask nulls(nullptr, count, scratch);
    auto* out = scratch.zeroed<double>(count);
    for (uint32_t i = 0; i < count; ++i) {
      const Cell& c = cells_[groups[i]];
      if (c.count == 0) nulls.set(i);
      else out[i] = average_ ? c.sum.average(c.count) : c.sum.value();
    }
    return make_vector(type_, static_cast<const double*>(out), nulls.words());
  }
  uint64_t bytes() const override { return cells_.capacity() * sizeof(Cell); }

 private:
  struct Cell {
    RealSum sum;
    uint64_t count = 0;
  };
  Type type_;
  bool average_;
  std::vector<Cell> cells_;
};

std::unique_ptr<AggregateState> plain_state(const Aggregate& a) {
  switch (a.kind) {
    case AggregateKind::kCountStar: return std::make_unique<CountState>(a.type, true);
    case AggregateKind::kCount: return std::make_unique<CountState>(a.type, false);
    case AggregateKind::kMin:
    case AggregateKind::kMax: return make_extreme(a);
    case AggregateKind::kMergeCount: return std::make_unique<IntSumState>(a);
    case AggregateKind::kMergeSum:
    case AggregateKind::kMergeSumExact:
    case AggregateKind::kMergeAvg: return std::make_unique<WideSumState>(a);
    case AggregateKind::kSum:
    case AggregateKind::kSumExact:
    case AggregateKind::kAvg: break;
  }
  Aggregate typed = a;
  typed.measure_type = a.argument->type;
  switch (a.argument->type.lane()) {
    case Lane::kInt64: return std::make_unique<IntSumState>(typed);
    case Lane::kInt128: return std::make_unique<WideSumState>(typed);
    default: CHECK(a.argument->type.id == TypeId::kDouble); return std::make_unique<RealSumState>(typed);
  }
}

}  // namespace

std::unique_ptr<AggregateState> make_state(const Aggregate& a, uint64_t rows_hint, MemoryBudget* budget) {
  auto state = plain_state(a);
  const bool matters = a.kind != AggregateKind::kMin && a.kind != AggregateKind::kMax && a.kind != AggregateKind::kCountStar;
  return a.distinct && matters ? make_distinct(a, std::move(state), rows_hint, budget) : std::move(state);
}

}  // namespace hdb
