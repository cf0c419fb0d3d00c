// DATE_TRUNC and EXTRACT over DATE and TIMESTAMP (store/date_part.h).
#include "base/check.h"
#include "exec/evaluate.h"
#include "store/date_part.h"

namespace hdb {

namespace {

DatePart part_of(const Call& c, bool truncate, uint32_t row) {
  const std::string_view name = c.args[0].text_at(row);
  const auto field = date_field(name);
  if (!field) fail(sqlstate::kInvalidParameter, "there is no date field \"" + std::string(name) + "\"", c.e.position);
  if (truncate && !can_truncate(*field)) fail(sqlstate::kInvalidParameter, "DATE_TRUNC does not take this field", c.e.position);
  return {*field, truncate, c.args[1].type.id == TypeId::kDate, c.e.type.id == TypeId::kDate};
}

Vector parts(const Call& c, bool truncate) {
  CHECK(c.e.type.lane() == Lane::kInt64);
  const Vector& from = c.args[1];
  const auto is_null = [&](uint32_t row) { return c.nulls != nullptr && bit_test(c.nulls, row); };
  uint32_t first = 0;
  while (first < c.rows && is_null(first)) ++first;
  if (first == c.rows) return null_vector(c.e.type);
  auto* out = c.scratch.zeroed<int64_t>(c.rows);
  if (c.args[0].constant && !from.constant) {
    const int64_t* values = from.i64;
    if (c.nulls != nullptr) {  // what stands at a NULL need not be a date
      auto* some = c.scratch.array<int64_t>(c.rows);
      for (uint32_t i = 0; i < c.rows; ++i) some[i] = is_null(i) ? 0 : values[i];
      values = some;
    }
    date_parts(part_of(c, truncate, first), values, c.rows, out);
  } else {
    for (uint32_t i = first; i < c.rows; ++i) {
      if (!is_null(i)) out[i] = date_part(part_of(c, truncate, i), from.i64[from.at(i)]);
    }
  }
  return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
}

}  // namespace

Vector kernel_date_trunc(const Call& c) { return parts(c, true); }
Vector kernel_extract(const Call& c) { return parts(c, false); }

}  // namespace hdb
