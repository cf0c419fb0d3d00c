// MIN and MAX over all types, under a total order: NaN above every number, -0.0 just below 0.0, text by bytes.

#include <cmath>

#include "base/check.h"
#include "exec/aggregate_state.h"

namespace hdb {

namespace {

inline bool above(int64_t a, int64_t b) { return a > b; }
inline bool above(int128 a, int128 b) { return a > b; }
inline bool above(double a, double b) {
  if (a > b) return true;
  if (a < b || b != b) return false;
  return a != a || (a == 0 && b == 0 && std::signbit(b) && !std::signbit(a));
}

template <class T>
class ExtremeState final : public AggregateState {
 public:
  explicit ExtremeState(const Aggregate& a) : type_(a.type), max_(a.kind == AggregateKind::kMax) {}
  void resize(uint32_t groups) override {
    best_.resize(groups, T{});
    some_.resize(groups, 0);
  }
  void update(const uint32_t* groups, uint32_t rows, const Vector& value, const Vector&, Scratch&) override {
    const T* data = LaneOf<T>::of(value);
    if (groups == nullptr && value.nulls == nullptr && !value.constant) return update_one(data, rows);
    for (uint32_t i = 0; i < rows; ++i) {
      if (!value.is_null(i)) offer(groups != nullptr ? groups[i] : 0, data[value.at(i)]);
    }
  }
  void merge(const AggregateState& other, const uint32_t* groups, uint32_t count, Scratch&) override {
    const auto& o = static_cast<const ExtremeState&>(other);
    for (uint32_t i = 0; i < count; ++i) {
      if (o.some_[i] != 0) offer(groups[i], o.best_[i]);
    }
  }
  Vector result(const uint32_t* groups, uint32_t count, Scratch& scratch) const override {
    NullMask nulls(nullptr, count, scratch);
    T* out = scratch.array<T>(count);
    for (uint32_t i = 0; i < count; ++i) {
      out[i] = best_[groups[i]];
      if (some_[groups[i]] == 0) nulls.set(i);
    }
    return make_vector(type_, static_cast<const T*>(out), nulls.words());
  }
  uint64_t bytes() const override { return best_.capacity() * (sizeof(T) + 1); }

 private:
  void offer(uint32_t group, T x) {
    if (some_[group] == 0 || (max_ ? above(x, best_[group]) : above(best_[group], x))) {
      best_[group] = x;
      some_[group] = 1;
    }
  }
  void update_one(const T* data, uint32_t rows) {
    T best = data[0];
    if (max_) for (uint32_t i = 1; i < rows; ++i) best = above(data[i], best) ? data[i] : best;
    else for (uint32_t i = 1; i < rows; ++i) best = above(best, data[i]) ? data[i] : best;
    offer(0, best);
  }

  Type type_;
  bool max_;
  std::vector<T> best_;
  std::vector<char> some_;
};

class TextExtremeState final : public AggregateState {
 public:
  explicit TextExtremeState(const Aggregate& a) : type_(a.type), max_(a.kind == AggregateKind::kMax) {}
  void resize(uint32_t groups) override { best_.resize(groups); }
  void update(const uint32_t* groups, uint32_t rows, const Vector& value, const Vector&, Scratch& scratch) override {
    if (value.codes != nullptr && !value.constant) return update_coded(groups, rows, value, scratch);
    for (uint32_t i = 0; i < rows; ++i) {
      if (!value.is_null(i)) offer(groups != nullptr ? groups[i] : 0, value.text_at(i));
    }
  }
  void merge(const AggregateState& other, const uint32_t* groups, uint32_t count, Scratch&) override {
    const auto& o = static_cast<const TextExtremeState&>(other);
    for (uint32_t i = 0; i < count; ++i) {
      if (o.best_[i].some) offer(groups[i], o.best_[i].text);
    }
  }
  Vector result(const uint32_t* groups, uint32_t count, Scratch& scratch) const override {
    NullMask nulls(nullptr, count, scratch);
    auto* out = scratch.array<std::string_view>(count);
    for (uint32_t i = 0; i < count; ++i) {
      out[i] = best_[groups[i]].text;
      if (!best_[groups[i]].some) nulls.set(i);
    }
    return make_vector(type_, static_cast<const std::string_view*>(out), nulls.words());
  }
  uint64_t bytes() const override { return best_.capacity() * sizeof(Best) + text_bytes_; }

 private:
  struct Best {
    std::string text;
    uint32_t code = 0xFFFFFFFFu;  // of the last dictionary seen that gave this text
    bool some = false;
  };
  void offer(uint32_t group, std::string_view x) {
    Best& b = best_[group];
    if (b.some && (max_ ? x <= b.text : x >= b.text)) return;
    text_bytes_ += x.size();
    b.text = x;
    b.some = true;
    b.code = 0xFFFFFFFFu;
  }
  // A code that was offered to its group just before need not be looked at again.
  void update_coded(const uint32_t* groups, uint32_t rows, const Vector& value, Scratch&) {
    if (value.dictionary != dictionary_) {
      for (Best& b : best_) b.code = 0xFFFFFFFFu;
      dictionary_ = value.dictionary;
    }
    for (uint32_t i = 0; i < rows; ++i) {
      const uint32_t group = groups != nullptr ? groups[i] : 0;
      if (value.is_null(i) || best_[group].code == value.codes[i]) continue;
      offer(group, value.dictionary->text(value.codes[i]));
      best_[group].code = value.codes[i];
    }
  }

  Type type_;
  bool max_;
  const Dictionary* dictionary_ = nullptr;
  std::vector<Best> best_;
  uint64_t text_bytes_ = 0;
};

}  // namespace

std::unique_ptr<AggregateState> make_extreme(const Aggregate& a) {
  switch (a.type.lane()) {
    case Lane::kInt64: return std::make_unique<ExtremeState<int64_t>>(a);
    case Lane::kInt128: return std::make_unique<ExtremeState<int128>>(a);
    case Lane::kDouble: return std::make_unique<ExtremeState<double>>(a);
    case Lane::kText: return std::make_unique<TextExtremeState>(a);
  }
  CHECK(false);
  return nullptr;
}

}  // namespace hdb
