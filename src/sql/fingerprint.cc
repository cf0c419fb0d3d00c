#include "sql/fingerprint.h"

#include <algorithm>
#include <cstring>

#include "base/limits.h"
#include "base/utf8.h"
#include "sql/number.h"

namespace hdb::sql {
namespace {

enum Class : uint8_t { kRefused, kBlank, kLetter, kDigit, kQuote, kDoubleQuote, kOpen, kClose, kSemicolon, kPlain, kDot,
                      kColon, kMarkOf, kMinus, kSlash };

struct ClassTable {
  uint8_t classes[256] = {};
  constexpr ClassTable() {
    for (int c = 33; c < 127; ++c) classes[c] = kPlain;
    for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) classes[static_cast<int>(c)] = kBlank;
    for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 32] = kLetter;
    for (int c = 128; c < 256; ++c) classes[c] = kLetter;
    for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
    classes[static_cast<int>('_')] = kLetter;
    classes[static_cast<int>('\'')] = kQuote;
    classes[static_cast<int>('"')] = kDoubleQuote;
    classes[static_cast<int>('(')] = kOpen;
    classes[static_cast<int>(')')] = kClose;
    classes[static_cast<int>(';')] = kSemicolon;
    classes[static_cast<int>('.')] = kDot;
    classes[static_cast<int>(':')] = kColon;
    classes[static_cast<int>('?')] = classes[static_cast<int>('$')] = kMarkOf;
    classes[static_cast<int>('-')] = kMinus;
    classes[static_cast<int>('/')] = kSlash;
  }
};
constexpr ClassTable kTable;
inline uint8_t class_of(char c) { return kTable.classes[static_cast<uint8_t>(c)]; }
inline bool in_word(char c) { return class_of(c) == kLetter || class_of(c) == kDigit || c == '$'; }

// Up to eight letters of a word as a number, in lower case; of a longer word the last eight.
constexpr uint64_t fold(std::string_view word) {
  uint64_t code = 0;
  for (const char c : word) code = (code << 8) | (static_cast<uint8_t>(c) | 0x20u);
  return code;
}

// What stood in front decides what a parenthesis or a literal means.
enum class Before : uint8_t { kOperator, kName, kDated, kEscape };

constexpr char kMark = '\x01';  // of a literal in the key; a text that holds it is declined

uint64_t mix(uint64_t a, uint64_t b) {
  const uint128 product = static_cast<uint128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0x9E3779B97F4A7C15u ^ text.size();
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = mix(hash ^ word, 0xD6E8FEB86659FD93u);
  }
  uint64_t word = 0;
  std::memcpy(&word, at, left);
  return mix(hash ^ word, 0xA0761D6478BD642Fu);
}

}  // namespace

struct Fingerprint::Scan {
  Fingerprint& out;
  const char* const text;  // offsets count from here
  const char* at;
  const char* const end;
  const char* kept_from;   // the text from here is not in the key yet
  const char* token_end;
  uint64_t frames = 0;     // a bit for each open parenthesis: whether literals were extracted outside of it
  uint32_t depth = 0;
  bool extract = false;
  Before before = Before::kOperator;

  bool run();
  bool statement_word();
  bool token(uint8_t kind);
  void word();
  bool open();
  bool close();
  bool number();
  bool string();
  bool quoted_name();
  bool colon();
  void take(ExtractedLiteral literal, const char* begin, const char* literal_end, LiteralKind kind);
};

bool Fingerprint::Scan::statement_word() {
  while (at != end && class_of(*at) == kBlank) ++at;
  out.begin_offset = static_cast<size_t>(at - text);
  kept_from = token_end = at;
  const char* word_end = at;
  while (word_end != end && class_of(*word_end) == kLetter) ++word_end;
  if (word_end - at != 6) return false;
  const uint64_t code = fold({at, 6});
  return code == fold("select") || code == fold("insert") || code == fold("update") || code == fold("delete");
}

bool Fingerprint::Scan::run() {
  if (!statement_word()) return false;
  while (at != end) {
    const uint8_t kind = class_of(*at);
    if (kind == kBlank) {
      ++at;
      continue;
    }
    if (kind == kSemicolon) break;
    if (!token(kind)) return false;
    token_end = at;
  }
  if (depth != 0 || static_cast<size_t>(token_end - text) - out.begin_offset > kTextBytesMax) return false;
  out.key.append(kept_from, static_cast<size_t>(token_end - kept_from));
  out.end_offset = static_cast<size_t>(at - text) + (at != end);
  return true;
}

