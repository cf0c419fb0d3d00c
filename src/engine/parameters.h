// engine/parameters.h: values of parameters as a plan wants them.
//
// What:       a plan is bound for certain types of its parameters. A value of another type is converted if it is exactly the same value there;
//             else the plan must be bound again for the types at hand.
// Invariants: M1 a conversion here never changes what a statement means: 1.555 for a DECIMAL(10,2) is not rounded, the plan is bound again.
//             M2 NULL fits every type (case 29: it binds nothing again).
// Callers:    engine/connection, engine/appender (text to a column). Pure.
// Held by:    src/engine/connection_test.cc, src/engine/c_api_test.cc
#pragma once

#include "sql/fingerprint.h"
#include "store/value.h"

namespace hdb {

enum class Fit : uint8_t { kAsIs, kConverted, kBindAgain };

// kConverted: *out holds the value. Throws 22001 (too long for VARCHAR(n)), 22007, 22008 (text for a DATE or TIMESTAMP).
Fit fit_parameter(const Value& value, const Type& type, Value* out);

void check_text(std::string_view text);          // 22021: not UTF-8, or a NUL byte; 54000: too long
Value decimal_value(std::string_view text);      // 22P02, 22003

// The value of a literal that the statement cache took out of a text.
void set_literal(const sql::ExtractedLiteral& literal, Value* out);

}  // namespace hdb
