#include "base/check.h"

#include <string>

#include "base/error.h"

namespace hdb {

void check_failed(const char* file, int line, const char* condition) {
  std::string_view name(file);
  if (const size_t at = name.rfind("src/"); at != std::string_view::npos) name.remove_prefix(at);
  fail(sqlstate::kInternal,
       "internal error: the check " + std::string(condition) + " failed at " + std::string(name) + ":" + std::to_string(line));
}

}  // namespace hdb
