// engine/settings.h: what SET changes and SHOW shows.
//
// What:       settings of a session (summary_mode, zone_sums, block_cells, limbs, indexes, threads) and of its database (memory_limit, column_cache, synchronous,
//             checkpoint_log, checkpoint_idle, turn_timeout).
// Invariants: T1 routing() is equal for two states iff every plan would be routed alike: a kept plan carries it.
// Errors:     42704 for an unknown name, 22023 for a bad value, with the positions given.
// Callers:    engine/connection. Session settings belong to their connection; those of the database are thread-safe.
// Held by:    src/engine/connection_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/route.h"

namespace hdb {

class Database;

struct SettingRow {
  std::string name, value, description;
};

class Settings {
 public:
  explicit Settings(Database& database);

  void set(std::string_view folded, std::string_view value, bool is_default, int64_t name_at, int64_t value_at);
  std::string get(std::string_view folded, int64_t name_at) const;
  std::vector<SettingRow> all() const;

  SummaryMode summary_mode() const { return summary_mode_; }
  uint32_t threads() const { return threads_; }
  RouteSettings route_settings() const;
  uint64_t routing() const {
    return static_cast<uint64_t>(summary_mode_) | uint64_t{zone_sums_} << 2 | uint64_t{block_cells_} << 3 | uint64_t{indexes_} << 4 |
           uint64_t{limbs_} << 5 | uint64_t{threads_} << 8;
  }

 private:
  void set_synchronous(std::string_view folded, std::string_view name, std::string_view value, int64_t value_at);

  Database* database_;
  SummaryMode summary_mode_ = SummaryMode::kAuto;
  bool zone_sums_ = true, block_cells_ = true, indexes_ = true, limbs_ = true;
  uint32_t threads_;
};

}  // namespace hdb
