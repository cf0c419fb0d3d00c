#include "bench/scan_limits.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <thread>

#include "bench/timing.h"
#include "shell/ledger.h"

// Written for any processor, compiled for two; the loader takes the one that runs here.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define KERNEL __attribute__((target_clones("avx2", "default"), optimize("O3"), noinline))
#else
#define KERNEL __attribute__((noinline))
#endif

namespace hdb::bench {
namespace {

constexpr int kRounds = 9;
constexpr size_t kBlock = 4096;
constexpr size_t kCopies = 4;
constexpr size_t kBandwidthWords = size_t{1} << 25;  // 256 MB a thread

struct Columns {
  std::vector<uint8_t> region, status, month, segment, cohort;  // the last two by customer
  std::vector<uint16_t> due;
  std::vector<uint32_t> amount, balance, customer;
};

template <class Names>
uint8_t code_of(const Names& names, std::string_view name) {
  return static_cast<uint8_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

Columns make_columns(const shell::Ledger& ledger) {
  Columns c;
  for (uint64_t id = 1; id <= ledger.invoices(); ++id) {
    const auto row = ledger.invoice(id);
    c.region.push_back(code_of(shell::Ledger::kRegions, row.region));
    c.status.push_back(code_of(shell::Ledger::kStatuses, row.status));
    c.month.push_back(code_of(shell::Ledger::months(), row.month));
    c.due.push_back(static_cast<uint16_t>(row.due_day));
    c.amount.push_back(static_cast<uint32_t>(row.amount_cents));
    c.balance.push_back(static_cast<uint32_t>(row.balance_cents));
    c.customer.push_back(static_cast<uint32_t>(row.customer_id - 1));
  }
  for (uint64_t id = 1; id <= ledger.customers(); ++id) {
    const auto row = ledger.customer(id);
    c.segment.push_back(code_of(shell::Ledger::kSegments, row.segment));
    c.cohort.push_back(code_of(shell::Ledger::cohorts(), row.signup_cohort));
  }
  return c;
}

struct Group {
  uint64_t sum = 0;
  uint64_t count = 0;
  void add(const Group& other) { sum += other.sum, count += other.count; }
};

KERNEL Group filter_two(const uint8_t* status, const uint16_t* due, const uint32_t* balance, size_t n, uint8_t wanted, uint16_t below) {
  Group group;
  for (size_t b = 0; b < n; b += kBlock) {
    const size_t end = std::min(n, b + kBlock);
    uint64_t sum = 0;
    uint32_t count = 0;
    for (size_t i = b; i < end; ++i) {
      const uint32_t take = (status[i] == wanted) & (due[i] < below);
      sum += balance[i] & (0u - take);
      count += take;
    }
    group.sum += sum;
    group.count += count;
  }
  return group;
}
KERNEL uint64_t count_above(const uint32_t* amount, size_t n, uint32_t bound) {
  uint64_t total = 0;
  for (size_t b = 0; b < n; b += kBlock) {
    const size_t end = std::min(n, b + kBlock);
    uint32_t count = 0;
    for (size_t i = b; i < end; ++i) count += amount[i] > bound;
    total += count;
  }
  return total;
}
KERNEL uint32_t maximum(const uint32_t* amount, size_t n) {
  uint32_t most = 0;
  for (size_t i = 0; i < n; ++i) most = std::max(most, amount[i]);
  return most;
}
KERNEL uint64_t sum_all(const uint32_t* amount, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += amount[i];
  return sum;
}
KERNEL void group_codes(const uint8_t* code, const uint32_t* amount, size_t n, Group* groups, size_t count) {
  for (size_t i = 0; i < n; ++i) {
    Group& group = groups[(i % kCopies) * count + code[i]];
    group.sum += amount[i];
    ++group.count;
  }
}
KERNEL void group_bytes(const uint8_t* region, const uint8_t* status, const uint32_t* amount, size_t n, Group* groups, size_t count) {
  for (size_t i = 0; i < n; ++i) {
    Group& group = groups[(i % kCopies) * count + region[i] * 5u + status[i]];
    group.sum += amount[i];
    ++group.count;
  }
}
KERNEL void group_joined(const uint32_t* customer, const uint8_t* attribute, const uint32_t* amount, size_t n, Group* groups, size_t count) {
  for (size_t i = 0; i < n; ++i) {
    Group& group = groups[(i % kCopies) * count + attribute[customer[i]]];
    group.sum += amount[i];
    ++group.count;
  }
}
KERNEL void group_joined_two(const uint32_t* customer, const uint8_t* attribute, const uint8_t* status, const uint32_t* amount, size_t n, Group* groups, size_t count) {
  for (size_t i = 0; i < n; ++i) {
    Group& group = groups[(i % kCopies) * count + attribute[customer[i]] * 5u + status[i]];
    group.sum += amount[i];
    ++group.count;
  }
}
KERNEL uint64_t sum_joined(const uint32_t* customer, const uint8_t* attribute, const uint32_t* amount, size_t n, uint8_t wanted) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += amount[i] & (0u - static_cast<uint32_t>(attribute[customer[i]] == wanted));
  return sum;
}
KERNEL void sum_by_customer(const uint32_t* customer, const uint32_t* amount, size_t n, uint64_t* sums) {
  for (size_t i = 0; i < n; ++i) sums[customer[i]] += amount[i];
}
KERNEL uint64_t add_words(const uint64_t* words, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += words[i];
  return sum;
}

// part(thread, first, count), each on its own thread, at once.
void in_parts(unsigned threads, size_t rows, const std::function<void(unsigned, size_t, size_t)>& part) {
  std::vector<std::thread> others;
  const auto first = [&](unsigned t) { return rows * t / threads; };
  for (unsigned t = 1; t < threads; ++t) others.emplace_back([&, t] { part(t, first(t), first(t + 1) - first(t)); });
  part(0, 0, first(1));
  for (auto& other : others) other.join();
}

class Loops {
 public:
  Loops(uint64_t rows, unsigned threads) : ledger_(rows), c_(make_columns(ledger_)), rows_(rows), threads_max_(threads), threads_(threads) {}

