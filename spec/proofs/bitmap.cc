// Words of bitmaps (src/base/bitmap.h): two words and every bit of them; the step of for_each_bit for every word.
//
// Invariants proved: B1.
#include "base/bitmap.h"

#include "prover.h"

using namespace proof;

namespace {

constexpr uint32_t kBits = 128;

struct Bitmap {
  Word words[2];
  z3::expr value() const { return z3::concat(words[1].e, words[0].e); }
};
z3::expr mask(uint32_t bit) { return z3::shl(context().bv_val(1, kBits), context().bv_val(bit, kBits)); }

// The claim for each bit of both words, as one.
template <class F>
z3::expr each_bit(F&& holds) {
  z3::expr all = always();
  for (uint32_t i = 0; i < kBits; ++i) all = all && holds(i);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  Prover p(argc, argv);
  const Bitmap b{{Word::named("word0"), Word::named("word1")}};
  const Word rest = Word::named("rest");
  p.claim("B1.set: the bit and no other", always(), [&] {
    return each_bit([&](uint32_t i) { Bitmap r = b; hdb::bit_set(r.words, i); return r.value() == (b.value() | mask(i)); });
  });
  p.claim("B1.clear: the bit and no other", always(), [&] {
    return each_bit([&](uint32_t i) { Bitmap r = b; hdb::bit_clear(r.words, i); return r.value() == (b.value() & ~mask(i)); });
  });
  p.claim("B1.assign: as set and clear", always(), [&] {
    return each_bit([&](uint32_t i) {
      Bitmap on = b, off = b;
      hdb::bit_assign(on.words, i, true);
      hdb::bit_assign(off.words, i, false);
      return on.value() == (b.value() | mask(i)) && off.value() == (b.value() & ~mask(i));
    });
  });
  for (const uint32_t i : {0u, 1u, 31u, 32u, 62u, 63u, 64u, 65u, 96u, 127u}) {  // a branch: one claim for each side of the words
    p.claim("B1.test of bit " + std::to_string(i) + ": whether it is set", always(), [&] {
      return context().bool_val(hdb::bit_test(b.words, i)) == ((b.value() & mask(i)) != context().bv_val(0, kBits));
    });
  }
  p.claim("B1.fill: the first count bits, for every count", always(), [&] {
    z3::expr all = always();
    for (uint32_t count = 0; count <= kBits; ++count) {
      Bitmap r = b;
      hdb::bitmap_fill(r.words, count);
      const z3::expr ones = count == kBits ? ~context().bv_val(0, kBits) : mask(count) - context().bv_val(1, kBits);
      const uint32_t filled = 64 * hdb::bitmap_words(count);
      const z3::expr kept = filled >= kBits ? context().bv_val(0, kBits) : z3::shl(~context().bv_val(0, kBits), context().bv_val(filled, kBits));
      all = all && r.value() == (ones | (b.value() & kept));
    }
    return all;
  });
  p.claim("B1.take_lowest: the lowest set bit, and the word without it", rest.e != context().bv_val(0, 64), [&] {
    Word left = rest;
    const Word at = hdb::take_lowest(left);
    const z3::expr one = z3::shl(context().bv_val(1, 64), at.e);
    return z3::ult(at.e, context().bv_val(64, 64)) && (rest.e & one) == one && (rest.e & (one - context().bv_val(1, 64))) == context().bv_val(0, 64) &&
           left.e == (rest.e & ~one) && z3::ult(left.e, rest.e);
  });
  return p.finish(argv[0]);
}
