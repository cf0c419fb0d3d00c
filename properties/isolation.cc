#include "isolation.h"

#include <algorithm>
#include <map>
#include <set>

namespace judge {

bool Transaction::writes() const {
  return std::any_of(acts.begin(), acts.end(), [](const Act& a) { return a.kind == Act::Kind::kAppend; });
}

namespace {

std::string text_of(const std::vector<int64_t>& list) {
  std::string out = "[";
  for (const int64_t x : list) out += (out.size() > 1 ? " " : "") + std::to_string(x);
  return out + "]";
}
bool is_prefix(const std::vector<int64_t>& a, const std::vector<int64_t>& b) { return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin()); }

// Edges of four kinds between transactions; a search uses some of the kinds.
enum Edge : unsigned { kWrite = 1, kRead = 2, kAnti = 4, kTime = 8 };

class Checker {
 public:
  Checker(const ConcurrentHistory& history, Level level) : history_(history), level_(level), orders_(static_cast<size_t>(history.keys)) {}

  std::vector<Anomaly> run() {
    note_writers();
    for (size_t t = 0; t < size(); ++t) walk(t);
    if (!anomalies_.empty()) return anomalies_;  // without an order of writes there is nothing to follow
    complete_orders();
    if (!anomalies_.empty()) return anomalies_;
    edges_.assign(size(), {});
    for (size_t k = 0; k < orders_.size(); ++k) link(static_cast<int>(k));
    if (level_ == Level::kStrict) link_by_time();
    cycles();
    if (anomalies_.empty()) totals();
    return anomalies_;
  }

 private:
  struct Writer {
    size_t transaction;
    int key;
    bool last = false;  // the transaction's last append to the key
    bool undone = false;
  };
  struct First {  // what a transaction saw of a list before its own appends
    int key;
    std::vector<int64_t> list;
  };
  size_t size() const { return history_.transactions.size(); }
  const Transaction& at(size_t t) const { return history_.transactions[t]; }
  std::string name(size_t t) const { return "T" + std::to_string(t); }
  void add(const std::string& kind, const std::string& text) {
    if (anomalies_.size() < 20) anomalies_.push_back({kind, text});
  }

  void note_writers() {
    for (size_t t = 0; t < size(); ++t) {
      std::map<int, int64_t> last;
      for (const Act& a : at(t).acts) {
        if (a.kind != Act::Kind::kAppend) continue;
        if (!writers_.emplace(a.number, Writer{t, a.key}).second) add("order", std::to_string(a.number) + " was appended twice");
        last[a.key] = a.number;
      }
      for (const auto& [key, number] : last) writers_.at(number).last = true;
      for (const int64_t number : at(t).undone) writers_.emplace(number, Writer{t, -1, false, true});
    }
  }

  // One transaction by itself: it sees its own appends, one state of everything else, and nothing that is not committed.
  void walk(size_t t) {
    std::map<int, std::vector<int64_t>> own, seen;
    for (const Act& a : at(t).acts) {
      if (a.kind == Act::Kind::kAppend) own[a.key].push_back(a.number);
      if (a.kind != Act::Kind::kRead) continue;
      const std::vector<int64_t>& mine = own[a.key];
      if (a.list.size() < mine.size() || !std::equal(mine.begin(), mine.end(), a.list.end() - static_cast<std::ptrdiff_t>(mine.size()))) {
        add("own write", name(t) + " does not see its own appends in list " + std::to_string(a.key) + ": " + text_of(a.list));
        continue;
      }
      const std::vector<int64_t> others(a.list.begin(), a.list.end() - static_cast<std::ptrdiff_t>(mine.size()));
      const auto [place, first] = seen.emplace(a.key, others);
      if (!first && place->second != others)
        add("read skew", name(t) + " sees list " + std::to_string(a.key) + " as " + text_of(place->second) + " and as " + text_of(others));
      if (first) observe(t, a.key, others);
    }
    firsts_.emplace_back();
    for (auto& [key, list] : seen) firsts_.back().push_back({key, list});
  }

