// spec/proofs/prover.h: claims about shipped code, each for all inputs.
//
// What:       claim(name, precondition, body), the name up to its colon selects it:  body runs the code on symbolic words and returns what must hold. On every path the solver
//             looks for inputs that satisfy the precondition and break it: none is a proof, some are printed. finish() closes with a SUITE line.
// Invariants: unknown fails; a precondition that no input satisfies fails; no claim at all fails.
// Callers:    spec/proofs/*.cc. One thread.
// Held by:    spec/proofs/run, whose faults must be refuted
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "symbolic.h"

namespace proof {

inline z3::expr always() { return context().bool_val(true); }

class Prover {
 public:
  Prover(int argc, char** argv) {
    if (argc == 3 && std::string(argv[1]) == "--claim") only_ = argv[2];
    else if (argc == 2 && std::string(argv[1]) == "--list") list_ = true;
    else if (argc != 1) usage_ = true;
  }

  void claim(const std::string& name, const z3::expr& precondition, const std::function<z3::expr()>& body) {
    if (usage_ || (!only_.empty() && only_ != name.substr(0, name.find(':')))) return;
    ++claims_;
    if (list_) return static_cast<void>(std::puts(name.c_str()));
    const auto start = std::chrono::steady_clock::now();
    std::string failure;
    try {
      failure = search(precondition, body);
    } catch (const Undecided& e) {
      failure = std::string("UNKNOWN  ") + name + ": " + e.what();
    } catch (const std::exception& e) {
      failure = std::string("ERROR    ") + name + ": " + e.what();
    } catch (const z3::exception& e) {
      failure = std::string("ERROR    ") + name + ": " + e.msg();
    }
    Paths::current() = nullptr;
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (failure.empty()) {
      std::printf("proved   %s (%d path%s, %.2f s)\n", name.c_str(), paths_, paths_ == 1 ? "" : "s", s);
    } else {
      ++failed_;
      std::printf("%s\n", (failure[0] == '\n' ? "REFUTED  " + name + ":" + failure.substr(1) : failure).c_str());
    }
    std::fflush(stdout);
  }

  int finish(const char* program) const {
    if (usage_) {
      std::fprintf(stderr, "usage: %s [--claim NAME | --list]\n", program);
      return 2;
    }
    std::printf("SUITE suite=proofs cases=%d failed=%d checks=%d\n", claims_, failed_, checks_);
    return claims_ == 0 ? 2 : failed_ != 0 ? 1 : 0;
  }

 private:
  std::string search(const z3::expr& precondition, const std::function<z3::expr()>& body) {
    z3::solver given(context(), "QF_BV");
    given.add(precondition);
    const z3::check_result can = given.check();
    if (can == z3::unknown) throw Undecided("unknown for the precondition");
    if (can == z3::unsat) throw std::logic_error("no input satisfies the precondition");
    Paths paths(precondition);
    Paths::current() = &paths;
    paths_ = 0;
    do {
      const z3::expr holds = body();
      ++paths_;
      ++checks_;
      paths.solver().add(!holds);
      const z3::check_result r = paths.solver().check();
      if (r == z3::unknown) throw Undecided("unknown: " + paths.solver().reason_unknown());
      if (r == z3::sat) return "\n" + counterexample(paths.solver().get_model());
    } while (paths.next());
    return "";
  }
  static std::string counterexample(const z3::model& model) {
    std::string text;
    for (unsigned i = 0; i < model.num_consts(); ++i) {
      const z3::func_decl d = model.get_const_decl(i);
      const z3::expr v = model.get_const_interp(d);
      text += " " + d.name().str() + " = " + (v.is_bv() ? "#x" + hex(v) : v.to_string());
    }
    return text.empty() ? " for every input" : text;
  }
  static std::string hex(const z3::expr& v) {
    std::string digits;
    for (unsigned i = 0; i < v.get_sort().bv_size(); i += 4) {
      digits.insert(digits.begin(), "0123456789abcdef"[v.extract(std::min(i + 3, v.get_sort().bv_size() - 1), i).simplify().get_numeral_uint()]);
    }
    return digits;
  }

  std::string only_;
  bool usage_ = false, list_ = false;
  int claims_ = 0, failed_ = 0, checks_ = 0, paths_ = 0;
};

}  // namespace proof
