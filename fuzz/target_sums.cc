// Exact sums of integers and of doubles, against unbounded integers: any order of adding, taking away, merging and taking apart.
#include <cmath>

#include "exact/double_sum.h"
#include "exact/sum128.h"
#include "targets.h"

namespace judge {

namespace {

using model::Big;

int64_t some_integer(model::Random& r) {
  switch (r.below(5)) {
    case 0:
      return INT64_MAX - static_cast<int64_t>(r.below(3));
    case 1:
      return INT64_MIN + static_cast<int64_t>(r.below(3));
    case 2:
      return static_cast<int64_t>(r.next());
    case 3:
      return int64_t{1} << r.below(63);
    default:
      return r.range(-200, 200);
  }
}

double some_double(model::Random& r) {
  switch (r.below(7)) {
    case 0:
      return std::ldexp(static_cast<double>(r.range(-9, 9)), static_cast<int>(r.range(-1074, 1000)));
    case 1:
      return r.chance(50) ? 1.7976931348623157e308 : -1.7976931348623157e308;
    case 2:
      return std::ldexp(static_cast<double>(static_cast<int64_t>(r.next()) >> 11), static_cast<int>(r.range(-200, 200)));
    case 3:
      return r.chance(90) ? 4.9406564584124654e-324 : -0.0;
    case 4:
      return r.chance(20) ? HUGE_VAL : 0.1;
    case 5:
      return r.chance(10) ? -HUGE_VAL : 9007199254740993.0;
    default:
      return static_cast<double>(r.range(-1000, 1000)) / 8;
  }
}

Big value_of(const hdb::Sum128& sum) { return (Big(static_cast<int64_t>(sum.hi)) << 64) + sum.lo; }

void integers(model::Random& r, int steps) {
  hdb::Sum128 sums[3];
  Big totals[3];
  for (int i = 0; i < steps; ++i) {
    const size_t a = r.below(3), b = (a + 1 + r.below(2)) % 3;
    const int64_t x = some_integer(r);
    switch (r.below(8)) {
      case 0:
      case 1:
        sums[a].add(static_cast<uint64_t>(x)), totals[a] += x;
        break;
      case 2:
        sums[a].sub(static_cast<uint64_t>(x)), totals[a] -= x;
        break;
      case 3:
        sums[a].add_unsigned(static_cast<uint64_t>(x)), totals[a] += static_cast<uint64_t>(x);
        break;
      case 4:
        if (abs(totals[a]) < (Big(1) << 120) && abs(totals[b]) < (Big(1) << 120)) sums[a].merge(sums[b]), totals[a] += totals[b];
        break;
      case 5:
        if (abs(totals[a]) < (Big(1) << 120) && abs(totals[b]) < (Big(1) << 120)) sums[a].unmerge(sums[b]), totals[a] -= totals[b];
        break;
      case 6:
        sums[a].negate(), totals[a] = -totals[a];
        break;
      default: {
        const int64_t count = r.range(0, 16384);
        sums[a].add_product(x, count), totals[a] += Big(x) * count;
        if (r.chance(50)) sums[a].sub_product(x, count), totals[a] -= Big(x) * count;
      }
    }
    require(value_of(sums[a]) == totals[a], "X1: a sum of integers is " + value_of(sums[a]).str() + " and not " + totals[a].str());
    require(sums[a].fits_int64() == (totals[a] >= INT64_MIN && totals[a] <= INT64_MAX), "X1: whether " + totals[a].str() + " fits 64 bits");
  }
}

struct Bag {
  hdb::DoubleSum sum;
  std::vector<double> in;
};

void compare(const Bag& bag) {
  model::RealSum exact;
  for (const double x : bag.in) exact.add(x);
  const double got = bag.sum.value(), want = exact.total();
  const bool same = std::isnan(want) ? std::isnan(got) : got == want;
  require(same, "X7: a sum of doubles is " + std::to_string(got) + " and not " + std::to_string(want));
  if (bag.in.empty()) return;
  const auto n = static_cast<int64_t>(bag.in.size());
  const double average = bag.sum.average(static_cast<uint64_t>(n)), right = exact.average(n);
  require(std::isnan(right) ? std::isnan(average) : average == right,
          "X7: an average of doubles is " + std::to_string(average) + " and not " + std::to_string(right));
}

void doubles(model::Random& r, int steps) {
  Bag bags[2];
  for (int i = 0; i < steps; ++i) {
    Bag& a = bags[r.below(2)];
    Bag& b = &a == &bags[0] ? bags[1] : bags[0];
    const uint64_t kind = r.below(10);
    if (kind < 5 || a.in.empty()) {
      a.in.push_back(some_double(r));
      a.sum.add(a.in.back());
    } else if (kind < 8) {
      const size_t at = r.below(a.in.size());
      a.sum.sub(a.in[at]);
      a.in.erase(a.in.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      const hdb::DoubleSum before = a.sum;
      a.sum.merge(b.sum);
      if (kind == 8) {
        a.sum.unmerge(b.sum);
        require(a.sum == before, "X8: merged and taken apart is not what was");
      } else if (a.in.size() + b.in.size() < 60) {
        a.in.insert(a.in.end(), b.in.begin(), b.in.end());
      } else {
        a.sum = before;
      }
    }
    if (i % 4 == 3) compare(a);
  }
  compare(bags[0]), compare(bags[1]);
}

}  // namespace

void fuzz_sums(const uint8_t* data, size_t size, Tally&) {
  model::Random random(data, size);
  integers(random, static_cast<int>(20 + size / 8 % 200));
  doubles(random, static_cast<int>(10 + size / 16 % 60));
}

}  // namespace judge
