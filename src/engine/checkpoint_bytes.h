// engine/checkpoint_bytes.h: numbers and texts into the bytes of a checkpoint's objects, and back.
//
// What:       ByteWriter appends, little-endian; ByteReader takes, and never looks beyond its bytes.
// Invariants: B1 what take() gives is what put() was given. B2 bytes that end too early, or that are left over, are an error and nothing else.
// Errors:     58030: "a checkpoint's object is not valid: ...".
// Callers:    engine/checkpoint_*. One thread.
// Held by:    src/engine/checkpoint_state_test.cc
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hdb {

[[noreturn]] inline void fail_object(const std::string& why) { fail(sqlstate::kIo, "an object of the checkpoint is not valid: " + why); }

class ByteWriter {
 public:
  template <class T>
  void put(T v) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  void put_bytes(const void* data, size_t bytes) { out_.append(static_cast<const char*>(data), bytes); }
  void put_text(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    out_.append(text);
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    put(static_cast<uint32_t>(values.size()));
    if (!values.empty()) put_bytes(values.data(), values.size() * sizeof(T));
  }
  std::string take() { return std::move(out_); }
  const std::string& bytes() const { return out_; }

 private:
  std::string out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T v;
    std::memcpy(&v, take_bytes(sizeof v).data(), sizeof v);
    return v;
  }
  std::string_view take_bytes(uint64_t bytes) {
    if (bytes_.size() - at_ < bytes) fail_object("it ends too early");
    const std::string_view taken = bytes_.substr(at_, bytes);
    at_ += bytes;
    return taken;
  }
  std::string_view take_text() { return take_bytes(take<uint32_t>()); }
  // How many of something follow, each of at least `each` bytes: never more than the bytes can hold.
  uint32_t take_count(size_t each) {
    const auto n = take<uint32_t>();
    if (uint64_t{n} * each > bytes_.size() - at_) fail_object("it says that it has more than it has");
    return n;
  }
  template <class T>
  std::vector<T> take_all() {
    std::vector<T> values(take_count(sizeof(T)));
    if (!values.empty()) std::memcpy(values.data(), take_bytes(values.size() * sizeof(T)).data(), values.size() * sizeof(T));
    return values;
  }
  void end() const {
    if (at_ != bytes_.size()) fail_object("there are bytes behind its end");
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace hdb
