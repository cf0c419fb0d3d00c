// spec/proofs/symbolic.h: the integers of C++ as expressions of a solver, so that templates of src/ run on all inputs at once.
//
// What:       Sym<T> behaves as the integer type T does (wrapping, conversions by the sign of the source, >> arithmetic if T is signed);
//             a comparison is a Truth. Where shipped code branches on one, the run forks: Paths runs the code once for each way it can go.
// Invariants: no arithmetic but the solver's operators; a path that the solver cannot decide fails the claim.
// Callers:    spec/proofs/*.cc. One thread.
// Held by:    spec/proofs/run: every fault listed there must be refuted, which takes each operator here to be right
#pragma once

#include <z3++.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "exact/word.h"

namespace proof {

inline z3::context& context() {
  static z3::context c;
  return c;
}

// The solver gave up: the claim is not proved.
struct Undecided : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The decisions of one run of the code, and the way to the next run.
class Paths {
 public:
  static Paths*& current() {
    static Paths* p = nullptr;
    return p;
  }
  explicit Paths(const z3::expr& precondition) : precondition_(precondition), solver_(context(), "QF_BV") { restart(); }
  // Which way the code goes at a branch that depends on the inputs.
  bool decide(const z3::expr& condition) {
    if (at_ == trail_.size()) {
      const bool may = possible(condition), may_not = possible(!condition);
      if (!may && !may_not) throw std::logic_error("a path that no input takes");
      trail_.push_back({may, may && may_not});
    }
    const bool way = trail_[at_++].way;
    solver_.add(way ? condition : !condition);
    return way;
  }
  z3::solver& solver() { return solver_; }
  // False if every way has been gone.
  bool next() {
    while (!trail_.empty() && !trail_.back().other) trail_.pop_back();
    if (trail_.empty()) return false;
    trail_.back() = {!trail_.back().way, false};
    restart();
    return true;
  }

 private:
  struct Fork {
    bool way, other;
  };
  bool possible(const z3::expr& condition) {
    solver_.push();
    solver_.add(condition);
    const z3::check_result r = solver_.check();
    solver_.pop();
    if (r == z3::unknown) throw Undecided("unknown at a branch");
    return r == z3::sat;
  }
  void restart() {
    solver_.reset();
    solver_.add(precondition_);
    at_ = 0;
  }
  z3::expr precondition_;
  z3::solver solver_;
  std::vector<Fork> trail_;
  size_t at_ = 0;
};

struct Truth {
  z3::expr e;
  explicit operator bool() const {
    const z3::expr s = e.simplify();
    if (s.is_true() || s.is_false()) return s.is_true();
    if (Paths::current() == nullptr) throw std::logic_error("a branch outside of a claim");
    return Paths::current()->decide(s);
  }
};

template <class T>
constexpr unsigned bits_of = sizeof(T) * 8;
template <class T>
constexpr bool signed_type = static_cast<T>(-1) < static_cast<T>(0);

template <class T>
struct Sym {
  z3::expr e;

  Sym() : Sym(0) {}
  template <class I>
    requires std::is_integral_v<I>
  Sym(I v) : e(constant(static_cast<T>(v))) {}
  explicit Sym(const z3::expr& x) : e(x) {
    if (x.get_sort().bv_size() != bits_of<T>) throw std::logic_error("a word of the wrong size");
  }
  explicit Sym(const Truth& t) : e(z3::ite(t.e, constant(1), constant(0))) {}
  template <class U>
  explicit Sym(const Sym<U>& u) : e(converted(u)) {}
  static Sym named(const std::string& name) { return Sym(context().bv_const(name.c_str(), bits_of<T>)); }

