// Aggregates over distinct values: a set of (group, value) hands each pair once to the plain aggregate. Whole numbers without groups that lie close
// together are a bitmap; everything else is a table of keys.

#include <algorithm>
#include <optional>

#include "base/bitmap.h"
#include "base/budget.h"
#include "base/check.h"
#include "exec/aggregate_state.h"
#include "exec/key_table.h"

namespace hdb {

namespace {

// Whole numbers as bits of a window that grows with them.
class DenseSet {
 public:
  static constexpr uint64_t kBitsMax = uint64_t{1} << 27;

  DenseSet(uint64_t rows_hint, MemoryBudget* budget)
      : bits_max_(std::min(kBitsMax, std::max(uint64_t{1} << 16, std::min(rows_hint, kBitsMax) * 32))), budget_(budget) {}
  ~DenseSet() {
    if (budget_ != nullptr) budget_->release(charged_);
  }
  DenseSet(const DenseSet&) = delete;
  DenseSet& operator=(const DenseSet&) = delete;

  // Makes room for [low, high]; false: the window would be too wide, and stays as it is. Throws 53200.
  bool reach(int64_t low, int64_t high) {
    if (!words_.empty() && offset(low) < bits() && offset(high) < bits()) return true;
    const int128 first = words_.empty() ? low : std::min<int128>(low, low_), last = words_.empty() ? high : std::max<int128>(high, static_cast<int128>(low_) + bits() - 1);
    const int128 wanted = last - first + 1;
    if (wanted > static_cast<int128>(bits_max_)) return false;
    // Half as much again on the side that grew, as far as that is allowed.
    const auto spare = static_cast<int64_t>(std::min<uint64_t>(bits_max_ - static_cast<uint64_t>(wanted), static_cast<uint64_t>(wanted) / 2 + 64));
    int128 from = words_.empty() || low < low_ ? first - spare : first;
    from = std::max<int128>(from, INT64_MIN);
    from -= words_.empty() ? 0 : (64 - (low_ - from) % 64) % 64;  // whole words, so that the old ones can be copied
    if (from < INT64_MIN) return false;
    const int128 to = words_.empty() || last > static_cast<int128>(low_) + bits() - 1 ? last + spare : last;
    const auto words = static_cast<uint64_t>((to - from + 1 + 63) / 64);
    if (budget_ != nullptr) budget_->charge(words * 8);
    charged_ += words * 8;
    std::vector<uint64_t> fresh(words, 0);
    if (!words_.empty()) std::copy(words_.begin(), words_.end(), fresh.begin() + static_cast<long>((low_ - from) / 64));
    if (budget_ != nullptr) budget_->release(words_.size() * 8);
    charged_ -= words_.size() * 8;
    words_.swap(fresh);
    low_ = static_cast<int64_t>(from);
    return true;
  }
  // Lists in fresh[] the places of values that were not there. After reach() of all of them.
  uint32_t insert(const int64_t* values, uint32_t count, uint32_t* fresh) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint64_t at = offset(values[i]), bit = uint64_t{1} << (at % 64);
      uint64_t& word = words_[at / 64];
      fresh[n] = i;
      n += static_cast<uint32_t>((word & bit) == 0);
      word |= bit;
    }
    return n;
  }
  // f(value) for each member, ascending.
  template <class F>
  void each(F f) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        f(static_cast<int64_t>(static_cast<uint64_t>(low_) + w * 64 + static_cast<uint64_t>(__builtin_ctzll(rest))));
      }
    }
  }

 private:
  uint64_t bits() const { return words_.size() * 64; }
  uint64_t offset(int64_t v) const { return static_cast<uint64_t>(v) - static_cast<uint64_t>(low_); }

  const uint64_t bits_max_;
  MemoryBudget* budget_;
  uint64_t charged_ = 0;
  int64_t low_ = 0;
  std::vector<uint64_t> words_;
};

class DistinctState final : public AggregateState {
 public:
  DistinctState(const Aggregate& a, std::unique_ptr<AggregateState> inner, uint64_t rows_hint, MemoryBudget* budget)
      : type_(a.argument->type), pairs_({Type::bigint(), type_}, rows_hint, budget), inner_(std::move(inner)) {
    if (type_.lane() == Lane::kInt64) dense_.emplace(rows_hint, budget);
  }

  void resize(uint32_t groups) override { inner_->resize(groups); }

