// Columns kept as offsets from a base (src/store/offset.h) against integers of 66 bits, at every width and pair of widths.
//
// Invariants proved: S3, S8.
#include "prover.h"
#include "store/offset.h"

using namespace proof;

namespace {

z3::expr exact(const Word& signed_word) { return z3::sext(signed_word.e, 2); }
z3::expr number(uint64_t v) { return context().bv_val(v, 66); }
z3::expr most_of(uint8_t width) { return z3::shl(number(1), number(8 * width)) - number(1); }  // 2^(8 width) - 1
z3::expr inside(const Word& v, const Word& base, uint8_t width) {
  if (width == 8) return always();
  return z3::sge(exact(v), exact(base)) && z3::sle(exact(v), exact(base) + most_of(width));
}
// A layout that does not run past the end of int64.
z3::expr sound(const Word& base, uint8_t width) {
  if (width == 8) return base.e == context().bv_val(0, 64);
  return z3::sle(exact(base) + most_of(width), number(INT64_MAX));
}
std::string at(uint8_t width) { return " at width " + std::to_string(width); }

void coding(Prover& p, const Word& v, const Word& base, uint8_t width) {
  p.claim("S3.fits" + at(width) + ": exactly base .. base + 2^bits - 1", sound(base, width), [&] {
    return context().bool_val(hdb::offset_fits(v, base, width)) == inside(v, base, width);
  });
  p.claim("S3.code" + at(width) + ": the stored bytes give the value back", sound(base, width) && inside(v, base, width), [&] {
    const Word offset = hdb::encode_offset(v, base);
    Word stored(0);
    if (width > 0) stored = Word(z3::zext(z3::concat(context().bv_val(0, 1), offset.e.extract(8 * width - 1, 0)), 64 - 8 * width).extract(63, 0));
    return hdb::decode_offset(stored, base).e == v.e;
  });
}

void widths(Prover& p, const Word& range) {
  p.claim("S3.width: the least of 0, 1, 2, 4, 8 bytes that holds a range", always(), [&] {
    const uint8_t width = hdb::offset_width(range);
    const z3::expr r = z3::zext(range.e, 2);
    const uint8_t below = width / 2;  // 0 for 1
    return z3::ule(r, most_of(width)) && (width == 0 ? always() : z3::ugt(r, most_of(below)));
  });
}

void room(Prover& p, const Word& low, const Word& high, const Word& v) {
  p.claim("S3.room: every value of low .. high fits", z3::sle(low.e, v.e) && z3::sle(v.e, high.e), [&] {
    const auto l = hdb::offsets_with_room(low, high);
    return inside(v, l.base, l.width);
  });
  p.claim("S8.room: no layout runs past the end of int64", z3::sle(low.e, high.e), [&] {
    const auto l = hdb::offsets_with_room(low, high);
    return sound(l.base, l.width);
  });
}

void pairs(Prover& p, uint8_t wide, uint8_t inner) {
  const Word a = Word::named("base"), b = Word::named("inner"), v = Word::named("value");
  const std::string name = " of widths " + std::to_string(wide) + " and " + std::to_string(inner);
  p.claim("S3.cover" + name + ": exactly when each value of the inner layout fits", sound(a, wide) && sound(b, inner), [&] {
    const bool covers = hdb::offsets_cover(a, wide, b, inner);
    const z3::expr all = wide == 8 ? always()
                         : inner == 8 ? context().bool_val(false)
                                      : z3::sle(exact(a), exact(b)) && z3::sle(exact(b) + most_of(inner), exact(a) + most_of(wide));
    return context().bool_val(covers) == all;
  });
  if (wide == 8 || inner == 8) return;
  p.claim("S3.span" + name + ": what fits either lies in it (S3.room: so it fits what is made of it)", sound(a, wide) && (inside(v, a, wide) || inside(v, b, inner)), [&] {
    const auto s = hdb::offsets_span(a, wide, b, inner);
    return z3::sle(s.low.e, v.e) && z3::sle(v.e, s.high.e);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Prover p(argc, argv);
  const Word v = Word::named("value"), base = Word::named("base"), low = Word::named("low"), high = Word::named("high");
  constexpr uint8_t kWidths[] = {0, 1, 2, 4, 8};
  widths(p, v);
  for (const uint8_t width : kWidths) coding(p, v, base, width);
  room(p, low, high, v);
  for (const uint8_t a : kWidths) {
    for (const uint8_t b : kWidths) pairs(p, a, b);
  }
  return p.finish(argv[0]);
}
