// oracle/support/peer.h: the engine as a judge sees it: SQL goes in, text and types come out.
//
// What:       an interface, so that the judges and the histories compile and run without the engine (oracle/model_selftest).
// Callers:    oracle/, properties/, fuzz/. A peer belongs to one thread.
// Held by:    oracle/support/engine.h implements it over the C ABI
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/tree.h"

namespace judge {

struct Cell {
  bool null = true;
  std::string text;
};
struct Reply {
  bool ok = true;
  std::string state, message;  // of an error
  std::vector<model::Type> types;
  std::vector<std::vector<Cell>> rows;
  int64_t changes = 0;
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual Reply run(const std::string& sql) = 0;
  virtual Reply append(const model::TableDef& table, const std::vector<model::Row>& rows) = 0;
};

class PeerSource {
 public:
  virtual ~PeerSource() = default;
  virtual std::unique_ptr<Peer> connect() = 0;
};

// What a suite reports: kind is wrong-result or self-check (mutants/README.md).
struct Failure {
  std::string kind, text;
};

}  // namespace judge