  void observe(size_t t, int key, const std::vector<int64_t>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      const auto found = writers_.find(list[i]);
      if (found == writers_.end()) {
        add("order", name(t) + " reads " + std::to_string(list[i]) + ", which nobody wrote");
        return;
      }
      const Writer& w = found->second;
      if (w.undone || (at(w.transaction).end == Transaction::End::kAborted && w.transaction != t))
        add("G1a", name(t) + " reads " + std::to_string(list[i]) + " of " + name(w.transaction) + ", which was rolled back");
      else if (w.transaction == t)
        add("order", name(t) + " reads its own " + std::to_string(list[i]) + " before others' appends");
      else if (i + 1 == list.size() && !w.last)
        add("G1b", name(t) + " reads " + std::to_string(list[i]) + ", which " + name(w.transaction) + " had not finished");
      else if (w.key != key)
        add("order", std::to_string(list[i]) + " stands in another list");
    }
    if (at(t).end == Transaction::End::kAborted) return;
    std::vector<int64_t>& order = orders_[static_cast<size_t>(key)];
    if (is_prefix(order, list))
      order = list;
    else if (!is_prefix(list, order))
      add("order", "list " + std::to_string(key) + " was " + text_of(order) + " and " + text_of(list));
  }

  // Committed appends that nobody has read are lost if their list was read by somebody who began after they had ended; else their place is not known.
  void complete_orders() {
    if (level_ != Level::kStrict) return;
    std::set<int64_t> placed;
    for (const std::vector<int64_t>& order : orders_) placed.insert(order.begin(), order.end());
    for (const auto& [number, w] : writers_) {
      if (w.undone || at(w.transaction).end == Transaction::End::kAborted || placed.count(number) > 0) continue;
      for (size_t t = 0; t < size(); ++t) {
        if (at(t).began <= at(w.transaction).ended) continue;
        for (const First& f : firsts_[t]) {
          if (f.key != w.key) continue;
          add("lost update",
              std::to_string(number) + " of " + name(w.transaction) + " is not in list " + std::to_string(w.key) + ", which " + name(t) + " read afterwards");
          t = size() - 1;
          break;
        }
      }
    }
  }

  void edge(size_t from, size_t to, Edge kind) {
    if (from != to && at(from).end == Transaction::End::kCommitted && at(to).end == Transaction::End::kCommitted) edges_[from][to] |= kind;
  }

  void link(int key) {
    const std::vector<int64_t>& order = orders_[static_cast<size_t>(key)];
    for (size_t i = 1; i < order.size(); ++i) edge(writers_.at(order[i - 1]).transaction, writers_.at(order[i]).transaction, kWrite);
    for (size_t t = 0; t < size(); ++t) {
      for (const First& f : firsts_[t]) {
        if (f.key != key) continue;
        if (!f.list.empty()) edge(writers_.at(f.list.back()).transaction, t, kRead);
        size_t next = f.list.size();
        while (next < order.size() && writers_.at(order[next]).transaction == t) ++next;
        if (next < order.size()) edge(t, writers_.at(order[next]).transaction, kAnti);
      }
    }
  }

  // Who had ended before another began comes first; only the edges that do not follow from others.
  void link_by_time() {
    std::vector<size_t> by_end;
    for (size_t t = 0; t < size(); ++t) {
      if (at(t).end == Transaction::End::kCommitted) by_end.push_back(t);
    }
    std::sort(by_end.begin(), by_end.end(), [&](size_t a, size_t b) { return at(a).ended < at(b).ended; });
    for (size_t t = 0; t < size(); ++t) {
      uint64_t latest_start = 0;
      size_t before = 0;
      for (; before < by_end.size() && at(by_end[before]).ended < at(t).began; ++before) latest_start = std::max(latest_start, at(by_end[before]).began);
      for (size_t i = before; i > 0 && at(by_end[i - 1]).ended >= latest_start; --i) edge(by_end[i - 1], t, kTime);
    }
  }

