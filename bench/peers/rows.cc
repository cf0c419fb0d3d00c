#include <cstdio>

#include "bench/peers/peer.h"

namespace hdb::bench {

std::string Rows::to_text() const {
  std::string text;
  bool first = true;
  const auto separate = [&] {
    if (!first) text += '|';
    first = false;
  };
  for (size_t at = 0; at < bytes_.size();) {
    switch (bytes_[at++]) {
      case 'i': {
        int64_t value;
        std::memcpy(&value, bytes_.data() + at, sizeof value);
        at += sizeof value;
        separate();
        text += std::to_string(value);
        break;
      }
      case 't': {
        uint64_t size;
        std::memcpy(&size, bytes_.data() + at, sizeof size);
        at += sizeof size;
        separate();
        text.append(bytes_, at, size);
        at += size;
        break;
      }
      case 'd': {
        double value;
        std::memcpy(&value, bytes_.data() + at, sizeof value);
        at += sizeof value;
        separate();
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.10g", value);
        text += digits;
        break;
      }
      case 'n':
        separate();
        text += "NULL";
        break;
      default:
        text += '\n';
        first = true;
    }
  }
  return text;
}

}  // namespace hdb::bench
