// base/int128.h: the names of the compiler's 128-bit integers.
//
// What:       int128 and uint128, spelled so that -Wpedantic accepts them.
// Callers:    all layers.
// Held by:    the compiler
#pragma once

namespace hdb {
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
}  // namespace hdb
