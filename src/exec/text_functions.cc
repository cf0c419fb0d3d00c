// Text functions. Positions and lengths count UTF-8 characters, from 1.

#include "base/limits.h"
#include "exec/evaluate.h"
#include "exec/utf8.h"

namespace hdb {

namespace {

bool null_at(const Call& c, uint32_t row) { return c.nulls != nullptr && bit_test(c.nulls, row); }

// Text of row i of an argument.
std::string_view text(const Call& c, size_t arg, uint32_t i) { return c.args[arg].text_at(i); }
int64_t integer(const Call& c, size_t arg, uint32_t i) { return c.args[arg].i64[c.args[arg].at(i)]; }

template <class F>
Vector map_text(const Call& c, F f) {
  auto* out = c.scratch.array<std::string_view>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) out[i] = null_at(c, i) ? std::string_view("", 0) : f(i);
  return make_vector(c.e.type, static_cast<const std::string_view*>(out), c.nulls);
}

template <class F>
Vector map_int(const Call& c, F f) {
  auto* out = c.scratch.zeroed<int64_t>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (!null_at(c, i)) out[i] = f(i);
  }
  return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
}

void check_length(size_t bytes, const Call& c) {
  if (bytes > kTextBytesMax) fail(sqlstate::kProgramLimit, "a text may have at most " + std::to_string(kTextBytesMax) + " bytes", c.e.position);
}

std::string_view substring(const Call& c, uint32_t i) {
  const std::string_view s = text(c, 0, i);
  // As PostgreSQL: the window [start, start + length) is laid over the text, and what lies before it is cut off.
  const int64_t start = integer(c, 1, i);
  int64_t end = INT64_MAX;
  if (c.args.size() > 2) {
    const int64_t length = integer(c, 2, i);
    if (length < 0) fail(sqlstate::kInvalidParameter, "the length of a substring is negative", c.e.position);
    if (__builtin_add_overflow(start, length, &end)) end = INT64_MAX;
  }
  const int64_t first = start < 1 ? 1 : start;
  if (end <= first) return {s.data(), 0};
  const size_t from = utf8_offset(s, static_cast<uint64_t>(first - 1));
  const std::string_view rest = s.substr(from);
  if (end == INT64_MAX) return rest;
  return rest.substr(0, utf8_offset(rest, static_cast<uint64_t>(end - first)));
}

std::string_view replaced(const Call& c, uint32_t i, std::string& buffer) {
  const std::string_view s = text(c, 0, i), from = text(c, 1, i), to = text(c, 2, i);
  if (from.empty()) return s;
  size_t at = s.find(from);
  if (at == std::string_view::npos) return s;
  buffer.clear();
  size_t copied = 0;
  for (; at != std::string_view::npos; at = s.find(from, copied)) {
    buffer.append(s.substr(copied, at - copied)).append(to);
    copied = at + from.size();
    check_length(buffer.size(), c);
  }
  buffer.append(s.substr(copied));
  check_length(buffer.size(), c);
  return c.scratch.copy(buffer);
}

// Does the set of characters contain the one that `ch` is?
bool contains(std::string_view set, std::string_view ch) {
  for (size_t at = 0; at < set.size();) {
    const size_t next = utf8_next(set, at);
    if (set.substr(at, next - at) == ch) return true;
    at = next;
  }
  return false;
}

std::string_view trimmed(std::string_view s, std::string_view set, bool left, bool right) {
  while (left && !s.empty()) {
    const size_t next = utf8_next(s, 0);
    if (!contains(set, s.substr(0, next))) break;
    s.remove_prefix(next);
  }
  while (right && !s.empty()) {
    size_t at = s.size() - 1;
    while (at > 0 && utf8_continues(s[at])) --at;
    if (!contains(set, s.substr(at))) break;
    s.remove_suffix(s.size() - at);
  }
  return s;
}

}  // namespace

Vector kernel_concat(const Call& c) {
  return map_text(c, [&](uint32_t i) {
    size_t bytes = 0;
    for (size_t a = 0; a < c.args.size(); ++a) bytes += text(c, a, i).size();
    check_length(bytes, c);
    if (bytes == 0) return std::string_view("", 0);
    char* out = c.scratch.array<char>(bytes);
    size_t at = 0;
    for (size_t a = 0; a < c.args.size(); ++a) {
      const std::string_view piece = text(c, a, i);
      if (!piece.empty()) std::memcpy(out + at, piece.data(), piece.size());
      at += piece.size();
    }
    return std::string_view(out, bytes);
  });
}

Vector kernel_length(const Call& c) {
  return map_int(c, [&](uint32_t i) { return static_cast<int64_t>(utf8_length(text(c, 0, i))); });
}

Vector kernel_fold(const Call& c) {
  const bool lower = c.e.function == Function::kLower;
  return map_text(c, [&](uint32_t i) {
    const std::string_view s = text(c, 0, i);
    char* out = c.scratch.array<char>(s.size());
    for (size_t b = 0; b < s.size(); ++b) out[b] = lower ? ascii_lower(s[b]) : ascii_upper(s[b]);
    return std::string_view(out, s.size());
  });
}

Vector kernel_trim(const Call& c) {
  const bool left = c.e.function != Function::kRtrim, right = c.e.function != Function::kLtrim;
  return map_text(c, [&](uint32_t i) {
    return trimmed(text(c, 0, i), c.args.size() > 1 ? text(c, 1, i) : std::string_view(" "), left, right);
  });
}

Vector kernel_substr(const Call& c) {
  return map_text(c, [&](uint32_t i) { return substring(c, i); });
}

Vector kernel_replace(const Call& c) {
  std::string buffer;
  return map_text(c, [&](uint32_t i) { return replaced(c, i, buffer); });
}

Vector kernel_find(const Call& c) {
  if (c.e.function == Function::kStartsWith) {
    return map_int(c, [&](uint32_t i) { return static_cast<int64_t>(text(c, 0, i).starts_with(text(c, 1, i))); });
  }
  return map_int(c, [&](uint32_t i) {
    const std::string_view s = text(c, 0, i);
    const size_t at = s.find(text(c, 1, i));
    return at == std::string_view::npos ? int64_t{0} : static_cast<int64_t>(utf8_length(s.substr(0, at))) + 1;
  });
}

}  // namespace hdb