  Sym& operator+=(const Sym& b) { return *this = *this + b; }
  Sym& operator-=(const Sym& b) { return *this = *this - b; }
  Sym& operator|=(const Sym& b) { return *this = *this | b; }
  Sym& operator&=(const Sym& b) { return *this = *this & b; }
  Sym& operator^=(const Sym& b) { return *this = *this ^ b; }
  Sym& operator/=(const Sym& b) { return *this = *this / b; }
  friend Sym operator+(const Sym& a, const Sym& b) { return Sym(a.e + b.e); }
  friend Sym operator-(const Sym& a, const Sym& b) { return Sym(a.e - b.e); }
  friend Sym operator*(const Sym& a, const Sym& b) { return Sym(a.e * b.e); }
  friend Sym operator&(const Sym& a, const Sym& b) { return Sym(a.e & b.e); }
  friend Sym operator|(const Sym& a, const Sym& b) { return Sym(a.e | b.e); }
  friend Sym operator^(const Sym& a, const Sym& b) { return Sym(a.e ^ b.e); }
  friend Sym operator/(const Sym& a, const Sym& b) requires(!signed_type<T>) { return Sym(z3::udiv(a.e, b.e)); }
  friend Sym operator%(const Sym& a, const Sym& b) requires(!signed_type<T>) { return Sym(z3::urem(a.e, b.e)); }
  friend Sym operator<<(const Sym& a, const Sym& b) { return Sym(z3::shl(a.e, b.e)); }
  template <class U>
    requires(!std::is_same_v<T, U>)
  friend Sym operator<<(const Sym& a, const Sym<U>& b) { return a << Sym(b); }
  friend Sym operator>>(const Sym& a, const Sym& b) { return Sym(signed_type<T> ? z3::ashr(a.e, b.e) : z3::lshr(a.e, b.e)); }
  friend Sym operator~(const Sym& a) { return Sym(~a.e); }
  friend Sym operator-(const Sym& a) { return Sym(-a.e); }
  friend Truth operator==(const Sym& a, const Sym& b) { return {a.e == b.e}; }
  friend Truth operator!=(const Sym& a, const Sym& b) { return {a.e != b.e}; }
  friend Truth operator<(const Sym& a, const Sym& b) { return {signed_type<T> ? z3::slt(a.e, b.e) : z3::ult(a.e, b.e)}; }
  friend Truth operator<=(const Sym& a, const Sym& b) { return {signed_type<T> ? z3::sle(a.e, b.e) : z3::ule(a.e, b.e)}; }
  friend Truth operator>(const Sym& a, const Sym& b) { return b < a; }
  friend Truth operator>=(const Sym& a, const Sym& b) { return b <= a; }

 private:
  static z3::expr constant(T v) {
    const z3::expr low = context().bv_val(static_cast<uint64_t>(v), 64);
    if constexpr (bits_of<T> > 64) return z3::concat(context().bv_val(static_cast<uint64_t>(v >> 64), 64), low);
    else if constexpr (bits_of<T> < 64) return low.extract(bits_of<T> - 1, 0);
    else return low;
  }
  template <class U>
  static z3::expr converted(const Sym<U>& u) {
    constexpr unsigned from = bits_of<U>, to = bits_of<T>;
    if constexpr (to < from) return u.e.extract(to - 1, 0);
    else if constexpr (to == from) return u.e;
    else return signed_type<U> ? z3::sext(u.e, to - from) : z3::zext(u.e, to - from);
  }
};

using Word = Sym<uint64_t>;
using Signed = Sym<int64_t>;

// An instruction of the processor in src/: the least i whose bit is set.
inline Word lowest_bit(const Word& x) {
  z3::expr at = context().bv_val(64, 64);
  for (unsigned i = 64; i-- > 0;) at = z3::ite(x.e.extract(i, i) == context().bv_val(1, 1), context().bv_val(i, 64), at);
  return Word(at);
}

}  // namespace proof

template <>
struct std::numeric_limits<proof::Word> : std::numeric_limits<uint64_t> {};

template <>
struct hdb::WordTypes<proof::Word> {
  using Signed = proof::Signed;
  using Half = proof::Sym<uint32_t>;
  using Wide = proof::Sym<hdb::uint128>;
};