  std::vector<Limit> run() {
    const uint64_t customers = c_.segment.size();
    add("Q1", 5 * rows_, [&] { return by_code(c_.status, shell::Ledger::kStatuses); });
    add("Q2", 5 * rows_, [&] { return by_code(c_.month, shell::Ledger::months()); });
    add("Q3", 5 * rows_, [&] { return by_code(c_.region, shell::Ledger::kRegions); });
    add("Q4", 4 * rows_, [&] { return q4(); });
    add("Q7", 7 * rows_, [&] { return q7(); });
    add("Q8", 4 * rows_, [&] { return q8(); });
    add("Q9", 4 * rows_, [&] { return q9(); });
    add("Q10", 8 * rows_ + 8 * customers, [&] { return best_customers(false); });
    add("Q11", 6 * rows_, [&] { return q11(); });
    add("Q12", 8 * rows_ + customers, [&] { return joined(c_.segment, shell::Ledger::kSegments); });
    add("Q13", 9 * rows_ + customers, [&] { return q13(); });
    add("Q14", 8 * rows_ + customers, [&] { return q14(); });
    add("Q15", 8 * rows_ + customers, [&] { return joined(c_.cohort, shell::Ledger::cohorts()); });
    add("Q16", 8 * rows_ + 8 * customers, [&] { return best_customers(true); });
    return std::move(limits_);
  }

