// sql/fingerprint.h: the text of a statement as a key of the statement cache, its literals taken out.
//
// What:       one pass over the text, without parsing. The key is the text itself, byte for byte, in which each literal that may
//             become a parameter is replaced by a mark that tells its type; the literals' values stand in `literals`.
// Invariants: F1 two texts of one key parse to the same tree, parameters in the places of `literals`; so a plan made for one,
//                given the literals of the other, is what the other would have got.
//             F2 where a literal's value decides more than a value it stays in the key: in a SELECT list (it names a column), GROUP
//                BY, HAVING and ORDER BY (they are compared with the list; ordinals), LIMIT and OFFSET, the arguments of a function,
//                a cast and a type, behind ESCAPE. TRUE, FALSE, NULL and integers beyond a BIGINT stay as well.
//             F3 in doubt it declines (cacheable is false) and the statement is parsed as it is: comments, bytes below a blank,
//                invalid UTF-8, statements other than SELECT, INSERT, UPDATE and DELETE, very long ones. It raises no error.
// Cost:       about 100 to 200 ns for a short look-up; no allocation once its buffers have grown. Reuse one object.
//
// How engine/ uses it. For each statement's text:
//   1. fingerprint.scan(text, start). Not cacheable: parse_one(text, arena, {start}), as if there were no cache.
//   2. Look fingerprint.key (with fingerprint.hash) up in the cache, together with the catalog's version. Found: bind literal i
//      (from 0) to parameter parsed.parameter_count + 1 + i, run; the next statement begins at fingerprint.end_offset.
//      A kDate or kTimestamp comes as text: parse it as the binder does, errors at slot.span.
//   3. Not found: parse_one(text, arena, {start, slots}) with fingerprint.slots(arena). If literals_bound, plan it, keep
//      the plan under a copy of the key, bind as in 2. Otherwise parse and plan the plain form, and do not keep it.
//   4. If planning the form with parameters fails, its error is not shown: the plain form is parsed and planned, and what comes
//      of that counts. So a literal that the binder must see is never in the way.
//   5. Positions in a kept plan point into the text that it was made from. Keep that text's literal spans and `start` with the plan;
//      an error at run time is moved by remap_position() to the text at hand.
// Callers:    engine/ (statement_cache). One object a connection; not thread-safe.
// Held by:    src/sql/fingerprint_test.cc (F1 against the parser, on random statements)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/int128.h"
#include "sql/parser.h"

namespace hdb::sql {

// A literal that was taken out of the text.
struct ExtractedLiteral {
  LiteralSlot slot;       // kind, precision and scale of a DECIMAL, span of the token
  int64_t integer = 0;    // kInteger
  double number = 0;      // kDouble
  int128 decimal = 0;     // kDecimal: the unscaled value
  std::string_view text;  // kString, kDate, kTimestamp: decoded; lives as long as the text and the fingerprint do
};

class Fingerprint {
 public:
  static constexpr size_t kTextBytesMax = 32u << 10;
  static constexpr size_t kLiteralsMax = 2048;

  // Reads the statement at or behind `start`, up to its `;`. True if it is cacheable.
  bool scan(std::string_view text, size_t start = 0);

  bool cacheable = false;
  size_t begin_offset = 0;  // where the statement's first word begins
  size_t end_offset = 0;    // behind its `;`, or the end of the text
  uint64_t hash = 0;        // of key
  std::string key;
  std::vector<ExtractedLiteral> literals;  // in order of position

  List<LiteralSlot> slots(Arena& arena) const;

 private:
  struct Scan;
  std::string decoded_;  // strings that held doubled quotes
};

// Where `position` of the text that a plan was made from lies in another text of the same key. Both lists of spans come from
// the two texts' fingerprints; `begin_offset`s are those of the two statements.
int64_t remap_position(int64_t position, size_t made_begin, const std::vector<Span>& made, size_t now_begin,
                       const std::vector<ExtractedLiteral>& now);

}  // namespace hdb::sql
