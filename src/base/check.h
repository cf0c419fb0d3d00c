// base/check.h: assertions that stay on.
//
// What:       CHECK(cond) is O(1) and always on; it throws Error XX000 and never aborts the host. VERIFY(cond) is for O(n)
//             recounts and is on in debug and fuzz builds only (HOLODB_VERIFY).
// Invariants: K1 a failed CHECK on the write path poisons the database handle (engine/ catches XX000 there).
// Callers:    all layers. Thread-safe. Never for what a user can cause (base/error.h is for that).
// Held by:    src/base/base_test.cc
#pragma once

namespace hdb {
[[noreturn]] void check_failed(const char* file, int line, const char* condition);
}

#undef CHECK  // Catch2 has one too; in a test that sees this header CHECK is ours, and tests say REQUIRE
#define CHECK(condition) \
  (__builtin_expect(static_cast<bool>(condition), 1) ? static_cast<void>(0) : ::hdb::check_failed(__FILE__, __LINE__, #condition))

#ifdef HOLODB_VERIFY
#define VERIFY(condition) CHECK(condition)
#else
#define VERIFY(condition) static_cast<void>(0)
#endif