 private:
  template <class Loop>
  void add(const char* id, uint64_t bytes, Loop&& loop) {
    Limit limit{.id = id, .seconds = 1e9, .bytes = bytes, .answer = ""};
    for (int round = 0; round < 2 * kRounds; ++round) {  // on all threads, and on one: starting a thread takes longer than few rows
      threads_ = round % 2 == 0 ? threads_max_ : 1;
      limit.seconds = std::min(limit.seconds, seconds_of([&] { limit.answer = loop(); }));
    }
    limits_.push_back(std::move(limit));
  }
  std::vector<Group> grouped(size_t count, const std::function<void(size_t, size_t, Group*)>& kernel) const {
    std::vector<std::vector<Group>> parts(threads_, std::vector<Group>(count * kCopies));
    in_parts(threads_, rows_, [&](unsigned t, size_t first, size_t n) { kernel(first, n, parts[t].data()); });
    std::vector<Group> groups(count);
    for (const auto& part : parts) {
      for (size_t i = 0; i < part.size(); ++i) groups[i % count].add(part[i]);
    }
    return groups;
  }
  static std::string text(const std::map<std::string, Group>& groups) {
    std::string text;
    for (const auto& [name, g] : groups) {
      if (g.count > 0) text += name + "|" + std::to_string(g.sum) + "|" + std::to_string(g.count) + "\n";
    }
    return text;
  }
  template <class Names>
  static std::string text(const Names& names, const std::vector<Group>& groups) {
    std::map<std::string, Group> named;
    for (size_t i = 0; i < groups.size(); ++i) named[std::string(names[i])] = groups[i];
    return text(named);
  }