// One token, whose first byte is of class `kind`. False: decline.
bool Fingerprint::Scan::token(uint8_t kind) {
  switch (kind) {
    case kLetter: return word(), true;
    case kDigit: return number();
    case kDot:
      if (end - at >= 2 && class_of(at[1]) == kDigit) return number();
      break;
    case kQuote: return string();
    case kDoubleQuote: return quoted_name();
    case kOpen: return open();
    case kClose: return close();
    case kColon: return colon();
    case kMarkOf:
      ++at;
      while (at != end && class_of(*at) == kDigit) ++at;
      before = Before::kName;
      return true;
    case kMinus:
      if (end - at >= 2 && at[1] == '-') return false;  // a comment
      break;
    case kSlash:
      if (end - at >= 2 && at[1] == '*') return false;
      break;
    case kPlain: break;
    default: return false;
  }
  ++at;
  before = Before::kOperator;
  return true;
}

void Fingerprint::Scan::word() {
  const char* const begin = at;
  uint64_t code = 0;
  do code = (code << 8) | (static_cast<uint8_t>(*at++) | 0x20u);
  while (at != end && in_word(*at));
  const auto bytes = at - begin;
  before = Before::kName;
  if (bytes > 8) {
    if (bytes == 9 && code == fold("imestamp") && (*begin | 0x20) == 't') before = Before::kDated;
    return;
  }
  switch (code) {
    case fold("select"): case fold("from"): case fold("join"): case fold("left"): case fold("inner"): case fold("cross"):
    case fold("group"): case fold("having"): case fold("order"): case fold("limit"): case fold("offset"):
      extract = false;
      break;
    case fold("where"): case fold("on"): case fold("set"): case fold("values"):
      extract = true;
      before = Before::kOperator;
      break;
    case fold("and"): case fold("or"): case fold("not"): case fold("in"): case fold("is"): case fold("like"): case fold("ilike"):
    case fold("between"): case fold("case"): case fold("when"): case fold("then"): case fold("else"):
      before = Before::kOperator;
      break;
    case fold("date"): before = Before::kDated; break;
    case fold("escape"): before = Before::kEscape; break;
    default: break;
  }
}

// A parenthesis behind a name holds arguments: what is in it stays in the key.
bool Fingerprint::Scan::open() {
  if (depth == 64) return false;
  frames = (frames << 1) | static_cast<uint64_t>(extract);
  ++depth;
  if (before != Before::kOperator) extract = false;
  before = Before::kOperator;
  ++at;
  return true;
}

bool Fingerprint::Scan::close() {
  if (depth == 0) return false;
  --depth;
  extract = (frames & 1) != 0;
  frames >>= 1;
  before = Before::kName;
  ++at;
  return true;
}

bool Fingerprint::Scan::colon() {
  if (end - at >= 2 && at[1] == ':') {
    at += 2;
  } else {
    ++at;
    while (at != end && in_word(*at) && *at != '$') ++at;
  }
  before = Before::kName;
  return true;
}

bool Fingerprint::Scan::quoted_name() {
  const char* const begin = at++;
  while (at != end && *at != '"') {
    if (static_cast<uint8_t>(*at++) < 0x20) return false;
  }
  if (at == end) return false;
  ++at;
  before = Before::kName;
  return at - begin > 2;
}

void Fingerprint::Scan::take(ExtractedLiteral literal, const char* begin, const char* literal_end, LiteralKind kind) {
  out.key.append(kept_from, static_cast<size_t>(begin - kept_from));
  char mark[4] = {kMark, 's', '\0', '\0'};
  size_t mark_bytes = 2;
  if (kind == LiteralKind::kInteger) mark[1] = 'i';
  if (kind == LiteralKind::kDouble) mark[1] = 'f';
  if (kind == LiteralKind::kDecimal) {
    mark[1] = 'd';
    mark[2] = static_cast<char>(literal.slot.precision);
    mark[3] = static_cast<char>(literal.slot.scale);
    mark_bytes = 4;
  }
  out.key.append(mark, mark_bytes);
  kept_from = literal_end;
  literal.slot.kind = kind;
  literal.slot.span = {static_cast<uint32_t>(begin - text), static_cast<uint32_t>(literal_end - text)};
  out.literals.push_back(literal);
}

