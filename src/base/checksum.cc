#include "base/checksum.h"

#include <array>
#include <cstring>

namespace hdb {

namespace {

constexpr uint32_t kPolynomial = 0x82F63B78u;  // reflected

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables t{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? (c >> 1) ^ kPolynomial : c >> 1;
    t[0][i] = c;
  }
  for (size_t n = 1; n < 8; ++n) {
    for (size_t i = 0; i < 256; ++i) t[n][i] = (t[n - 1][i] >> 8) ^ t[0][t[n - 1][i] & 255];
  }
  return t;
}
constexpr Tables kTables = make_tables();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t crc32c_hardware(const uint8_t* p, size_t bytes, uint32_t before) {
  uint64_t c = ~before;
  for (; bytes >= 8; p += 8, bytes -= 8) {
    uint64_t w;
    std::memcpy(&w, p, 8);
    c = __builtin_ia32_crc32di(c, w);
  }
  auto small = static_cast<uint32_t>(c);
  for (; bytes > 0; ++p, --bytes) small = __builtin_ia32_crc32qi(small, *p);
  return ~small;
}
#endif

}  // namespace

// Eight bytes a step ("slicing by 8", Kounavis and Berry 2005).
uint32_t crc32c_portable(const void* data, size_t bytes, uint32_t before) {
  const auto* p = static_cast<const uint8_t*>(data);
  uint32_t c = ~before;
  for (; bytes >= 8; p += 8, bytes -= 8) {
    const uint32_t low = c ^ (uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24);
    c = kTables[7][low & 255] ^ kTables[6][(low >> 8) & 255] ^ kTables[5][(low >> 16) & 255] ^ kTables[4][low >> 24] ^ kTables[3][p[4]] ^
        kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; bytes > 0; ++p, --bytes) c = kTables[0][(c ^ *p) & 255] ^ (c >> 8);
  return ~c;
}

uint32_t crc32c(const void* data, size_t bytes, uint32_t before) {
#if defined(__x86_64__)
  static const bool fast = __builtin_cpu_supports("sse4.2") != 0;
  if (fast) return crc32c_hardware(static_cast<const uint8_t*>(data), bytes, before);
#endif
  return crc32c_portable(data, bytes, before);
}

}  // namespace hdb
