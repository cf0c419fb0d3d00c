// sql/parser.h: the text of a statement to its tree.
//
// What:       parse_one() reads the first statement at or behind `start` and says where it ended; call it again from there for
//             the next one. All positions, in trees and in errors, are byte offsets into the whole `text`.
// Invariants: P1 a tree or an Error, whatever the bytes: recursion is bounded by kDepthMax, heights by kTreeHeightMax (T3).
//             P2 an Error has a position inside of the text or at its end. Codes: 42601, 0A000 (known SQL that is not built yet),
//                22021, 22003, 42704, 42P02, 54000, 54001, 53200 (the arena's limit).
//             P3 nothing behind the statement's `;` is read.
// Parameters: `?` is one more than the largest index so far, `?N` and `$N` are N, `:name` takes a new index at its first use.
// Callers:    engine/ (through its statement cache, sql/fingerprint.h), plan/ and catalog/ (parse_expression). Not thread-safe.
// Held by:    spec/grammar.ebnf, spec/errors.md, src/sql/parser_test.cc, fuzz/
#pragma once

#include <cstddef>
#include <string_view>

#include "base/arena.h"
#include "sql/tree.h"

namespace hdb::sql {

// A literal that the statement cache wants as a parameter (sql/fingerprint.h makes them).
struct LiteralSlot {
  LiteralKind kind = LiteralKind::kInteger;  // kInteger, kDecimal, kDouble, kString, kDate, kTimestamp
  uint8_t precision = 0;                     // kDecimal
  uint8_t scale = 0;
  Span span;                                 // of its token; for kDate and kTimestamp of the string behind the word
};

struct ParseOptions {
  size_t start = 0;
  List<LiteralSlot> literals;  // in order of position; each becomes a Parameter with from_literal set
};

struct ParsedStatement {
  const Statement* root = nullptr;  // null: there was no further statement
  size_t end_offset = 0;            // behind the `;`, or the end of the text
  uint32_t parameter_count = 0;     // the user's own; the i-th literal (from 0) is parameter parameter_count + 1 + i
  List<std::string_view> parameter_names;  // parameter_count of them, empty where a parameter has no name
  uint32_t literal_count = 0;       // literals that became parameters
  bool literals_bound = true;       // false: a literal stands where no expression is; this form must not be used or cached
};

ParsedStatement parse_one(std::string_view text, Arena& arena, const ParseOptions& options = {});

// The whole text as one expression: what the catalog keeps of DEFAULT as text.
const Expr* parse_expression(std::string_view text, Arena& arena);

}  // namespace hdb::sql
