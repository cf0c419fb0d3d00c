// oracle/slt/script.h: a sqllogictest file as a list of records, and what the engine's answer to one looks like in that notation.
//
// What:       parse() reads `statement ok|error`, `query TYPES [nosort|rowsort|valuesort] [label]`, `hash-threshold N`, `skipif`,
//             `onlyif` and (conditional) `halt` for one name of an engine; render() writes a reply as the format does: by the type
//             letter, not by the value's type (I truncates, R has three digits, T is text; NULL, (empty), @ for what cannot be
//             printed), sorted as the record asks.
// Invariants: L1 a record that the format does not know is an error of the file (std::runtime_error), never passed over.
//             L2 a query without a `----` block expects no rows.
// Callers:    oracle/slt. One thread.
// Held by:    oracle/slt/selftest.cc
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/peer.h"

namespace slt {

enum class Sort { kNone, kRows, kValues };
struct Record {
  enum class Kind { kOk, kError, kQuery } kind = Kind::kOk;
  int line = 0;  // of the file, from 1
  std::string sql;
  std::string types;  // of a query: a letter a column
  Sort sort = Sort::kNone;
  std::string label;                  // queries of one label have one result
  std::vector<std::string> expected;  // values, one each; or the single line "N values hashing to H"
  size_t hash_threshold = 0;          // the file's setting at this place; 0: values are always listed
};

// Throws std::runtime_error with the line.
std::vector<Record> parse(std::string_view text, std::string_view engine);

// The values in the order in which they are compared. Needs as many columns as types.
std::vector<std::string> render(const Record& record, const judge::Reply& reply);
std::string hashed(const std::vector<std::string>& values);  // "N values hashing to H"
// Is this the result that the record asks for?
bool matches(const Record& record, const std::vector<std::string>& values);

}  // namespace slt
