// Identities (properties/identity_laws.cc) and interleaved connections (properties/isolation_laws.cc), where the bytes make the choices.
#include "properties/laws.h"
#include "targets.h"

namespace judge {

void fuzz_identity(const uint8_t* data, size_t size, Tally& tally) {
  Context context{model::Random(data, size), tally};
  identities(context, "identity", false, 1 + static_cast<int>(size / 200 % 4));
}

void fuzz_isolation(const uint8_t* data, size_t size, Tally& tally) {
  Context context{model::Random(data, size), tally};
  interleaved(context, 20 + static_cast<int>(size % 200));
}

}  // namespace judge
