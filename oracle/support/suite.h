// oracle/support/suite.h: a suite is a list of named cases, each with its own seed.
//
// What:       run_suite() runs them, reports by mutants/report.h, and in the end asks whether enough was checked. Scene is an
//             engine with one connection for cases that are told by hand.
// Invariants: R3 a case's choices follow from (--seed, its name) alone, so that --case replays it.
// Callers:    main programs of oracle/, properties/, fuzz/.
// Held by:    ci/gate (controls)
#pragma once

#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "compare.h"
#include "engine.h"
#include "history.h"
#include "mutants/report.h"

namespace judge {

struct Context {
  model::Random random;
  Tally& tally;
};
struct Case {
  std::string name;
  const char* invariant;
  std::function<void(Context&)> body;
};

inline void require(bool ok, const std::string& text) {
  if (!ok) throw Failure{"wrong-result", text};
  report::checked();
}

// `enough`: the last case; it may ask for floors of the tally, and is skipped when a case has failed before.
inline int run_suite(const char* suite, int argc, char** argv, const std::vector<Case>& cases, const std::function<void(const Tally&)>& enough) {
  static const char* kEnough = "enough was checked";
  bool times = false;
  for (int i = 1; i < argc; ++i) {
    History::trace |= std::string(argv[i]) == "--trace";
    times |= std::string(argv[i]) == "--times";
    if (std::string(argv[i]) == "--transcripts" && i + 1 < argc) History::transcripts = std::fopen(argv[i + 1], "w");
  }
  report::Options options = report::begin(suite, argc, argv);
  if (options.only == kEnough) options.only.clear();
  Tally tally;
  bool failed = false;
  const auto run = [&](const Case& c) {
    report::start_case(c.name, c.invariant);
    Context context{model::Random(model::seed_for(options.seed, c.name)), tally};
    const uint64_t before = tally.checks + tally.both_err + tally.verified;
    const std::clock_t start = std::clock();
    try {
      c.body(context);
    } catch (const Failure& f) {
      report::failed(f.kind.c_str(), f.text);
      failed = true;
    } catch (const model::Fault& f) {
      report::failed("wrong-result", std::string("the judge itself failed with ") + f.state);
      failed = true;
    } catch (const std::exception& e) {
      report::failed(report::kind_of(e.what()), e.what());
      failed = true;
    }
    report::checked(tally.checks + tally.both_err + tally.verified - before);
    if (times) std::printf("%8.0f ms  %s\n", static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC, c.name.c_str());
  };
  for (const Case& c : cases) {
    if (report::enough()) break;
    if (options.selects(c.name)) run(c);
  }
  if (tally.questions > 0) std::printf("%s\n", tally.text().c_str());
  if (!failed && options.only.empty() && enough) run({kEnough, "H2", [&](Context& c) { enough(c.tally); }});
  if (History::transcripts != nullptr) std::fclose(History::transcripts);
  return report::finish();
}

// An engine, a connection, and expectations written as text: rows are separated by ';', columns by '|'.
class Scene {
 public:
  Scene() : connection_(engine_.connection()) {}
  Engine& engine() { return engine_; }
  Connection& connection() { return *connection_; }

  Reply run(const std::string& sql) {
    if (History::trace) std::fprintf(stderr, "%s;\n", sql.c_str());
    Reply r = connection_->run(sql);
    if (!r.ok) throw Failure{"wrong-result", r.state + " " + r.message + "\n  " + sql};
    return r;
  }
  void expect(const std::string& sql, const std::string& rows) { expect_of(*connection_, sql, rows); }
  void expect_of(Connection& c, const std::string& sql, const std::string& rows) {
    if (History::trace) std::fprintf(stderr, "%s;\n", sql.c_str());
    const Reply r = c.run(sql);
    if (force_ && r.state == "0A000") return;
    const std::string got = r.ok ? text_of(r) : "error " + r.state + " (" + r.message + ")";
    require(got == rows, "expected " + rows + ", got " + got + "\n  " + sql);
  }
  void expect_error(const std::string& sql, const std::string& state, const std::string& names = "") {
    const Reply r = connection_->run(sql);
    if (force_ && r.state == "0A000" && state != "0A000") return;
    require(!r.ok && r.state == state, "error " + state + " expected, got " + (r.ok ? text_of(r) : r.state + " " + r.message) + "\n  " + sql);
    require(r.message.find(names) != std::string::npos, "the message must name " + names + ": " + r.message);
  }
  void mode(const std::string& mode) {
    run("SET summary_mode = " + mode);
    force_ = mode == "force";
  }
  static std::string text_of(const Reply& r) {
    std::string out;
    for (size_t i = 0; i < r.rows.size(); ++i) {
      out += i > 0 ? ";" : "";
      for (size_t c = 0; c < r.rows[i].size(); ++c) out += (c > 0 ? "|" : "") + (r.rows[i][c].null ? std::string("NULL") : r.rows[i][c].text);
    }
    return out;
  }
  // Every summary equals its rebuild.
  void verify(const std::string& summary) {
    const Reply r = run("SELECT * FROM summary_verify('" + summary + "')");
    if (r.rows.size() != 1 || r.rows[0].size() < 2 || r.rows[0][1].text != "0") throw Failure{"self-check", "summary_verify " + summary + ": " + text_of(r)};
    report::checked();
  }

 private:
  Engine engine_;
  std::unique_ptr<Connection> connection_;
  bool force_ = false;
};

// The ways to the same answer. A case is told once and run over all of them.
struct Path {
  const char* name;
  enum { kNone, kBefore, kAfter } summary;
  const char* mode;
  bool transaction;  // the case's changes are made inside of one
};
inline const std::vector<Path>& paths() {
  static const std::vector<Path> kPaths = {{"no summary", Path::kNone, "auto", false},
                                           {"no summary, mode off", Path::kNone, "off", true},
                                           {"summary before", Path::kBefore, "auto", false},
                                           {"summary after", Path::kAfter, "auto", false},
                                           {"summary before, force", Path::kBefore, "force", true},
                                           {"summary after, force", Path::kAfter, "force", false},
                                           {"summary before, off", Path::kBefore, "off", false},
                                           {"summary after, in a transaction", Path::kAfter, "auto", true}};
  return kPaths;
}

}  // namespace judge
