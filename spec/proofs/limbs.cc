// The digits of an exact sum of doubles (src/exact/limbs.h) against integers of 256 bits, at four limbs: the code is a template over their
// number, and each of its loops does the same at every limb.
//
// Invariants proved: X8, X9.
#include "exact/limbs.h"
#include "prover.h"

using namespace proof;
using Limbs = std::array<Signed, 4>;

namespace {

constexpr unsigned kBits = 256;

z3::expr wide(uint64_t v) { return context().bv_val(v, kBits); }
// The number: the sum of limb[i] * 2^(32 i).
z3::expr value(const Limbs& limbs) {
  z3::expr v = wide(0);
  for (unsigned i = 0; i < limbs.size(); ++i) v = v + z3::shl(z3::sext(limbs[i].e, kBits - 64), wide(32 * i));
  return v;
}
Limbs named(const std::string& name) {
  return {Signed::named(name + "0"), Signed::named(name + "1"), Signed::named(name + "2"), Signed::named(name + "3")};
}
// |limb| <= pending * 2^32 with pending <= 2^30.
z3::expr bounded(const Signed& limb, int64_t bound) {
  return z3::sle(limb.e, context().bv_val(bound, 64)) && z3::sge(limb.e, context().bv_val(-bound, 64));
}
z3::expr bounded(const Limbs& limbs, int64_t bound) { return bounded(limbs[0], bound) && bounded(limbs[1], bound) && bounded(limbs[2], bound) && bounded(limbs[3], bound); }
z3::expr digit(const Signed& limb) { return z3::sge(limb.e, context().bv_val(0, 64)) && z3::ult(limb.e, context().bv_val(uint64_t{1} << 32, 64)); }
// c = a + b as integers: a number is linear in its limbs, so what holds of each limb holds of the number.
z3::expr is_sum(const Signed& c, const Signed& a, const Signed& b) { return z3::sext(c.e, 1) == z3::sext(a.e, 1) + z3::sext(b.e, 1); }
z3::expr carried(const Limbs& l) { return digit(l[0]) && digit(l[1]) && digit(l[2]); }

void adding(Prover& p, const Limbs& a) {
  const Word m = Word::named("mantissa"), s = Word::named("shift");
  const Signed sign = Signed::named("sign");
  const z3::expr given = z3::ult(m.e, context().bv_val(uint64_t{1} << 53, 64)) &&
                         (sign.e == context().bv_val(0, 64) || sign.e == context().bv_val(-1, 64)) &&
                         bounded(a, ((int64_t{1} << 30) - 1) << 32);
  const auto added = [&] {
    Limbs r = a;
    hdb::add_to_limbs<Word>(r.data(), m, s, sign);
    return r;
  };
  const auto from_zero = [&] {
    Limbs r{};
    hdb::add_to_limbs<Word>(r.data(), m, s, sign);
    return r;
  };
  p.claim("X9.add: to zero: mantissa * 2^(shift % 32), negated if the sign is set", given, [&] {
    const z3::expr addend = z3::shl(z3::zext(m.e, kBits - 64), z3::zext(s.e, kBits - 64) & wide(31));
    return value(from_zero()) == z3::ite(sign.e == context().bv_val(0, 64), addend, -addend);
  });
  p.claim("X9.exact: to any limbs: the same more in each, and no limb wraps", given, [&] {
    const Limbs r = added(), d = from_zero();
    return is_sum(r[0], a[0], d[0]) && is_sum(r[1], a[1], d[1]) && is_sum(r[2], a[2], d[2]) && r[3].e == a[3].e;
  });
  p.claim("X9.bound: no limb changes by 2^32 or more", given, [&] {
    const Limbs r = added();
    z3::expr holds = always();
    for (unsigned i = 0; i < 4; ++i) {
      const z3::expr change = z3::sext(r[i].e, 1) - z3::sext(a[i].e, 1), limit = context().bv_val(uint64_t{1} << 32, 65);
      holds = holds && z3::slt(change, limit) && z3::sgt(change, -limit);
    }
    return holds;
  });
  p.claim("X8.undo: the same with the other sign takes it back, limb by limb", given, [&] {
    Limbs r = added();
    hdb::add_to_limbs<Word>(r.data(), m, s, ~sign);
    return r[0].e == a[0].e && r[1].e == a[1].e && r[2].e == a[2].e && r[3].e == a[3].e;
  });
}

void parts(Prover& p) {
  const Word bits = Word::named("bits");
  const z3::expr exponent = bits.e.extract(62, 52), fraction = bits.e.extract(51, 0);
  p.claim("X9.parts: mantissa, shift and sign of a finite double", exponent != context().bv_val(0x7ff, 11), [&] {
    const hdb::DoubleParts<Word> x = hdb::parts_of_double(bits, Word(z3::zext(exponent, 53)));
    const z3::expr subnormal = exponent == context().bv_val(0, 11);
    return x.mantissa.e == z3::concat(context().bv_val(0, 11), z3::concat(z3::ite(subnormal, context().bv_val(0, 1), context().bv_val(1, 1)), fraction)) &&
           x.shift.e == z3::zext(z3::ite(subnormal, context().bv_val(0, 11), exponent - context().bv_val(1, 11)), 53) &&
           x.sign.e == z3::sext(bits.e.extract(63, 63), 63);
  });
}

void carrying(Prover& p, const Limbs& a, const Limbs& b) {
  const int64_t most = int64_t{1} << 62;
  const auto after = [](Limbs l) {
    hdb::carry_limbs(l);
    return l;
  };
  p.claim("X9.carry: the number stays", bounded(a, most), [&] { return value(after(a)) == value(a); });
  p.claim("X9.digits: every limb but the top one is in [0, 2^32)", bounded(a, most), [&] { return carried(after(a)); });
  p.claim("X9.unique: equal numbers have equal digits", carried(a) && carried(b) && value(a) == value(b),
          [&] { return a[0].e == b[0].e && a[1].e == b[1].e && a[2].e == b[2].e && a[3].e == b[3].e; });
  p.claim("X8.merge: each limb the sum of both, and none wraps", bounded(a, most / 2) && bounded(b, most / 2), [&] {
    Limbs r = a;
    hdb::merge_limbs(r, b);
    return is_sum(r[0], a[0], b[0]) && is_sum(r[1], a[1], b[1]) && is_sum(r[2], a[2], b[2]) && is_sum(r[3], a[3], b[3]);
  });
  p.claim("X8.negate: each limb negated, and none wraps", bounded(a, most), [&] {
    Limbs r = a;
    hdb::negate_limbs(r);
    const Signed zero;
    return is_sum(zero, a[0], r[0]) && is_sum(zero, a[1], r[1]) && is_sum(zero, a[2], r[2]) && is_sum(zero, a[3], r[3]);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Prover p(argc, argv);
  const Limbs a = named("a"), b = named("b");
  parts(p);
  adding(p, a);
  carrying(p, a, b);
  return p.finish(argv[0]);
}
