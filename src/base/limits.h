// base/limits.h: every stated limit of the engine, in one place.
//
// What:       constants only. A limit is tested at its maximum and one past it (the test is named beside it).
// Callers:    all layers.
// Held by:    spec/limits.md, and the test of the file that enforces each
#pragma once

#include <cstddef>
#include <cstdint>

namespace hdb {

// Blocks: the unit of latch, zone map, pin and rewind (DESIGN.md: scans reach their limit from here up; 4,096 rows cost 2x).
inline constexpr uint32_t kBlockRows = 16384;
inline constexpr uint32_t kBlockWords = kBlockRows / 64;
inline constexpr uint32_t kSegmentBlocks = 8;           // a segment is 131,072 rows of one column
inline constexpr uint32_t kRunBlocks = 16;              // blocks whose cells are kept folded together: 2.5 runs a million rows
inline constexpr uint32_t kVectorRows = 2048;           // rows that pass through an operator at once; divides kBlockRows
inline constexpr uint32_t kDictionaryValuesMax = 65536; // distinct values a dictionary takes; then blocks use the string heap

inline constexpr size_t kSqlBytesMax = 16u << 20;       // text of one script or statement
inline constexpr uint32_t kTokensMax = 1u << 20;        // tokens of one statement
inline constexpr uint32_t kDepthMax = 200;              // nesting of expressions and parentheses
inline constexpr uint32_t kTreeHeightMax = 1000;        // height of an expression's tree: a chain of operators adds to it
inline constexpr uint32_t kParametersMax = 32767;       // parameters of one statement
inline constexpr uint32_t kColumnsMax = 1000;           // columns of a table or a result
inline constexpr uint32_t kKeyColumnsMax = 32;         // columns of a key, an index or a foreign key
inline constexpr uint32_t kNameBytesMax = 128;          // an identifier
inline constexpr uint32_t kTextBytesMax = 64u << 20;    // one text value
inline constexpr uint32_t kVarcharMax = 10'000'000;     // n of VARCHAR(n), in characters
inline constexpr uint32_t kJoinTablesMax = 64;
inline constexpr uint32_t kSummaryDimensionsMax = 12;
inline constexpr uint32_t kSummaryMeasuresMax = 16;
inline constexpr uint64_t kSummaryCellsMax = 16u << 20; // default of WITH (max_cells = N)
inline constexpr uint32_t kDecimalDigitsMax = 38;       // of an expression
inline constexpr uint32_t kDecimalColumnDigitsMax = 18; // of a stored column (64-bit storage)
inline constexpr uint64_t kTableRowsMax = uint64_t{1} << 36;

}  // namespace hdb
