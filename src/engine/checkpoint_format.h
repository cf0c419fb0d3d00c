// engine/checkpoint_format.h: the bytes of a checkpoint's objects that are more than a list: definitions and cells (spec/format.md).
//
// Invariants: S1 read_definition(put_definition(d)) is d without its storage; decode_cells(encode_cells(c)) is c.
// Errors:     58030 for bytes that are not valid.
// Callers:    engine/checkpoint_write, checkpoint_load. One thread.
// Held by:    src/engine/checkpoint_state_test.cc
#pragma once

#include <memory>
#include <string>

#include "catalog/schema.h"
#include "engine/checkpoint_bytes.h"
#include "plane/cells.h"
#include "store/table.h"

namespace hdb {

inline constexpr uint32_t kStateMagic = 0x54534448;  // "HDST"
inline constexpr uint32_t kStateFormat = 1;
inline constexpr uint32_t kGroupBlocks = 64;         // heads in an object: those of a million rows
inline constexpr uint32_t kDictionaryChunk = 4096;   // codes in an object

void put_definition(ByteWriter& out, const TableDef& def);
std::shared_ptr<TableDef> read_definition(ByteReader& in);  // indexes have no key and no summary yet
std::string encode_cells(const CellBatch& cells);
// The dimensions' dictionaries are those of `table`.
CellBatch decode_cells(std::string_view bytes, const Table& table, const std::vector<uint32_t>& dimensions, size_t measures);

}  // namespace hdb
