// engine/checkpoint_objects.h: where the objects of a checkpoint go to and come from.
//
// What:       an object is some bytes under a reference. Sinks and sources are the page store's (engine/checkpoint), or a test's.
// Invariants: O1 read(add(bytes)) is the bytes. O2 a reference with where == 0 is none.
// Callers:    engine/checkpoint_*. read: any thread. add and keep: one.
// Held by:    src/engine/checkpoint_state_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pages/page_format.h"

namespace hdb {

class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  virtual std::string read(const ObjectRef& ref) = 0;
};

class ObjectSink : public ObjectSource {
 public:
  virtual ObjectRef add(std::string_view bytes) = 0;
  // An object of the last state that this one has, too: it may be given a new place.
  virtual ObjectRef keep(const ObjectRef& ref) { return ref; }
};

}  // namespace hdb
