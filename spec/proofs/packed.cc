// Narrow codes and counts of cells (src/plane/packed.h), and the exclusive or of pages (src/pages/stripe.h).
//
// Invariants proved: A6, G4.
#include "plane/packed.h"

#include "pages/stripe.h"
#include "prover.h"

using namespace proof;

namespace {

using Code = Sym<uint32_t>;

z3::expr holds(bool way) { return context().bool_val(way); }
// What is left of a code that was kept in so many bytes.
z3::expr kept(const Code& code, unsigned bytes) {
  return bytes == 4 ? code.e : z3::zext(code.e.extract(8 * bytes - 1, 0), 32 - 8 * bytes);
}

void parity(Prover& p, unsigned pages) {
  p.claim("G4.parity of " + std::to_string(pages) + " pages: all add up to nothing, and each is what the others add up to", always(), [&] {
    std::vector<Word> words;
    for (unsigned i = 0; i <= pages; ++i) words.push_back(i == 0 ? Word(0) : Word::named("page" + std::to_string(i)));
    for (unsigned i = 1; i <= pages; ++i) hdb::parity_add(words[0], words[i]);
    Word sum = words[0];
    for (unsigned i = 1; i <= pages; ++i) hdb::parity_add(sum, words[i]);
    z3::expr all = sum.e == context().bv_val(0, 64);
    for (unsigned lost = 0; lost <= pages; ++lost) {
      Word rebuilt = 0;
      for (unsigned i = 0; i <= pages; ++i)
        if (i != lost) hdb::parity_add(rebuilt, words[i]);
      all = all && rebuilt.e == words[lost].e;
    }
    return all;
  });
}

}  // namespace

int main(int argc, char** argv) {
  Prover p(argc, argv);
  const Code code = Code::named("code");
  const Signed count = Signed::named("count");
  for (const uint32_t bytes : {1u, 2u, 4u}) {
    p.claim("A6.fits in " + std::to_string(bytes) + " bytes: exactly what comes back", always(),
            [&] { return holds(hdb::code_fits(code, bytes)) == (kept(code, bytes) == code.e); });
  }
  p.claim("A6.bytes: the code fits into them, and into no fewer", always(), [&] {
    const uint32_t bytes = hdb::code_bytes(code);
    return kept(code, bytes) == code.e && (bytes == 1 ? always() : kept(code, bytes / 2) != code.e);
  });
  p.claim("A6.count: fits exactly if it comes back", always(), [&] {
    return holds(hdb::count_fits<Sym<int32_t>>(count)) == (z3::sext(count.e.extract(31, 0), 32) == count.e);
  });
  for (const unsigned pages : {1u, 2u, 3u, 8u, 16u}) parity(p, pages);
  return p.finish(argv[0]);
}