bool Fingerprint::Scan::number() {
  const char* const begin = at;
  NumberShape shape;
  at = scan_number(begin, end, shape);
  if (at != end && in_word(*at) && *at != '$') return false;
  const bool wanted = extract && before != Before::kEscape;
  before = Before::kName;
  if (!wanted) return true;
  if (out.literals.size() == kLiteralsMax) return false;
  const std::string_view digits(begin, static_cast<size_t>(at - begin));
  ExtractedLiteral literal;
  if (shape.kind == LiteralKind::kInteger) {
    uint64_t magnitude = 0;
    if (!parse_unsigned(digits, magnitude) || magnitude > INT64_MAX) return true;  // stays in the key
    literal.integer = static_cast<int64_t>(magnitude);
  } else if (shape.kind == LiteralKind::kDecimal) {
    const uint32_t precision = decimal_precision(shape);
    if (precision > kDecimalDigitsMax) return false;
    literal.slot.precision = static_cast<uint8_t>(precision);
    literal.slot.scale = static_cast<uint8_t>(shape.scale);
    literal.decimal = parse_digits(digits);
  } else if (!parse_double(digits, literal.number)) {
    return false;
  }
  take(literal, begin, at, shape.kind);
  return true;
}

bool Fingerprint::Scan::string() {
  const char* const begin = at;
  bool doubled = false;
  for (++at;; ++at) {
    at = static_cast<const char*>(std::memchr(at, '\'', static_cast<size_t>(end - at)));
    if (at == nullptr) return false;
    if (++at == end || *at != '\'') break;
    doubled = true;
  }
  const Before in_front = before;
  before = Before::kName;
  const std::string_view inner(begin + 1, static_cast<size_t>(at - begin) - 2);
  if (!extract || in_front == Before::kEscape) {
    return std::none_of(inner.begin(), inner.end(), [](char c) { return static_cast<uint8_t>(c) < 0x20; });
  }
  if (out.literals.size() == kLiteralsMax) return false;
  if (utf8_invalid_at(inner) != std::string_view::npos || std::memchr(inner.data(), 0, inner.size()) != nullptr) return false;
  ExtractedLiteral literal;
  literal.text = inner;
  if (doubled) {
    // Reserved up front, so that views of earlier strings stay good.
    if (out.decoded_.capacity() < kTextBytesMax) out.decoded_.reserve(kTextBytesMax);
    if (out.decoded_.size() + inner.size() > out.decoded_.capacity()) return false;
    const size_t from = out.decoded_.size();
    for (size_t i = 0; i < inner.size(); ++i) {
      out.decoded_ += inner[i];
      if (inner[i] == '\'') ++i;
    }
    literal.text = {out.decoded_.data() + from, out.decoded_.size() - from};
  }
  LiteralKind kind = LiteralKind::kString;
  if (in_front == Before::kDated) kind = (token_end[-1] | 0x20) == 'p' ? LiteralKind::kTimestamp : LiteralKind::kDate;
  take(literal, begin, at, kind);
  return true;
}

bool Fingerprint::scan(std::string_view source, size_t start) {
  key.clear();
  literals.clear();
  decoded_.clear();
  start = std::min(start, source.size());
  Scan scan{*this, source.data(), source.data() + start, source.data() + source.size(), source.data() + start, source.data() + start};
  begin_offset = end_offset = start;
  cacheable = source.size() <= kSqlBytesMax && scan.run();
  hash = cacheable ? hash_of(key) : 0;
  return cacheable;
}

List<LiteralSlot> Fingerprint::slots(Arena& arena) const {
  std::vector<LiteralSlot> made;
  made.reserve(literals.size());
  for (const ExtractedLiteral& literal : literals) made.push_back(literal.slot);
  return arena.copy(made);
}

int64_t remap_position(int64_t position, size_t made_begin, const std::vector<Span>& made, size_t now_begin,
                       const std::vector<ExtractedLiteral>& now) {
  if (position < static_cast<int64_t>(made_begin)) return position;
  const auto behind = std::upper_bound(made.begin(), made.end(), position, [](int64_t p, const Span& span) { return p < span.begin; });
  if (behind == made.begin()) return position - static_cast<int64_t>(made_begin) + static_cast<int64_t>(now_begin);
  const size_t i = static_cast<size_t>(behind - made.begin()) - 1;
  const Span from = made[i];
  const Span to = now[i].slot.span;
  if (position >= from.end) return position - from.end + to.end;
  return std::min<int64_t>(to.begin + (position - from.begin), to.end - 1);
}

}  // namespace hdb::sql
