// sql/precedence.h: how tightly each operator binds; the parser and the printer read the same table.
//
// What:       levels from loose to tight, as PostgreSQL has them. Operators of one level group from the left.
// Callers:    sql/ only.
// Held by:    spec/grammar.ebnf, src/sql/printer_test.cc (parse(print(t)) equals t)
#pragma once

namespace hdb::sql {
inline constexpr int kLevelOr = 1;
inline constexpr int kLevelAnd = 2;
inline constexpr int kLevelNot = 3;      // prefix
inline constexpr int kLevelIs = 4;       // IS NULL, IS TRUE, IS DISTINCT FROM
inline constexpr int kLevelCompare = 5;  // = <> < <= > >=
inline constexpr int kLevelMatch = 6;    // IN, BETWEEN, LIKE
inline constexpr int kLevelConcat = 7;   // ||
inline constexpr int kLevelSum = 8;      // + -
inline constexpr int kLevelProduct = 9;  // * / %
inline constexpr int kLevelUnary = 10;   // prefix + -
inline constexpr int kLevelCast = 11;    // ::
inline constexpr int kLevelPrimary = 12;
}  // namespace hdb::sql
