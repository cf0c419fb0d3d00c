// mutants/witness/disk.h: a database file on a simulated disk, for witnesses.
//
// What:       Session opens it, runs SQL and gives the rows of the last statement; rows() asks another disk.
// Callers:    mutants/witness/*.cc.
// Held by:    the witnesses
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "engine/database_file.h"
#include "engine/test_sql.h"
#include "io/simulated_files.h"
#include "log/log_format.h"

using hdb::Fault;
using hdb::SimulatedFiles;

inline std::shared_ptr<hdb::Database> open_on(SimulatedFiles& disk) {
  hdb::DatabaseOptions options;
  options.single_thread = true;
  return hdb::open_database(disk, "w.holodb", options);
}
// What a database on this disk says; an error's SQLSTATE if it does not open.
inline std::string rows(SimulatedFiles& disk, const char* sql) {
  try {
    return hdb::testing::Session(open_on(disk)).run(sql);
  } catch (const hdb::Error& e) {
    return std::string("error ") + e.sqlstate();
  }
}
inline const std::string kLogName = "w.holodb-log";
// The disk after a crash that lost everything which was not synced.
inline std::unique_ptr<SimulatedFiles> crashed(SimulatedFiles& disk) {
  std::unique_ptr<SimulatedFiles> first;
  disk.for_each_image(2, [&](std::unique_ptr<SimulatedFiles> image) { if (first == nullptr) first = std::move(image); });
  return first;
}
inline int right(const std::string& got, const std::string& wanted) {
  std::printf("%s\n", got.c_str());
  return got == wanted ? 0 : 1;
}