  // A shortest path by edges of these kinds; empty if there is none. The path starts behind `from` and ends with `to`.
  std::vector<size_t> path(size_t from, size_t to, unsigned kinds) const {
    std::vector<size_t> came(size(), SIZE_MAX), queue = {from};
    for (size_t i = 0; i < queue.size(); ++i) {
      for (const auto& [next, kind] : edges_[queue[i]]) {
        if ((kind & kinds) == 0 || came[next] != SIZE_MAX) continue;
        came[next] = queue[i];
        if (next == to) {
          std::vector<size_t> out = {to};
          while (came[out.back()] != from) out.push_back(came[out.back()]);
          std::reverse(out.begin(), out.end());
          return out;
        }
        queue.push_back(next);
      }
    }
    return {};
  }

  // Components by edges of these kinds (Tarjan would do; a topological peel is enough to know whether there is a cycle at all).
  bool has_cycle(unsigned kinds) const {
    std::vector<size_t> before(size(), 0), ready;
    for (const auto& out : edges_) {
      for (const auto& [next, kind] : out) before[next] += (kind & kinds) != 0 ? 1 : 0;
    }
    for (size_t t = 0; t < size(); ++t) {
      if (before[t] == 0) ready.push_back(t);
    }
    for (size_t i = 0; i < ready.size(); ++i) {
      for (const auto& [next, kind] : edges_[ready[i]]) {
        if ((kind & kinds) != 0 && --before[next] == 0) ready.push_back(next);
      }
    }
    return ready.size() < size();
  }

  // An edge of kind `start` that a path of `kinds` closes.
  bool closed(const std::string& kind_name, unsigned start, unsigned kinds) {
    for (size_t t = 0; t < size(); ++t) {
      for (const auto& [next, kind] : edges_[t]) {
        if ((kind & start) == 0) continue;
        const std::vector<size_t> back = path(next, t, kinds);
        if (back.empty()) continue;
        std::string text = name(t) + " -> " + name(next);
        for (const size_t step : back) text += " -> " + name(step);
        const bool same_list = kind_name == "read skew" && wrote_what_it_read(t, next);
        add(same_list ? "lost update" : kind_name, text);
        return true;
      }
    }
    return false;
  }
  bool wrote_what_it_read(size_t reader, size_t writer) const {
    for (const Act& mine : at(reader).acts) {
      if (mine.kind != Act::Kind::kAppend) continue;
      for (const Act& other : at(writer).acts) {
        if (other.kind == Act::Kind::kAppend && other.key == mine.key) return true;
      }
    }
    return false;
  }

  void cycles() {
    if (has_cycle(kWrite))
      closed("G0", kWrite, kWrite);
    else if (has_cycle(kWrite | kRead))
      closed("G1c", kRead, kWrite | kRead);
    else if (has_cycle(kWrite | kRead | kAnti)) {
      if (!closed("read skew", kAnti, kWrite | kRead) && level_ != Level::kSnapshot) closed("write skew", kAnti, kWrite | kRead | kAnti);
    } else if (level_ == Level::kStrict && has_cycle(kWrite | kRead | kAnti | kTime)) {
      closed("stale read", kTime, kWrite | kRead | kAnti | kTime);
    }
  }

  // A total must lie between what surely came before and what surely did not come after; two of one transaction differ by its own appends only.
  void totals() {
    for (size_t t = 0; t < size(); ++t) {
      if (at(t).end == Transaction::End::kAborted) continue;
      std::map<int, int64_t> own;
      std::map<std::vector<int>, int64_t> seen;
      for (const Act& a : at(t).acts) {
        if (a.kind == Act::Kind::kAppend) ++own[a.key];
        if (a.kind != Act::Kind::kTotal) continue;
        int64_t others = a.number, low = 0, high = 0;
        for (const int key : a.keys) others -= own.count(key) > 0 ? own.at(key) : 0;
        const auto [place, first] = seen.emplace(a.keys, others);
        if (!first && place->second != others)
          add("stale total", name(t) + " sees two totals of one snapshot: " + std::to_string(place->second) + " and " + std::to_string(others));
        for (const int key : a.keys) bounds(t, key, low, high);
        if (others < low || others > high) {
          add("stale total", name(t) + " sees the total " + std::to_string(others) + ", and the lists of its snapshot have " + std::to_string(low) + " to " +
                                 std::to_string(high));
        }
      }
    }
  }