  void update(const uint32_t* groups, uint32_t rows, const Vector& value, const Vector&, Scratch& scratch) override {
    if (constant_null(value)) return;
    const Scratch::Mark mark = scratch.mark();
    auto* live = scratch.array<uint32_t>(rows);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows; ++i) {
      live[count] = i;
      count += static_cast<uint32_t>(!value.is_null(i));
    }
    const Vector values = count == rows ? flatten(value, rows, scratch) : gather(flatten(value, rows, scratch), live, count, scratch);
    if (groups == nullptr && take_dense(values.i64, count, scratch)) return scratch.rewind(mark);
    leave_dense(scratch);
    auto* group = scratch.array<int64_t>(count);
    for (uint32_t i = 0; i < count; ++i) group[i] = groups != nullptr ? groups[live[i]] : 0;
    take(group, values, count, scratch);
    scratch.rewind(mark);
  }

  void merge(const AggregateState& other, const uint32_t* groups, uint32_t, Scratch& scratch) override {
    const auto& o = static_cast<const DistinctState&>(other);
    if (o.dense_) {
      // Without groups, so all of them belong to group 0 here, too.
      each_part(*o.dense_, scratch, [&](const int64_t* values, uint32_t count) {
        if (take_dense(values, count, scratch)) return;
        leave_dense(scratch);
        take(scratch.zeroed<int64_t>(count), make_vector(type_, values, nullptr), count, scratch);
      });
      return;
    }
    const KeyTable& theirs = o.pairs_;
    if (theirs.size() > 0) leave_dense(scratch);
    for (uint32_t first = 0; first < theirs.size(); first += kVectorRows) {
      const uint32_t count = std::min(kVectorRows, theirs.size() - first);
      const Scratch::Mark mark = scratch.mark();
      auto* numbers = scratch.array<uint32_t>(count);
      for (uint32_t i = 0; i < count; ++i) numbers[i] = first + i;
      const Vector old = theirs.key(0, numbers, count, scratch);
      auto* group = scratch.array<int64_t>(count);
      for (uint32_t i = 0; i < count; ++i) group[i] = groups[old.i64[i]];
      take(group, theirs.key(1, numbers, count, scratch), count, scratch);
      scratch.rewind(mark);
    }
  }

  Vector result(const uint32_t* groups, uint32_t count, Scratch& scratch) const override { return inner_->result(groups, count, scratch); }
  uint64_t bytes() const override { return inner_->bytes(); }  // set and table charge for themselves

 private:
  // False: they do not fit the bitmap, or there is none any more; nothing was taken.
  bool take_dense(const int64_t* values, uint32_t count, Scratch& scratch) {
    if (!dense_) return false;
    if (count == 0) return true;
    const auto [low, high] = std::minmax_element(values, values + count);
    if (!dense_->reach(*low, *high)) return false;
    auto* fresh = scratch.array<uint32_t>(count + 1);
    const uint32_t n = dense_->insert(values, count, fresh);
    if (n > 0) inner_->update(nullptr, n, gather(make_vector(type_, values, nullptr), fresh, n, scratch), Vector(), scratch);
    return true;
  }
  // f(values, count) for all members of the set, a vector's worth at a time.
  template <class F>
  static void each_part(const DenseSet& set, Scratch& scratch, F f) {
    const Scratch::Mark outer = scratch.mark();
    auto* values = scratch.array<int64_t>(kVectorRows);
    const Scratch::Mark mark = scratch.mark();
    uint32_t count = 0;
    set.each([&](int64_t v) {
      values[count++] = v;
      if (count < kVectorRows) return;
      f(values, count);
      scratch.rewind(mark);
      count = 0;
    });
    if (count > 0) f(values, count);
    scratch.rewind(outer);
  }
  // From the bitmap into the table; the plain aggregate has seen the values.
  void leave_dense(Scratch& scratch) {
    if (!dense_) return;
    each_part(*dense_, scratch, [&](const int64_t* values, uint32_t count) {
      const Vector keys[2] = {make_vector(Type::bigint(), scratch.zeroed<int64_t>(count), nullptr), make_vector(type_, values, nullptr)};
      pairs_.insert(keys, count, scratch, scratch.array<uint32_t>(count));
    });
    dense_.reset();
  }

  void take(const int64_t* group, Vector value, uint32_t count, Scratch& scratch) {
    if (count == 0) return;
    value.nulls = nullptr;
    const Vector keys[2] = {make_vector(Type::bigint(), group, nullptr), value};
    auto* ids = scratch.array<uint32_t>(count);
    const uint32_t before = pairs_.size();
    pairs_.insert(keys, count, scratch, ids);
    if (pairs_.size() == before) return;
    // Ids of new pairs come in the order of rows, so each new id's first row is where it exceeds all ids before.
    auto* fresh = scratch.array<uint32_t>(count);
    auto* fresh_groups = scratch.array<uint32_t>(count);
    uint32_t n = 0, next = before;
    for (uint32_t i = 0; i < count; ++i) {
      if (ids[i] != next) continue;
      fresh[n] = i;
      fresh_groups[n++] = static_cast<uint32_t>(group[i]);
      ++next;
    }
    CHECK(next == pairs_.size());
    inner_->update(fresh_groups, n, gather(value, fresh, n, scratch), Vector(), scratch);
  }

  const Type type_;
  std::optional<DenseSet> dense_;  // until a value does not fit, or there are groups; then pairs_
  KeyTable pairs_;
  std::unique_ptr<AggregateState> inner_;
};

}  // namespace

std::unique_ptr<AggregateState> make_distinct(const Aggregate& a, std::unique_ptr<AggregateState> inner, uint64_t rows_hint, MemoryBudget* budget) {
  return std::make_unique<DistinctState>(a, std::move(inner), rows_hint, budget);
}

}  // namespace hdb
