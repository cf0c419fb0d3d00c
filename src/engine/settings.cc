#include "engine/settings.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "engine/checkpoint.h"
#include "engine/database.h"
#include "log/file_log.h"
#include "sql/number.h"

namespace hdb {

namespace {

constexpr uint32_t kTurnTimeoutDefault = 10'000;  // ms

bool parse_milliseconds(std::string_view value, uint64_t* ms) {
  return !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos && sql::parse_unsigned(value, *ms) && *ms <= INT32_MAX;
}

[[noreturn]] void bad_value(std::string_view name, std::string_view value, const char* wanted, int64_t at) {
  fail(sqlstate::kInvalidParameter, "the setting " + std::string(name) + " takes " + wanted + ", not '" + std::string(value) + "'", at);
}

bool on_off(std::string_view name, std::string_view value, int64_t at) {
  const std::string v = fold_name(value);
  if (v == "on" || v == "true" || v == "1" || v == "yes") return true;
  if (v == "off" || v == "false" || v == "0" || v == "no") return false;
  bad_value(name, value, "on or off", at);
}

// Digits, and perhaps a unit: "1000", "64MB", "2 GB".
bool parse_bytes(std::string_view value, uint64_t* bytes) {
  const size_t digits = std::min(value.find_first_not_of("0123456789"), value.size());
  if (digits == 0 || !sql::parse_unsigned(value.substr(0, digits), *bytes)) return false;
  std::string unit = fold_name(value.substr(digits));
  std::erase(unit, ' ');
  if (!unit.empty() && unit.back() == 'b') unit.pop_back();
  if (!unit.empty() && unit.back() == 'i') unit.pop_back();
  uint32_t shift = 0;
  if (unit == "k") shift = 10;
  else if (unit == "m") shift = 20;
  else if (unit == "g") shift = 30;
  else if (!unit.empty()) return false;
  if (*bytes > (UINT64_MAX >> shift)) return false;
  *bytes <<= shift;
  return *bytes > 0;
}

const char* mode_name(SummaryMode mode) {
  return mode == SummaryMode::kAuto ? "auto" : mode == SummaryMode::kOff ? "off" : "force";
}

}  // namespace

Settings::Settings(Database& database) : database_(&database), threads_(database.threads_default()) {}

void Settings::set(std::string_view name, std::string_view value, bool is_default, int64_t name_at, int64_t value_at) {
  if (name == "summary_mode") {
    const std::string v = is_default ? "auto" : fold_name(value);
    if (v == "auto") summary_mode_ = SummaryMode::kAuto;
    else if (v == "off") summary_mode_ = SummaryMode::kOff;
    else if (v == "force") summary_mode_ = SummaryMode::kForce;
    else bad_value(name, value, "auto, off or force", value_at);
  } else if (name == "zone_sums") {
    zone_sums_ = is_default || on_off(name, value, value_at);
  } else if (name == "block_cells") {
    block_cells_ = is_default || on_off(name, value, value_at);
  } else if (name == "indexes") {
    indexes_ = is_default || on_off(name, value, value_at);
  } else if (name == "limbs") {
    limbs_ = is_default || on_off(name, value, value_at);
  } else if (name == "threads") {
    uint64_t n = database_->threads_default();
    if (!is_default && (!sql::parse_unsigned(value, n) || n == 0 || n > database_->pool().threads_max()))
      bad_value(name, value, ("a number from 1 to " + std::to_string(database_->pool().threads_max())).c_str(), value_at);
    threads_ = static_cast<uint32_t>(n);
  } else if (name == "memory_limit") {
    uint64_t bytes = UINT64_MAX;
    if (!is_default && fold_name(value) != "unlimited" && !parse_bytes(value, &bytes))
      bad_value(name, value, "a number of bytes such as 1000000 or '64MB', or 'unlimited'", value_at);
    database_->budget().set_limit(bytes);
    if (database_->columns() != nullptr) database_->columns()->make_room(0);
  } else if (name == "column_cache") {
    uint64_t bytes = UINT64_MAX;
    if (!is_default && fold_name(value) != "unlimited" && value != "0" && !parse_bytes(value, &bytes))
      bad_value(name, value, "a number of bytes such as 1000000 or '64MB', or 'unlimited'", value_at);
    if (!is_default && value == "0") bytes = 0;
    if (database_->columns() != nullptr) database_->columns()->set_limit(bytes);  // in a memory database every column is everywhere it can be
  } else if (name == "synchronous") {
    set_synchronous(is_default ? "full" : fold_name(value), name, value, value_at);
  } else if (name == "checkpoint_log") {
    uint64_t bytes = Checkpointer::kLogBytesDefault;
    if (!is_default && fold_name(value) == "off") bytes = UINT64_MAX;
    else if (!is_default && !parse_bytes(value, &bytes)) bad_value(name, value, "a number of bytes such as 1000000 or '64MB', or off", value_at);
    if (database_->file_log() == nullptr)
      fail(sqlstate::kFeature, "this database writes no log: checkpoint_log is a setting of a database file that is open to write", value_at);
    database_->checkpointer()->set_limit(bytes);
  } else if (name == "checkpoint_idle") {
    uint64_t ms = Checkpointer::kIdleDefault;
    if (!is_default && fold_name(value) == "off") ms = 0;
    else if (!is_default && (!parse_milliseconds(value, &ms) || ms == 0)) bad_value(name, value, "a number of milliseconds, or off", value_at);
    if (database_->file_log() == nullptr)
      fail(sqlstate::kFeature, "this database writes no log: checkpoint_idle is a setting of a database file that is open to write", value_at);
    database_->checkpointer()->set_idle_ms(ms);
  } else if (name == "turn_timeout") {
    uint64_t ms = kTurnTimeoutDefault;
    if (!is_default && !parse_milliseconds(value, &ms)) bad_value(name, value, "a number of milliseconds", value_at);
    database_->set_turn_timeout_ms(static_cast<uint32_t>(ms));
  } else {
    fail(sqlstate::kUndefinedObject, "there is no setting \"" + std::string(name) + "\" (SHOW ALL lists them)", name_at);
  }
}

namespace {
constexpr const char* kSynchronous[] = {"full", "normal", "off"};
}

void Settings::set_synchronous(std::string_view folded, std::string_view name, std::string_view value, int64_t value_at) {
  const auto at = std::find(std::begin(kSynchronous), std::end(kSynchronous), folded);
  if (at == std::end(kSynchronous)) bad_value(name, value, "full, normal or off", value_at);
  FileLog* log = database_->file_log();
  if (log == nullptr) fail(sqlstate::kFeature, "this database writes no log: synchronous is a setting of a database file that is open to write", value_at);
  // No commit is under way while the mode changes.
  Transaction turn(database_->manager());
  turn.begin_write();
  log->set_synchronous(static_cast<Synchronous>(at - std::begin(kSynchronous)));
}

std::vector<SettingRow> Settings::all() const {
  const auto on = [](bool b) { return std::string(b ? "on" : "off"); };
  const uint64_t limit = database_->budget().limit(), cache = database_->columns() == nullptr ? UINT64_MAX : database_->columns()->limit();
  return {
      {"block_cells", on(block_cells_), "may queries keep and use cells of a block"},
      {"checkpoint_idle", database_->file_log() == nullptr || database_->checkpointer()->idle_ms() == 0 ? "off" : std::to_string(database_->checkpointer()->idle_ms()),
       "milliseconds without a commit after which a checkpoint is made"},
      {"checkpoint_log", database_->file_log() == nullptr || database_->checkpointer()->limit() == UINT64_MAX ? "off" : std::to_string(database_->checkpointer()->limit()),
       "bytes of log from which a commit makes a checkpoint"},
      {"column_cache", cache == UINT64_MAX ? "unlimited" : std::to_string(cache), "bytes of block columns that stay in memory although they are in the file and nobody uses them"},
      {"indexes", on(indexes_), "may queries look rows up by a key"},
      {"limbs", on(limbs_), "may queries keep and use limbs: cells by a key, from first use"},
      {"memory_limit", limit == UINT64_MAX ? "unlimited" : std::to_string(limit), "bytes that the database may use"},
      {"summary_mode", mode_name(summary_mode_), "auto: summaries where they pay; off: never; force: or an error"},
      {"synchronous", database_->file_log() == nullptr ? "off" : kSynchronous[static_cast<size_t>(database_->file_log()->synchronous())],
       "a commit returns when it is synced (full), written (normal: synced now and then; off: at the end)"},
      {"threads", std::to_string(threads_), "threads that a statement of this session may use"},
      {"turn_timeout", std::to_string(database_->turn_timeout_ms()), "milliseconds to wait for the right to write"},
      {"zone_sums", on(zone_sums_), "may queries use the sums of whole blocks"},
  };
}

std::string Settings::get(std::string_view name, int64_t name_at) const {
  for (SettingRow& row : all()) {
    if (row.name == name) return std::move(row.value);
  }
  fail(sqlstate::kUndefinedObject, "there is no setting \"" + std::string(name) + "\" (SHOW ALL lists them)", name_at);
}

RouteSettings Settings::route_settings() const {
  RouteSettings r;
  r.summary_mode = summary_mode_;
  r.zone_sums = zone_sums_;
  r.block_cells = block_cells_;
  r.indexes = indexes_;
  r.limbs = limbs_;
  return r;
}

}  // namespace hdb
