// Mixed-radix addresses of cells (src/plane/radix.h) against numbers that cannot overflow.
//
// Invariants proved: A5. The radix is a constant in each claim (a division by a symbol is beyond the solver): of block cells all up to 64
// and some above, of a dense summary every capacity that it can have.
#include "plane/radix.h"

#include "base/limits.h"
#include "prover.h"

using namespace proof;

namespace {

void step(Prover& p, uint64_t radix, uint64_t cells_max, const std::string& of) {
  const Word address = Word::named("address"), digit = Word::named("digit");
  const z3::expr r = context().bv_val(radix, 64);
  const z3::expr given = z3::ult(digit.e, r) && z3::ult(address.e, context().bv_val(cells_max / radix, 64));
  p.claim("A5.step " + of + " of radix " + std::to_string(radix) + ": unpack gives digit and address back, below the product", given, [&] {
    const Word packed = hdb::pack_digit(address, Word(radix), digit);
    Word left = packed;
    const Word last = hdb::unpack_digit(left, Word(radix));
    return last.e == digit.e && left.e == address.e && z3::ult(packed.e, context().bv_val(cells_max / radix * radix, 64));
  });
}

}  // namespace

int main(int argc, char** argv) {
  Prover p(argc, argv);
  for (uint64_t radix = 1; radix <= 64; ++radix) step(p, radix, 4096, "block cells");
  for (const uint64_t radix : {97, 100, 127, 255, 366, 1000, 1365, 2047, 2048, 4095, 4096}) step(p, radix, 4096, "block cells");
  for (uint64_t radix = 4; radix <= uint64_t{1} << 20; radix *= 2) step(p, radix, uint64_t{1} << 20, "summary");
  return p.finish(argv[0]);
}