  void bounds(size_t t, int key, int64_t& low, int64_t& high) {
    for (const First& f : firsts_[t]) {
      if (f.key != key) continue;
      low += static_cast<int64_t>(f.list.size()), high += static_cast<int64_t>(f.list.size());
      return;
    }
    const std::vector<bool>& before = reachable(t, true);
    const std::vector<bool>& after = reachable(t, false);
    for (const auto& [number, w] : writers_) {
      if (w.key != key || w.undone || w.transaction == t || at(w.transaction).end == Transaction::End::kAborted) continue;
      low += before[w.transaction] ? 1 : 0;
      high += after[w.transaction] ? 0 : 1;
    }
  }

  const std::vector<bool>& reachable(size_t t, bool backwards) {
    std::vector<bool>& out = reach_[backwards ? 0 : 1][t];
    if (!out.empty()) return out;
    if (backwards && reversed_.empty()) {
      reversed_.assign(size(), {});
      for (size_t from = 0; from < size(); ++from) {
        for (const auto& [to, kind] : edges_[from]) reversed_[to].push_back(from);
      }
    }
    out.assign(size(), false);
    std::vector<size_t> queue = {t};
    const auto reach = [&](size_t next) {
      if (!out[next]) out[next] = true, queue.push_back(next);
    };
    for (size_t i = 0; i < queue.size(); ++i) {
      const size_t now = queue[i];
      if (backwards) {
        for (const size_t next : reversed_[now]) reach(next);
      } else {
        for (const auto& [next, kind] : edges_[now]) reach(next);
      }
    }
    return out;
  }

  const ConcurrentHistory& history_;
  const Level level_;
  std::map<int64_t, Writer> writers_;
  std::vector<std::vector<First>> firsts_;         // by transaction
  std::vector<std::vector<int64_t>> orders_;       // by key: the longest list that was read
  std::vector<std::map<size_t, unsigned>> edges_;  // by transaction
  std::vector<std::vector<size_t>> reversed_;
  std::map<size_t, std::vector<bool>> reach_[2];
  std::vector<Anomaly> anomalies_;
};

}  // namespace

std::vector<Anomaly> check(const ConcurrentHistory& history, Level level) { return Checker(history, level).run(); }

namespace {

using Lists = std::vector<std::vector<int64_t>>;

// The lists as of a commit number: a walk over the commits in their order, asked with numbers that do not fall.
class States {
 public:
  explicit States(const ConcurrentHistory& history) : history_(history), lists_(static_cast<size_t>(history.keys)) {
    for (size_t t = 0; t < history.transactions.size(); ++t) {
      if (history.transactions[t].end == Transaction::End::kCommitted && history.transactions[t].commit != 0)
        by_commit_.emplace(history.transactions[t].commit, t);
    }
    next_ = by_commit_.begin();
  }
  const Lists& at(uint64_t number) {
    for (; next_ != by_commit_.end() && next_->first <= number; ++next_) {
      for (const Act& a : history_.transactions[next_->second].acts) {
        if (a.kind == Act::Kind::kAppend) lists_[static_cast<size_t>(a.key)].push_back(a.number);
      }
    }
    return lists_;
  }

 private:
  const ConcurrentHistory& history_;
  Lists lists_;
  std::map<uint64_t, size_t> by_commit_;
  std::map<uint64_t, size_t>::const_iterator next_;
};

struct Seen {
  uint64_t snapshot;
  size_t transaction, act;
};

void compare_act(const Transaction& transaction, size_t act, const Lists& state, const std::string& who, std::vector<Anomaly>& out) {
  const Act& a = transaction.acts[act];
  const auto expected = [&](int key) {
    std::vector<int64_t> list = state[static_cast<size_t>(key)];
    for (size_t i = 0; i < act; ++i) {
      if (transaction.acts[i].kind == Act::Kind::kAppend && transaction.acts[i].key == key) list.push_back(transaction.acts[i].number);
    }
    return list;
  };
  if (a.kind == Act::Kind::kRead && a.list != expected(a.key)) {
    out.push_back({"stale read", who + " reads list " + std::to_string(a.key) + " as " + text_of(a.list) + ", and it is " + text_of(expected(a.key))});
  }
  if (a.kind != Act::Kind::kTotal) return;
  int64_t total = 0;
  for (const int key : a.keys) total += static_cast<int64_t>(expected(key).size());
  if (total != a.number) out.push_back({"stale total", who + " sees the total " + std::to_string(a.number) + ", and it is " + std::to_string(total)});
}

}  // namespace

