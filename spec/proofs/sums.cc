// Sums of two and three words (src/exact/word.h, sum128.h, sum192.h) against addition of 128 and 192 bits.
//
// Invariants proved: X0, X1, X3, X4.
#include "exact/sum128.h"
#include "exact/sum192.h"
#include "prover.h"

using namespace proof;
using Sum2 = hdb::BasicSum128<Word>;
using Sum3 = hdb::BasicSum192<Word>;

namespace {

z3::expr value(const Sum2& s) { return z3::concat(s.hi.e, s.lo.e); }
z3::expr value(const Sum3& s) { return z3::concat(s.l2.e, z3::concat(s.l1.e, s.l0.e)); }

void primitives(Prover& p, const Word& a, const Word& b) {
  const auto wide_sum = [&] { return z3::zext(a.e, 1) + z3::zext(b.e, 1); };
  p.claim("X0.carry: the 65th bit of a + b", always(), [&] { return hdb::carry_of_add(a + b, b).e == z3::zext(wide_sum().extract(64, 64), 63); });
  p.claim("X0.borrow: 1 exactly when a < b", always(), [&] {
    return hdb::borrow_of_sub(a, b).e == z3::ite(z3::ult(a.e, b.e), context().bv_val(1, 64), context().bv_val(0, 64));
  });
  p.claim("X0.sign_fill: the upper word of the sign extension", always(), [&] { return hdb::sign_fill(a).e == z3::sext(a.e, 64).extract(127, 64); });
}

void two_words(Prover& p, const Word& x, const Word& y) {
  const Sum2 s{Word::named("lo"), Word::named("hi")}, t{Word::named("other_lo"), Word::named("other_hi")};
  const auto after = [&](auto&& change) {
    Sum2 r = s;
    change(r);
    return r;
  };
  p.claim("X1.add: 128-bit addition of the sign-extended word", always(), [&] {
    return value(after([&](Sum2& r) { r.add(x); })) == value(s) + z3::sext(x.e, 64);
  });
  p.claim("X1.add_unsigned: of the zero-extended word", always(), [&] {
    return value(after([&](Sum2& r) { r.add_unsigned(x); })) == value(s) + z3::zext(x.e, 64);
  });
  p.claim("X1.sub: 128-bit subtraction of the sign-extended word", always(), [&] {
    return value(after([&](Sum2& r) { r.sub(x); })) == value(s) - z3::sext(x.e, 64);
  });
  p.claim("X3.merge: 128-bit addition", always(), [&] { return value(after([&](Sum2& r) { r.merge(t); })) == value(s) + value(t); });
  p.claim("X3.unmerge: 128-bit subtraction", always(), [&] { return value(after([&](Sum2& r) { r.unmerge(t); })) == value(s) - value(t); });
  p.claim("X3.negate: 128-bit negation", always(), [&] { return value(after([&](Sum2& r) { r.negate(); })) == -value(s); });
  p.claim("X3.undo: sub takes back what add brought", always(), [&] { return value(after([&](Sum2& r) { r.add(x), r.sub(x); })) == value(s); });
  p.claim("X3.order: two words in either order", always(), [&] {
    return value(after([&](Sum2& r) { r.add(x), r.add(y); })) == value(after([&](Sum2& r) { r.add(y), r.add(x); }));
  });
}

void three_words(Prover& p, const Word& x, const Word& y) {
  const Sum3 s{Word::named("l0"), Word::named("l1"), Word::named("l2")}, t{Word::named("m0"), Word::named("m1"), Word::named("m2")};
  const auto after = [&](auto&& change) {
    Sum3 r = s;
    change(r);
    return r;
  };
  const z3::expr pair = z3::concat(y.e, x.e);
  p.claim("X4.add: 192-bit addition of the sign-extended word", always(), [&] {
    return value(after([&](Sum3& r) { r.add(x); })) == value(s) + z3::sext(x.e, 128);
  });
  p.claim("X4.sub: 192-bit subtraction of the sign-extended word", always(), [&] {
    return value(after([&](Sum3& r) { r.sub(x); })) == value(s) - z3::sext(x.e, 128);
  });
  p.claim("X4.add128: of two words, sign-extended", always(), [&] {
    return value(after([&](Sum3& r) { r.add128(x, y); })) == value(s) + z3::sext(pair, 64);
  });
  p.claim("X4.sub128: of two words, sign-extended", always(), [&] {
    return value(after([&](Sum3& r) { r.sub128(x, y); })) == value(s) - z3::sext(pair, 64);
  });
  p.claim("X4.merge: 192-bit addition", always(), [&] { return value(after([&](Sum3& r) { r.merge(t); })) == value(s) + value(t); });
  p.claim("X4.unmerge: 192-bit subtraction", always(), [&] { return value(after([&](Sum3& r) { r.unmerge(t); })) == value(s) - value(t); });
  p.claim("X4.merge_two: a sum of two words into one of three", always(), [&] {
    return value(after([&](Sum3& r) { r.merge(Sum2{x, y}); })) == value(s) + z3::sext(pair, 64);
  });
  p.claim("X4.unmerge_two: and out of it", always(), [&] {
    return value(after([&](Sum3& r) { r.unmerge(Sum2{x, y}); })) == value(s) - z3::sext(pair, 64);
  });
  p.claim("X4.negate: 192-bit negation", always(), [&] { return value(after([&](Sum3& r) { r.negate(); })) == -value(s); });
}

}  // namespace

int main(int argc, char** argv) {
  Prover p(argc, argv);
  const Word x = Word::named("x"), y = Word::named("y");
  primitives(p, x, y);
  two_words(p, x, y);
  three_words(p, x, y);
  return p.finish(argv[0]);
}
