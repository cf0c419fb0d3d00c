// engine/statement_cache.h: parsed and planned statements, kept by the shape of their text.
//
// What:       Compiled is a statement's tree and plan with all that says when it may run again. StatementCache keeps the last kEntriesMax of a
//             connection by fingerprint (sql/fingerprint.h); the one that was not used for longest goes first.
// Invariants: C11 a plan runs only for a snapshot that sees the catalog versions it was bound to (fits()). F1 equal keys have equal trees.
//             Q1 a Compiled never changes once it is shared; binding again makes another.
// Cost:       a hit: one hash look-up, no allocation.
// Callers:    engine/connection. One owner, not thread-safe.
// Held by:    src/engine/connection_test.cc
#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/arena.h"
#include "catalog/catalog.h"
#include "plan/logical.h"
#include "sql/parser.h"

namespace hdb {

struct Compiled {
  std::string text;                 // up to and with the statement's `;`, from offset 0 of the piece that it was made from
  Arena arena;
  sql::ParsedStatement parsed;
  bool literals_taken = false;      // parsed with literals as parameters
  size_t made_begin = 0;            // then: where the first word stands, and the literals' places, for errors (sql/fingerprint.h, 5)
  std::vector<sql::Span> made_spans;
  // A plan, for SELECT, INSERT, UPDATE, DELETE, TRUNCATE and what EXPLAIN explains.
  bool planned = false;
  Plan plan;
  ParameterTypes given;             // types that it was bound for; kNull: as the context has it
  uint64_t commit = 0, mark = 0;    // of the snapshot that it was bound at
  uint64_t routing = 0;             // Settings::routing()
};
using CompiledPtr = std::shared_ptr<const Compiled>;

// May this plan run for the snapshot? (Catalog G1.) Whether it is still well routed: still_fits() of plan/route.h.
inline bool sees_same_catalog(const Compiled& c, const Catalog& catalog, const Snapshot& snapshot) {
  const uint64_t change = catalog.last_change().load(std::memory_order_acquire);
  return c.commit >= change && snapshot.commit >= change && c.mark == catalog.mark(snapshot);
}

class StatementCache {
 public:
  static constexpr size_t kEntriesMax = 256;

  CompiledPtr find(std::string_view key, uint64_t hash);
  void put(std::string_view key, uint64_t hash, CompiledPtr compiled);  // replaces
  void clear();
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    uint64_t hash;
    CompiledPtr compiled;
  };
  struct Key {
    std::string_view text;
    uint64_t hash;
    bool operator==(const Key& o) const { return hash == o.hash && text == o.text; }
  };
  struct Hash {
    using is_avalanching = void;
    size_t operator()(const Key& k) const { return static_cast<size_t>(k.hash); }
  };
  std::list<Entry> entries_;  // used last comes first
  boost::unordered_flat_map<Key, std::list<Entry>::iterator, Hash> places_;
};

}  // namespace hdb
