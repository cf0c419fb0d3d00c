#include "experiment.h"

#include <algorithm>
#include <ctime>

namespace judge {

Reply Script::run(const std::string& sql) {
  statements_.push_back(sql);
  if (History::trace) std::fprintf(stderr, "%s;\n", sql.c_str());
  Reply reply = peer_.run(sql);
  if (!reply.ok && reply.state.substr(0, 2) == "22") throw Refused{reply.state};
  if (!reply.ok) throw Failure{"wrong-result", reply.state + " " + reply.message + "\n  " + sql};
  return reply;
}

std::vector<std::string> Script::rows(const std::string& sql) {
  std::vector<std::string> out;
  for (const std::vector<Cell>& row : run(sql).rows) {
    std::string text;
    for (const Cell& cell : row) text += (text.empty() ? "" : "|") + (cell.null ? std::string("NULL") : cell.text == "-0.0" ? "0.0" : "'" + cell.text + "'");
    out.push_back(std::move(text));
  }
  return out;
}

std::vector<std::string> Script::sorted(const std::string& sql) {
  std::vector<std::string> out = rows(sql);
  std::sort(out.begin(), out.end());
  return out;
}

std::string Script::joined(const std::vector<std::string>& rows) {
  std::string out;
  for (const std::string& row : rows) out += (out.empty() ? "" : ";") + row;
  return out;
}

Trial ask(Peer& peer, const Experiment& experiment, const Law& law) {
  Trial trial;
  Script script(peer);
  try {
    trial.text = law(script, experiment);
    trial.verdict = trial.text.empty() ? Verdict::kHolds : Verdict::kBroken;
    trial.kind = "wrong-result";
  } catch (const Refused&) {
    trial.verdict = Verdict::kRefused;
  } catch (const Failure& f) {
    trial.verdict = Verdict::kBroken;
    trial.kind = f.kind, trial.text = f.text;
  }
  if (trial.verdict != Verdict::kHolds) peer.run("ROLLBACK");  // of a transaction that the law left open
  trial.statements = script.statements();
  return trial;
}

Trial attempt(const NewPeer& new_peer, const Experiment& experiment, const Law& law) {
  const std::unique_ptr<Peer> peer = new_peer();
  try {
    for (const std::string& sql : experiment.setup) peer->run(sql);  // with parts taken away, some statements fail
    for (const std::string& sql : experiment.settings) peer->run(sql);
  } catch (const Failure& f) {
    return {Verdict::kBroken, f.kind, f.text, {}};
  }
  return ask(*peer, experiment, law);
}

namespace {

class Shrinker {
 public:
  Shrinker(const NewPeer& new_peer, Experiment experiment, const Law& law, int ms_max)
      : new_peer_(new_peer), law_(law), best_(std::move(experiment)), end_(std::clock() + static_cast<std::clock_t>(ms_max) * CLOCKS_PER_SEC / 1000) {
    const Trial first = attempt(new_peer_, best_, law_);
    // A fault that the engine itself notices stays one, and a missing table is none.
    kind_ = first.kind, error_ = error_of(first);
    possible_ = first.verdict == Verdict::kBroken;
  }

  Experiment run() {
    bool smaller = possible_;
    while (smaller && !late()) {
      smaller = lists(&Experiment::setup);
      smaller |= lists(&Experiment::settings);
      smaller |= expression();
    }
    return best_;
  }

 private:
  bool late() const { return std::clock() >= end_; }
  // The code and sentence of a law that was broken by an error; rows that differ have none.
  static std::string error_of(const Trial& trial) {
    const std::string word = trial.text.substr(0, 6);
    return word.size() == 6 && word[5] == ' ' && word.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ ") == std::string::npos
               ? trial.text.substr(0, trial.text.find('\n'))
               : "";
  }
  bool still_broken(const Experiment& e) const {
    const Trial trial = attempt(new_peer_, e, law_);
    return trial.verdict == Verdict::kBroken && trial.kind == kind_ && error_of(trial) == error_;
  }

  bool lists(std::vector<std::string> Experiment::*member) {
    bool any = false;
    for (size_t chunk = std::max<size_t>(1, (best_.*member).size() / 2);; chunk /= 2) {
      for (size_t at = 0; at < (best_.*member).size() && !late();) {
        Experiment tried = best_;
        auto& list = tried.*member;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at), list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), at + chunk)));
        if (still_broken(tried)) {
          best_ = std::move(tried);
          any = true;
        } else {
          at += chunk;
        }
      }
      if (chunk <= 1) return any;
    }
  }

  bool expression() {
    bool any = false;
    for (bool smaller = best_.expression != nullptr; smaller && !late();) {
      smaller = false;
      for (const NodePtr& node : simpler(best_.expression)) {
        if (late()) break;
        Experiment tried = best_;
        tried.expression = node;
        if (size_of(*node) > size_of(*best_.expression) || !still_broken(tried)) continue;
        best_ = std::move(tried);
        any = smaller = true;
        break;
      }
    }
    return any;
  }

  const NewPeer& new_peer_;
  const Law& law_;
  Experiment best_;
  const std::clock_t end_;
  std::string kind_, error_;
  bool possible_ = false;
};

}  // namespace

Experiment shrink(const NewPeer& new_peer, Experiment experiment, const Law& law, int shrink_ms_max) {
  return Shrinker(new_peer, std::move(experiment), law, shrink_ms_max).run();
}

std::string script_of(const Experiment& experiment, const Trial& trial) {
  std::string out;
  for (const std::string& sql : experiment.setup) out += sql + ";\n";
  for (const std::string& sql : experiment.settings) out += sql + ";\n";
  out += "-- " + trial.text.substr(0, trial.text.find('\n')) + "\n";
  for (const std::string& sql : trial.statements) out += sql + ";\n";
  return out;
}

void report_broken(const NewPeer& new_peer, const Experiment& experiment, const Law& law, const std::string& name, const Trial& seen) {
  const Experiment small = shrink(new_peer, experiment, law, 700);
  const Trial trial = attempt(new_peer, small, law);
  const bool again = trial.verdict == Verdict::kBroken;
  const std::string script = again ? script_of(small, trial) : script_of(experiment, seen);
  const std::string file = name + ".sql";
  if (FILE* out = std::fopen(file.c_str(), "w")) {
    std::fputs(script.c_str(), out);
    std::fclose(out);
  }
  throw Failure{seen.kind, seen.text.substr(0, 600) + (again ? "\n  the smallest script (" : "\n  not seen again on a new database; the script (") + file +
                               "):\n" + script};
}

}  // namespace judge