std::vector<Anomaly> check_numbers(const ConcurrentHistory& history) {
  std::vector<Anomaly> out;
  std::vector<Seen> acts;
  std::set<uint64_t> numbers;
  std::vector<std::pair<uint64_t, uint64_t>> ends;  // when a commit was acknowledged, its number
  for (size_t t = 0; t < history.transactions.size(); ++t) {
    const Transaction& transaction = history.transactions[t];
    for (size_t i = 0; i < transaction.acts.size(); ++i) acts.push_back({transaction.acts[i].snapshot, t, i});
    if (transaction.end == Transaction::End::kAborted || !transaction.writes()) continue;
    if (transaction.commit == 0 || !numbers.insert(transaction.commit).second)
      out.push_back({"order", "T" + std::to_string(t) + " has no commit number of its own"});
    ends.emplace_back(transaction.ended, transaction.commit);
  }
  // Who writes builds on the newest commit: nothing lies between what its appends saw and its own number.
  for (size_t t = 0; t < history.transactions.size(); ++t) {
    const Transaction& transaction = history.transactions[t];
    if (transaction.end == Transaction::End::kAborted) continue;
    for (const Act& a : transaction.acts) {
      if (a.kind != Act::Kind::kAppend) continue;
      const auto between = numbers.upper_bound(a.snapshot);
      if (between != numbers.end() && *between < transaction.commit)
        out.push_back({"lost update", "T" + std::to_string(t) + " appends to the state of " + std::to_string(a.snapshot) + " and commits as " +
                                          std::to_string(transaction.commit)});
    }
  }
  std::sort(ends.begin(), ends.end());
  for (size_t t = 0; t < history.transactions.size(); ++t) {
    const Transaction& transaction = history.transactions[t];
    uint64_t acknowledged = 0;
    for (const auto& [ended, commit] : ends) {
      if (ended < transaction.began) acknowledged = std::max(acknowledged, commit);
    }
    for (const Act& a : transaction.acts) {
      if (a.snapshot < acknowledged) {
        out.push_back({"stale read", "T" + std::to_string(t) + " began after commit " + std::to_string(acknowledged) + " was acknowledged and reads as of " +
                                         std::to_string(a.snapshot)});
        break;
      }
    }
  }
  std::sort(acts.begin(), acts.end(), [](const Seen& a, const Seen& b) { return a.snapshot < b.snapshot; });
  States states(history);
  for (const Seen& seen : acts)
    compare_act(history.transactions[seen.transaction], seen.act, states.at(seen.snapshot), "T" + std::to_string(seen.transaction), out);
  return out;
}

std::string to_text(const ConcurrentHistory& history) {
  std::string out;
  for (size_t t = 0; t < history.transactions.size(); ++t) {
    const Transaction& transaction = history.transactions[t];
    out += "T" + std::to_string(t) +
           (transaction.end == Transaction::End::kCommitted ? " committed " + std::to_string(transaction.commit) : std::string(" aborted"));
    out += " (" + std::to_string(transaction.began) + " to " + std::to_string(transaction.ended) + "):";
    for (const Act& a : transaction.acts) {
      if (a.kind == Act::Kind::kAppend) out += " append(" + std::to_string(a.key) + ", " + std::to_string(a.number) + ")";
      if (a.kind == Act::Kind::kRead) out += " read(" + std::to_string(a.key) + ") = " + text_of(a.list);
      if (a.kind == Act::Kind::kTotal) out += " total of " + std::to_string(a.keys.size()) + " = " + std::to_string(a.number);
    }
    out += "\n";
  }
  return out;
}

}  // namespace judge
