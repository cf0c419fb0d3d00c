#include "base/checksum.h"

#include <cstring>

#include "base/crc_step.h"

namespace hdb {

namespace {

uint32_t table(size_t n, uint32_t byte) { return kCrcTables[n][byte]; }
uint32_t little_endian(const uint8_t* p) { return uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24; }

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

uint32_t crc32c_portable(const void* data, size_t bytes, uint32_t before) {
  const auto* p = static_cast<const uint8_t*>(data);
  uint32_t c = ~before;
  for (; bytes >= 8; p += 8, bytes -= 8) c = crc_eight(c, little_endian(p), little_endian(p + 4), table);
  for (; bytes > 0; ++p, --bytes) c = crc_byte(c, uint32_t{*p}, table);
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
