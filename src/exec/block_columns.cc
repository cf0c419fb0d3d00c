#include "exec/block_columns.h"

#include <algorithm>

namespace hdb {

Vector vector_of(const Datum& d, const Type& type, Scratch& scratch) {
  if (d.null) return null_vector(type);
  switch (type.lane()) {
    case Lane::kDouble: {
      auto* out = scratch.array<double>(1);
      *out = d.f64();
      return make_vector<double>(type, out, nullptr);
    }
    case Lane::kText: {
      auto* out = scratch.array<std::string_view>(1);
      *out = d.text()->view();
      return make_vector<std::string_view>(type, out, nullptr);
    }
    default: {
      auto* out = scratch.array<int64_t>(1);
      *out = d.i64();
      return make_vector<int64_t>(type, out, nullptr);
    }
  }
}

Datum text_datum(std::string_view text, Scratch& scratch) {
  auto* e = reinterpret_cast<TextEntry*>(scratch.array<char>(sizeof(TextEntry) + text.size()));
  e->code = TextEntry::kNoCode;
  e->bytes = static_cast<uint32_t>(text.size());
  std::copy(text.begin(), text.end(), e->data);
  return Datum::of(static_cast<const TextEntry*>(e));
}

}  // namespace hdb
