#include "engine/parameters.h"

#include <cmath>

#include "base/limits.h"
#include "base/utf8.h"
#include "exact/decimal_text.h"
#include "plan/make.h"
#include "plan/type_rules.h"

namespace hdb {

namespace {

constexpr double kExactInteger = 9007199254740992.0;  // 2^53

// value * 10^(to - from) if that is exact and has at most `precision` digits.
bool rescale(int128 v, int from, int to, int precision, int128* out) {
  for (; from < to; ++from) {
    if (__builtin_mul_overflow(v, static_cast<int128>(10), &v)) return false;
  }
  for (; from > to; --from) {
    if (v % 10 != 0) return false;
    v /= 10;
  }
  int128 limit = 1;
  for (int i = 0; i < precision; ++i) limit *= 10;  // precision <= 38: fits
  if (v >= limit || v <= -limit) return false;
  *out = v;
  return true;
}

Fit number(const Type& type, int128 v, Value* out) {
  *out = Value::make_number(type, v);
  return Fit::kConverted;
}

Fit fit_number(const Value& value, const Type& type, Value* out) {
  const TypeId from = value.type.id;
  if (type.id == TypeId::kDouble && from == TypeId::kBigint) {
    const auto real = static_cast<double>(value.int64());
    if (std::fabs(real) > kExactInteger) return Fit::kBindAgain;
    *out = Value::make_real(real);
    return Fit::kConverted;
  }
  int128 v = 0;
  if (from == TypeId::kDouble) {
    if (type.id != TypeId::kBigint || value.real != std::trunc(value.real) || std::fabs(value.real) > kExactInteger) return Fit::kBindAgain;
    return number(type, static_cast<int64_t>(value.real), out);
  }
  if (from != TypeId::kBigint && from != TypeId::kDecimal) return Fit::kBindAgain;
  const int scale = from == TypeId::kDecimal ? value.type.scale : 0;
  if (type.id == TypeId::kDecimal) return rescale(value.number, scale, type.scale, type.precision, &v) ? number(type, v, out) : Fit::kBindAgain;
  if (type.id != TypeId::kBigint || !rescale(value.number, scale, 0, 38, &v) || v > INT64_MAX || v < INT64_MIN) return Fit::kBindAgain;
  return number(type, v, out);
}

}  // namespace

Fit fit_parameter(const Value& value, const Type& type, Value* out) {
  if (value.null) return Fit::kAsIs;
  if (value.type == type && type.length == 0) return Fit::kAsIs;
  if (value.type.id == TypeId::kText) {
    switch (type.id) {
      case TypeId::kText:
      case TypeId::kDate:
      case TypeId::kTimestamp: *out = cast_value(value, type); return Fit::kConverted;
      default: return Fit::kBindAgain;
    }
  }
  if (type.id == TypeId::kNull) return Fit::kBindAgain;
  return fit_number(value, type, out);
}

void check_text(std::string_view text) {
  if (text.size() <= kTextBytesMax && ascii_without_nul(text)) return;
  if (text.size() > kTextBytesMax) fail(sqlstate::kProgramLimit, "a text has at most " + std::to_string(kTextBytesMax) + " bytes");
  if (const size_t bad = utf8_invalid_at(text); bad != std::string_view::npos)
    fail(sqlstate::kInvalidEncoding, "the text is not UTF-8 at byte " + std::to_string(bad));
  if (text.find('\0') != std::string_view::npos) fail(sqlstate::kInvalidEncoding, "the text holds a NUL byte");
}

Value decimal_value(std::string_view text) {
  DecimalType type{};
  int128 value = 0;
  switch (try_decimal_literal(text, type, value)) {
    case ParseStatus::kOk: break;
    case ParseStatus::kInvalid: fail(sqlstate::kInvalidText, "'" + std::string(text.substr(0, 64)) + "' is not a decimal number");
    case ParseStatus::kOutOfRange: fail(sqlstate::kOutOfRange, "'" + std::string(text.substr(0, 64)) + "' has more digits than a DECIMAL");
  }
  return Value::make_number(to_type(type), value);
}

void set_literal(const sql::ExtractedLiteral& literal, Value* out) {
  out->null = false;
  switch (literal.slot.kind) {
    case sql::LiteralKind::kInteger:
      out->type = Type::bigint();
      out->number = literal.integer;
      break;
    case sql::LiteralKind::kDecimal:
      out->type = Type::decimal(literal.slot.precision, literal.slot.scale);
      out->number = literal.decimal;
      break;
    case sql::LiteralKind::kDouble:
      out->type = Type::real();
      out->real = literal.number;
      break;
    default:  // strings; DATE and TIMESTAMP literals are texts whose parameter has that type
      out->type = Type::text();
      out->text.assign(literal.text);
  }
}

}  // namespace hdb
