#include "exact/decimal_text.h"

#include <fast_float/fast_float.h>

#include <bit>
#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "exact/wide.h"

namespace hdb {
namespace {

// The digits of a number as one string, without its leading zeros.
struct Digits {
  std::string_view whole;
  std::string_view fraction;

  explicit Digits(const NumberText& number) : whole(number.whole), fraction(number.fraction) {
    while (!whole.empty() && whole.front() == '0') whole.remove_prefix(1);
    point = static_cast<int64_t>(whole.size());
    if (!whole.empty()) return;
    while (!fraction.empty() && fraction.front() == '0') {
      fraction.remove_prefix(1);
      --point;
    }
  }
  int64_t size() const { return static_cast<int64_t>(whole.size() + fraction.size()); }
  unsigned operator[](int64_t i) const {
    const auto at = static_cast<size_t>(i);
    return static_cast<unsigned>((at < whole.size() ? whole[at] : fraction[at - whole.size()]) - '0');
  }
  int64_t point;  // the value is 0.d1d2d3... * 10^point
};

}  // namespace

ParseStatus try_parse_decimal(std::string_view text, DecimalType type, int128& out) {
  NumberText number;
  if (!scan_number(text, number)) return ParseStatus::kInvalid;
  const Digits digits(number);
  if (digits.size() == 0) {
    out = 0;
    return ParseStatus::kOk;
  }
  // value * 10^scale has `keep` digits before its point; the digit after them decides the rounding.
  const int64_t keep = digits.point + number.exponent + type.scale;
  if (keep > kDecimalDigits) return ParseStatus::kOutOfRange;
  uint128 magnitude = 0;
  for (int64_t i = 0; i < keep; ++i) magnitude = magnitude * 10 + (i < digits.size() ? digits[i] : 0);
  if (keep >= 0 && keep < digits.size() && digits[keep] >= 5) ++magnitude;
  if (magnitude >= kPow10[static_cast<size_t>(type.precision)]) return ParseStatus::kOutOfRange;
  out = with_sign(number.negative, magnitude);
  return ParseStatus::kOk;
}

int128 parse_decimal(std::string_view text, DecimalType type) {
  int128 value = 0;
  switch (try_parse_decimal(text, type, value)) {
    case ParseStatus::kOk: return value;
    case ParseStatus::kInvalid: fail(sqlstate::kInvalidText, "this text is not a decimal number");
    case ParseStatus::kOutOfRange: break;
  }
  fail(sqlstate::kOutOfRange,
       "this number does not fit DECIMAL(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")");
}

ParseStatus try_decimal_literal(std::string_view text, DecimalType& type, int128& value) {
  NumberText number;
  if (!scan_number(text, number)) return ParseStatus::kInvalid;
  const Digits digits(number);
  const int64_t scale = std::max<int64_t>(0, static_cast<int64_t>(number.fraction.size()) - number.exponent);
  const int64_t precision = digits.size() == 0 ? 1 : std::max<int64_t>({1, digits.point + number.exponent + scale, scale});
  if (scale > kDecimalDigits || precision > kDecimalDigits) return ParseStatus::kOutOfRange;
  type = {static_cast<int>(std::max(precision, scale)), static_cast<int>(scale)};
  return try_parse_decimal(text, type, value);
}

void append_decimal(std::string& out, int128 value, int scale) {
  CHECK(scale >= 0 && scale <= kDecimalDigits);
  if (value < 0) out += '-';
  const size_t start = out.size();
  append_int128(out, static_cast<int128>(magnitude_of(value)));
  if (scale == 0) return;
  const size_t digits = out.size() - start;
  const auto places = static_cast<size_t>(scale);
  if (digits <= places) out.insert(start, places + 1 - digits, '0');
  out.insert(out.size() - places, 1, '.');
}

std::string decimal_to_text(int128 value, int scale) {
  std::string out;
  append_decimal(out, value, scale);
  return out;
}

double decimal_to_double(int128 value, int scale) {
  if (magnitude_of(value) <= (uint64_t{1} << 53) && scale <= 22) {
    // Both are exact doubles, so that the division rounds once.
    return static_cast<double>(static_cast<int64_t>(value)) / static_cast<double>(kPow10[static_cast<size_t>(scale)]);
  }
  std::string text;
  append_int128(text, value);
  text += "e-";
  text += std::to_string(scale);
  double result = 0;
  const auto parsed = fast_float::from_chars(text.data(), text.data() + text.size(), result);
  CHECK(parsed.ec == std::errc());
  return result;
}

int128 decimal_from_double(double x, DecimalType type) {
  const auto out_of_range = [&]() {
    fail(sqlstate::kOutOfRange,
         "this DOUBLE does not fit DECIMAL(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")");
  };
  if (!std::isfinite(x) || std::fabs(x) >= 1e39) out_of_range();
  int exponent = 0;
  const auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
  exponent -= 53;  // |x| == mantissa * 2^exponent
  // The shift up keeps |x| < 10^39 < 2^130; 53 bits shifted by at most 77. Check before it that 128 bits are enough.
  if (exponent > 74) out_of_range();
  Wide scaled = multiply_wide(static_cast<uint128>(mantissa) << std::max(exponent, 0), kPow10[static_cast<size_t>(type.scale)]);
  if (const int drop = -exponent; drop > 0) {
    if (drop > 190) return 0;  // below 2^53 * 2^127 / 2^191: less than a half
    // Add a half (no carry out: the product has at most 180 bits, the half 190), then drop the bits below the point.
    const Wide half = drop > 128 ? Wide{0, uint128{1} << (drop - 129)} : Wide{uint128{1} << (drop - 1), 0};
    const bool carry = __builtin_add_overflow(scaled.lo, half.lo, &scaled.lo);
    scaled.hi += half.hi + (carry ? 1 : 0);
    scaled.lo = drop >= 128 ? scaled.hi >> (drop - 128) : (scaled.lo >> drop) | (scaled.hi << (128 - drop));
    scaled.hi = drop >= 128 ? 0 : scaled.hi >> drop;
  }
  if (scaled.hi != 0 || scaled.lo >= kPow10[static_cast<size_t>(type.precision)]) out_of_range();
  return with_sign(x < 0, scaled.lo);
}

int64_t double_to_int64(double x) {
  // Both bounds are exact doubles; NaN fails the comparison.
  if (!(x >= -0x1p63 && x < 0x1p63)) fail(sqlstate::kOutOfRange, "this DOUBLE does not fit BIGINT");
  return static_cast<int64_t>(x);
}

}  // namespace hdb
