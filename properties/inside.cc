#include "inside.h"

#include "engine/c_handles.h"
#include "store/table.h"

namespace judge::inside {

void set_run_blocks(uint32_t run_blocks) { hdb::Table::set_run_blocks(run_blocks == 0 ? hdb::kRunBlocks : run_blocks); }

bool has_numbers() { return true; }

uint64_t snapshot_of(holodb_conn* connection) {
  hdb::Transaction* transaction = connection->core->connection->transaction();
  return transaction == nullptr ? 0 : transaction->snapshot().commit;
}

std::function<uint64_t()> commit_of(holodb_conn* connection) {
  hdb::Transaction* transaction = connection->core->connection->transaction();
  if (transaction == nullptr || !transaction->writing()) return {};
  return [state = transaction->state()] { return state->commit.load(); };
}

}  // namespace judge::inside
