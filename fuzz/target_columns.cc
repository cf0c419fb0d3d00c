// Encoded columns of integers: what is put into a layout, widened and copied comes back, at every width (S1, S3, S4).
#include "store/column.h"
#include "targets.h"

namespace judge {

namespace {

using hdb::Datum;

// Values around a centre, so that all widths from 0 to 8 come up.
Datum some_datum(model::Random& r, int64_t centre) {
  if (r.chance(10)) return {};
  static const unsigned kBits[] = {0, 7, 8, 15, 16, 31, 32, 63};
  const uint64_t span = uint64_t{1} << kBits[r.below(8)];
  const uint64_t offset = r.chance(40) ? (r.chance(50) ? span - 1 : 0) : r.next() % span;
  return Datum::of(static_cast<int64_t>(static_cast<uint64_t>(centre) + offset));
}

void same(const hdb::ColumnBuffer& buffer, const std::vector<Datum>& values, const char* after) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Datum got = buffer.at(static_cast<uint32_t>(i));
    const bool right = got.null == values[i].null && (got.null || got.raw == values[i].raw);
    require(right, std::string("S3: slot ") + std::to_string(i) + " of width " + std::to_string(buffer.width) + " " + after + " is " +
                       (got.null ? "NULL" : std::to_string(got.i64())) + " and not " + (values[i].null ? "NULL" : std::to_string(values[i].i64())));
  }
}

}  // namespace

void fuzz_columns(const uint8_t* data, size_t size, Tally&) {
  model::Random r(data, size);
  static const int64_t kCentres[] = {0, -1, 1000000, INT64_MIN, INT64_MAX - 70000, -128, 4294967296};
  const hdb::Type type = hdb::Type::bigint();
  const int64_t centre = kCentres[r.below(7)];
  std::vector<Datum> values;
  for (uint64_t n = 1 + r.below(40); n > 0; --n) values.push_back(some_datum(r, centre));
  const hdb::Layout first = hdb::layout_for(type, values.data(), static_cast<uint32_t>(values.size()));
  hdb::BufferRef buffer(hdb::ColumnBuffer::make(first.encoding, first.width, first.base, first.nulls, nullptr, nullptr));
  for (size_t i = 0; i < values.size(); ++i) buffer->put(static_cast<uint32_t>(i), values[i]);
  same(*buffer, values, "as it was laid out");
  for (int round = 0; round < 12; ++round) {
    const Datum next = some_datum(r, r.chance(70) ? centre : kCentres[r.below(7)]);
    const auto slot = static_cast<uint32_t>(r.below(values.size() + 1));
    const hdb::Layout add = hdb::layout_for(type, &next, 1);
    require(hdb::covers(*buffer, add) == buffer->represents(next) || next.null,
            "S3: a layout covers a value that it does not represent, or the other way round");
    if (!hdb::covers(*buffer, add)) {
      const hdb::BufferRef old = buffer;
      buffer = hdb::re_encode(*old, static_cast<uint32_t>(values.size()), hdb::widen(*old, static_cast<uint32_t>(values.size()), add, r.chance(50)));
      same(*old, values, "while a reader holds it");
      same(*buffer, values, "after widening");
    }
    require(buffer->represents(next), "S3: the widened layout does not represent what it was widened for");
    if (slot == values.size())
      values.push_back(next);
    else
      values[slot] = next;
    buffer->put(slot, next);
    same(*buffer, values, "after a change");
    if (r.chance(20)) {
      buffer = hdb::copy_of(*buffer, static_cast<uint32_t>(values.size()));
      same(*buffer, values, "copied");
    }
  }
}

}  // namespace judge
