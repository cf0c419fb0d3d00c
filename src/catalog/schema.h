// catalog/schema.h: what a table and an index are: immutable versions (C11).
//
// What:       definitions with shared pointers to the storage that they describe. A change of schema makes a new version.
// Invariants: C11 a version never changes after it is published; whoever holds it may use its storage for as long as it likes.
// Callers:    catalog/ builds them; plan/, exec/, engine/ read them. Thread-safe because immutable.
// Held by:    src/catalog/catalog_test.cc
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/type.h"
#include "store/value.h"

namespace hdb {

class Table;     // store/table.h
class KeyIndex;  // store/key_index.h
class Summary;   // plane/summary.h

enum class IndexKind : uint8_t { kPrimary, kUnique, kOrdered, kSummary };

struct ColumnDef {
  std::string name;    // as spelled
  std::string folded;  // lower case, for look-up
  Type type;
  bool not_null = false;
  bool has_default = false;
  Value default_value; // of the column's type
};

struct ForeignKeyDef {
  std::vector<uint32_t> columns;          // ordinals in this table
  uint64_t parent_table_id = 0;
  std::string parent_name;
  std::vector<uint32_t> parent_columns;   // ordinals in the parent, a key there
};

struct IndexDef {
  uint64_t id = 0;
  std::string name, folded;
  IndexKind kind = IndexKind::kUnique;
  uint64_t table_id = 0;
  std::vector<uint32_t> columns;          // key columns, or dimensions of a summary
  std::vector<uint32_t> measures;         // of a summary
  uint64_t max_cells = 0;                 // of a summary
  bool from_constraint = false;           // PRIMARY KEY or UNIQUE of CREATE TABLE: not droppable by DROP INDEX
  std::shared_ptr<KeyIndex> key;          // kPrimary, kUnique
  std::shared_ptr<Summary> summary;       // kSummary
};

struct TableDef {
  uint64_t id = 0;
  std::string name, folded;
  std::vector<ColumnDef> columns;
  std::vector<ForeignKeyDef> foreign_keys;                // of this table to others
  std::vector<std::shared_ptr<const IndexDef>> indexes;   // as of this version, in order of creation
  std::shared_ptr<Table> table;                           // storage, shared by all versions of the table
};

}  // namespace hdb
