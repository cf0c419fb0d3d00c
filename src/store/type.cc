#include "store/type.h"

namespace hdb {

std::string to_string(const Type& type) {
  switch (type.id) {
    case TypeId::kNull: return "NULL";
    case TypeId::kBoolean: return "BOOLEAN";
    case TypeId::kBigint: return "BIGINT";
    case TypeId::kDecimal: return "DECIMAL(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
    case TypeId::kDouble: return "DOUBLE";
    case TypeId::kText: return type.length == 0 ? "TEXT" : "VARCHAR(" + std::to_string(type.length) + ")";
    case TypeId::kDate: return "DATE";
    case TypeId::kTimestamp: return "TIMESTAMP";
  }
  return "?";
}

}  // namespace hdb
