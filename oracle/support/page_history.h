// oracle/support/page_history.h: a random history of the page store on a disk that fails, rots and crashes, judged by maps of bytes.
//
// What:       rounds: the store is opened, everything in it is compared, objects are stored, roots kept, dropped and restored, and the round ends with
//             a crash, a failed call or nothing. Between rounds a page of some stripe, or the newest root, may be spoilt.
// Invariants: H7 after every opening the store is what the last commit that returned made it, or the one in flight; so are its kept roots.
//             H8 a spoilt page changes nothing that can be read; a spoilt root leaves the state of the commit before.
//             H9 a step that failed has changed nothing, then; it may be there after the next opening only if its root was being written.
// Callers:    oracle/, properties/, fuzz/. One thread.
// Held by:    the mutation gate (mutants of pages)
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "compare.h"
#include "history.h"
#include "io/simulated_files.h"
#include "model/random.h"
#include "pages/page_store.h"

namespace judge {

class PageHistory {
 public:
  PageHistory(model::Random& random, Tally& tally);
  void run();  // throws Failure

 private:
  using Objects = std::map<uint32_t, std::string>;
  struct State {
    Objects objects;
    std::map<std::string, Objects> kept;
    bool operator==(const State&) const = default;
  };
  void open();
  void close();
  void compare(const State& want, const char* when);
  Objects read(const std::string& payload);
  State read_all();
  void step();
  void put();
  bool attempt(const State& after, const std::function<void()>& change);
  void end_round();
  void spoil();
  [[noreturn]] void wrong(const std::string& text);

  model::Random& random_;
  Tally& tally_;
  hdb::PageOptions options_;
  std::unique_ptr<hdb::SimulatedFiles> disk_;
  std::unique_ptr<hdb::File> file_;
  std::unique_ptr<hdb::PageStore> store_;
  State now_;
  std::map<uint64_t, State> made_;   // by generation
  uint64_t generation_ = 0;          // of now_
  bool in_flight_ = false;           // generation_ + 1 may be there when it is opened again
  bool root_spoilt_ = false;         // generation_ is lost
  bool before_there_ = false;        // generation_ - 1 is whole in the other slot
  bool stopped_ = false, spoilt_ = false;
  int failures_ = 0;                 // of steps since it was opened
};

// A case of a suite.
inline void run_page_history(model::Random& random, Tally& tally) { PageHistory(random, tally).run(); }

}  // namespace judge
