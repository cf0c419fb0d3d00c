// The laws' questions about the engine's inside (properties/inside.h), where there is only a loaded library: it does not tell.
#include "properties/inside.h"

namespace judge::inside {

void set_run_blocks(uint32_t) {}
bool has_numbers() { return false; }
uint64_t snapshot_of(holodb_conn*) { return 0; }
std::function<uint64_t()> commit_of(holodb_conn*) { return {}; }

}  // namespace judge::inside
