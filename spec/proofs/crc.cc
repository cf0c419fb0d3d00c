// CRC-32C (src/base/crc_step.h): the tables and the steps that use them against the definition by the bit.
//
// Invariants proved: Q1. The tables are looked into by a number that is not known; in crc_eight a look-up is taken as what Q1.table shows it to be.
#include "base/crc_step.h"

#include "prover.h"

using namespace proof;

namespace {

using Half = Sym<uint32_t>;

z3::expr value(uint32_t v) { return context().bv_val(v, 32); }

// The definition: the lowest bit goes out; if it was set, the polynomial x^32 + x^28 + ... + 1 without its highest term is added.
z3::expr by_bit(z3::expr c, unsigned bits) {
  for (unsigned i = 0; i < bits; ++i) c = z3::ite(c.extract(0, 0) == context().bv_val(1, 1), z3::lshr(c, value(1)) ^ value(0x82F63B78u), z3::lshr(c, value(1)));
  return c;
}
// The shipped table, looked into at an unknown place.
z3::expr looked_up(size_t n, const z3::expr& at) {
  z3::expr out = value(0);
  for (unsigned i = 0; i < 256; ++i) out = z3::ite(at == value(i), value(hdb::kCrcTables[n][i]), out);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  Prover p(argc, argv);
  const Half c = Half::named("c"), d = Half::named("d"), first = Half::named("first"), last = Half::named("last");
  const z3::expr byte = z3::ult(d.e, value(256));
  p.claim("Q1.bit: as defined", always(), [&] { return hdb::crc_bit(c).e == by_bit(c.e, 1); });
  p.claim("Q1.linear: what is added before a step may be added after it", always(), [&] {
    return hdb::crc_bit(c ^ d).e == (hdb::crc_bit(c).e ^ hdb::crc_bit(d).e);
  });
  for (size_t n = 0; n < 8; ++n) {
    p.claim("Q1.table " + std::to_string(n) + ": so many bits at once", always(), [&] {
      z3::expr all = always();
      for (uint32_t i = 0; i < 256; ++i) all = all && by_bit(value(i), static_cast<unsigned>(8 * (n + 1))) == value(hdb::kCrcTables[n][i]);
      return all.simplify();
    });
  }
  p.claim("Q1.byte: eight bits of the sum and the byte", byte, [&] {
    return hdb::crc_byte(c, d, [](size_t n, const Half& at) { return Half(looked_up(n, at.e)); }).e == by_bit(c.e ^ d.e, 8);
  });
  // Bit by bit of the eight bytes and the sum: by Q1.linear that is all of them.
  for (unsigned bit = 0; bit < 96; ++bit) {
    p.claim("Q1.eight of bit " + std::to_string(bit) + ": as eight steps by the byte", always(), [&] {
      const auto one = [&](unsigned word) { return Half(bit / 32 == word ? uint32_t{1} << bit % 32 : 0u); };
      const Half sum = one(0), low = one(1), high = one(2);
      z3::expr want = sum.e;
      for (unsigned i = 0; i < 8; ++i) {
        const z3::expr next = z3::lshr((i < 4 ? low : high).e, value(8 * (i % 4))) & value(255);
        want = by_bit(want ^ next, 8);
      }
      return (hdb::crc_eight(sum, low, high, [](size_t n, const Half& at) { return Half(looked_up(n, at.e)); }).e == want).simplify();
    });
  }
  return p.finish(argv[0]);
}