  std::string q4() const {
    std::vector<uint64_t> parts(threads_);
    in_parts(threads_, rows_, [&](unsigned t, size_t first, size_t n) { parts[t] = sum_all(&c_.amount[first], n); });
    uint64_t all = 0;
    for (const uint64_t part : parts) all += part;
    return std::to_string(all) + "\n";
  }
  template <class Names>
  std::string by_code(const std::vector<uint8_t>& code, const Names& names) const {
    const auto groups = grouped(names.size(), [&](size_t first, size_t n, Group* g) { group_codes(&code[first], &c_.amount[first], n, g, names.size()); });
    return text(names, groups);
  }
  std::string q7() const {
    std::vector<Group> parts(threads_);
    in_parts(threads_, rows_, [&](unsigned t, size_t first, size_t n) {
      parts[t] = filter_two(&c_.status[first], &c_.due[first], &c_.balance[first], n, code_of(shell::Ledger::kStatuses, "overdue"), 200);
    });
    Group all;
    for (const Group& part : parts) all.add(part);
    return (all.count == 0 ? "NULL" : std::to_string(all.sum)) + "|" + std::to_string(all.count) + "\n";
  }
  std::string q8() const {
    std::vector<uint64_t> parts(threads_);
    in_parts(threads_, rows_, [&](unsigned t, size_t first, size_t n) { parts[t] = count_above(&c_.amount[first], n, 200'000); });
    uint64_t all = 0;
    for (const uint64_t part : parts) all += part;
    return std::to_string(all) + "\n";
  }
  std::string q9() const {
    constexpr size_t kTop = 20;
    using Entry = std::pair<uint32_t, size_t>;  // best first: larger amount, then smaller id
    const auto better = [](const Entry& a, const Entry& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; };
    std::vector<std::vector<Entry>> parts(threads_);
    in_parts(threads_, rows_, [&](unsigned t, size_t first, size_t n) {
      auto& top = parts[t];
      for (size_t b = first; b < first + n; b += kBlock) {
        const size_t end = std::min(first + n, b + kBlock);
        if (top.size() == kTop && maximum(&c_.amount[b], end - b) <= top.back().first) continue;
        for (size_t i = b; i < end; ++i) {
          if (top.size() == kTop && c_.amount[i] <= top.back().first) continue;
          const Entry entry{c_.amount[i], i};
          top.insert(std::upper_bound(top.begin(), top.end(), entry, better), entry);
          if (top.size() > kTop) top.pop_back();
        }
      }
    });
    std::vector<Entry> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end(), better);
    std::string text;
    for (size_t i = 0; i < std::min(kTop, all.size()); ++i) {
      text += std::to_string(all[i].second + 1) + "|" + std::to_string(c_.customer[all[i].second] + 1) + "|" + std::to_string(all[i].first) + "\n";
    }
    return text;
  }
  std::string best_customers(bool names) const {
    constexpr size_t kTop = 10;
    const size_t customers = c_.segment.size();
    std::vector<std::vector<uint64_t>> parts(threads_, std::vector<uint64_t>(customers));
    in_parts(threads_, rows_, [&](unsigned t, size_t first, size_t n) { sum_by_customer(&c_.customer[first], &c_.amount[first], n, parts[t].data()); });
    for (unsigned t = 1; t < threads_; ++t) {
      for (size_t i = 0; i < customers; ++i) parts[0][i] += parts[t][i];
    }
    std::vector<size_t> order;  // amounts are positive: a sum of zero is a customer without invoices
    for (size_t i = 0; i < customers; ++i) {
      if (parts[0][i] > 0) order.push_back(i);
    }
    const size_t top = std::min(kTop, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                      [&](size_t a, size_t b) { return parts[0][a] != parts[0][b] ? parts[0][a] > parts[0][b] : a < b; });
    std::string text;
    for (size_t i = 0; i < top; ++i) {
      text += (names ? ledger_.customer(order[i] + 1).name : std::to_string(order[i] + 1)) + "|" + std::to_string(parts[0][order[i]]) + "\n";
    }
    return text;
  }
  std::string q11() const {
    const auto groups = grouped(20, [&](size_t first, size_t n, Group* g) { group_bytes(&c_.region[first], &c_.status[first], &c_.amount[first], n, g, 20); });
    std::map<std::string, Group> named;
    for (size_t i = 0; i < groups.size(); ++i) named[std::string(shell::Ledger::kRegions[i / 5]) + "|" + std::string(shell::Ledger::kStatuses[i % 5])] = groups[i];
    return text(named);
  }
  template <class Names>
  std::string joined(const std::vector<uint8_t>& attribute, const Names& names) const {
    const auto groups = grouped(names.size(), [&](size_t first, size_t n, Group* g) {
      group_joined(&c_.customer[first], attribute.data(), &c_.amount[first], n, g, names.size());
    });
    return text(names, groups);
  }
  std::string q13() const {
    const auto groups = grouped(20, [&](size_t first, size_t n, Group* g) {
      group_joined_two(&c_.customer[first], c_.segment.data(), &c_.status[first], &c_.amount[first], n, g, 20);
    });
    std::map<std::string, Group> named;
    for (size_t i = 0; i < groups.size(); ++i) named[std::string(shell::Ledger::kSegments[i / 5]) + "|" + std::string(shell::Ledger::kStatuses[i % 5])] = groups[i];
    return text(named);
  }
  std::string q14() const {
    std::vector<uint64_t> parts(threads_);
    in_parts(threads_, rows_, [&](unsigned t, size_t first, size_t n) {
      parts[t] = sum_joined(&c_.customer[first], c_.segment.data(), &c_.amount[first], n, code_of(shell::Ledger::kSegments, "enterprise"));
    });
    uint64_t all = 0;
    for (const uint64_t part : parts) all += part;
    return (all == 0 ? "NULL" : std::to_string(all)) + "\n";
  }

  shell::Ledger ledger_;
  Columns c_;
  uint64_t rows_;
  unsigned threads_max_;
  unsigned threads_;
  std::vector<Limit> limits_;
};

}  // namespace

std::vector<Limit> measure_limits(uint64_t rows, unsigned threads) { return Loops(rows, threads).run(); }

std::vector<double> measure_bandwidth(unsigned threads) {
  const std::vector<uint64_t> words(kBandwidthWords, 3);
  std::vector<double> rates;
  for (unsigned t = 1; t <= threads; ++t) {
    std::vector<uint64_t> sums(t * 8);
    double best = 0;
    for (int round = 0; round < kRounds; ++round) {
      const auto add = [&](unsigned part, size_t first, size_t n) { sums[part * 8] = add_words(&words[first], n); };
      const double seconds = seconds_of([&] { in_parts(t, words.size(), add); });
      best = std::max(best, static_cast<double>(words.size() * sizeof(uint64_t)) / seconds);
    }
    uint64_t sum = 0;
    for (const uint64_t s : sums) sum += s;
    if (sum != 3 * words.size()) return {};
    rates.push_back(best);
  }
  return rates;
}

}  // namespace hdb::bench
