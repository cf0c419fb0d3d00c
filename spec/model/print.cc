#include "print.h"

#include <charconv>
#include <limits>

namespace model {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string power_text(int scale) { return power_of_ten(scale).str(); }

const char* operator_text(Op op) {
  switch (op) {
    case Op::kAdd:
      return " + ";
    case Op::kSubtract:
      return " - ";
    case Op::kMultiply:
      return " * ";
    case Op::kDivide:
      return " / ";
    case Op::kModulo:
      return " % ";
    case Op::kEq:
      return " = ";
    case Op::kNe:
      return " <> ";
    case Op::kLt:
      return " < ";
    case Op::kLe:
      return " <= ";
    case Op::kGt:
      return " > ";
    case Op::kGe:
      return " >= ";
    case Op::kAnd:
      return " AND ";
    case Op::kOr:
      return " OR ";
    case Op::kLike:
      return " LIKE ";
    case Op::kNotLike:
      return " NOT LIKE ";
    default:
      return " ? ";
  }
}

class Printer {
 public:
  Printer(const std::vector<Relation>* from, Dialect dialect) : from_(from), dialect_(dialect) {}
  explicit Printer(const TableDef* table, Dialect dialect) : table_(table), dialect_(dialect) {}

  std::string text(const Expr& e) const {
    switch (e.op) {
      case Op::kLiteral: {
        const std::string t = print_literal(e.literal, e.type, dialect_);
        return t[0] == '-' ? "(" + t + ")" : t;
      }
      case Op::kColumn:
        return column(e);
      case Op::kNegate:
        return "(-" + text(*e.kids[0]) + ")";
      case Op::kNot:
        return "(NOT " + text(*e.kids[0]) + ")";
      case Op::kIsNull:
        return "(" + text(*e.kids[0]) + " IS NULL)";
      case Op::kIsNotNull:
        return "(" + text(*e.kids[0]) + " IS NOT NULL)";
      case Op::kIn:
      case Op::kNotIn: {
        const int scale = widest(e);
        return "(" + scaled(*e.kids[0], scale) + (e.op == Op::kIn ? " IN (" : " NOT IN (") + list(e, 1, scale) + "))";
      }
      case Op::kBetween: {
        const int scale = widest(e);
        return "(" + scaled(*e.kids[0], scale) + " BETWEEN " + scaled(*e.kids[1], scale) + " AND " + scaled(*e.kids[2], scale) + ")";
      }
      case Op::kCase:
        return case_text(e);
      case Op::kCoalesce:
        return "COALESCE(" + list(e, 0, e.type.scale) + ")";
      case Op::kNullIf:
        return "NULLIF(" + text(*e.kids[0]) + ", " + text(*e.kids[1]) + ")";
      case Op::kCast:
        return cast_text(e);
      case Op::kAggregate:
        return aggregate_text(e);
      default:
        break;
    }
    const bool plain = e.op == Op::kMultiply || e.op == Op::kAnd || e.op == Op::kOr;
    const int scale = plain ? -1 : widest(e);
    return "(" + scaled(*e.kids[0], scale) + operator_text(e.op) + scaled(*e.kids[1], scale) + ")";
  }

 private:
  std::string column(const Expr& e) const {
    if (table_ != nullptr) return table_->columns[static_cast<size_t>(e.column)].name;
    const Relation& r = (*from_)[static_cast<size_t>(e.relation)];
    const std::string& name = r.table->columns[static_cast<size_t>(e.column)].name;
    return from_->size() == 1 ? name : r.alias + "." + name;
  }

  int widest(const Expr& e) const {
    int scale = 0;
    for (const ExprPtr& kid : e.kids) scale = std::max(scale, kid->type.scale);
    return scale;
  }

  // For SQLite, a DECIMAL of less scale than its neighbour is brought to the same power of ten.
  std::string scaled(const Expr& e, int scale) const {
    const bool exact = e.type.kind == Kind::kDec || e.type.kind == Kind::kInt;
    if (dialect_ == Dialect::kHolo || !exact || scale <= e.type.scale) return text(e);
    return "(" + text(e) + " * " + power_text(scale - e.type.scale) + ")";
  }

  std::string list(const Expr& e, size_t first, int scale) const {
    std::string out;
    for (size_t i = first; i < e.kids.size(); ++i) out += (i > first ? ", " : "") + scaled(*e.kids[i], scale);
    return out;
  }

  std::string case_text(const Expr& e) const {
    std::string out = "CASE";
    for (size_t i = 0; i + 1 < e.kids.size(); i += 2) {
      out += " WHEN " + text(*e.kids[i]) + " THEN " + scaled(*e.kids[i + 1], e.type.scale);
    }
    return out + " ELSE " + scaled(*e.kids.back(), e.type.scale) + " END";
  }

  std::string cast_text(const Expr& e) const {
    const std::string inner = text(*e.kids[0]);
    if (dialect_ == Dialect::kHolo) return "CAST(" + inner + " AS " + type_name(e.type) + ")";
    const Type& from = e.kids[0]->type;
    if (e.type.kind == Kind::kDec) return "(" + inner + " * " + power_text(e.type.scale - from.scale) + ")";
    if (e.type.kind == Kind::kInt) return "(" + inner + " / " + power_text(from.scale) + ")";
    return "CAST(" + inner + " AS " + (e.type.kind == Kind::kDbl ? "REAL" : "TEXT") + ")";
  }

  std::string aggregate_text(const Expr& e) const {
    if (e.fn == Fn::kCountStar) return "COUNT(*)";
    const std::string inner = text(*e.kids[0]);
    const Kind kind = e.kids[0]->type.kind;
    const bool holo = dialect_ == Dialect::kHolo;
    switch (e.fn) {
      case Fn::kCount:
        return "COUNT(" + inner + ")";
      case Fn::kCountDistinct:
        return "COUNT(DISTINCT " + inner + ")";
      case Fn::kSum:
        return (holo ? "SUM(" : kind == Kind::kDbl ? "exact_real_sum(" : "exact_sum(") + inner + ")";
      case Fn::kSumExact:
        return (holo ? "sum_exact(" : "exact_sum(") + inner + ")";
      case Fn::kAvg:
        return (holo ? "AVG(" : kind == Kind::kDbl ? "exact_real_avg(" : kind == Kind::kDec ? "exact_dec_avg(" : "exact_avg(") + inner + ")";
      case Fn::kMin:
        return "MIN(" + inner + ")";
      default:
        return "MAX(" + inner + ")";
    }
  }

  const std::vector<Relation>* from_ = nullptr;
  const TableDef* table_ = nullptr;
  Dialect dialect_;
};

std::string print_create(const TableDef& t, Dialect dialect) {
  std::string out = "CREATE TABLE " + t.name + "(";
  for (size_t i = 0; i < t.columns.size(); ++i) {
    const Column& c = t.columns[i];
    std::string type = type_name(c.type);
    if (dialect == Dialect::kSqlite) {
      type = c.type.kind == Kind::kDbl ? "REAL" : c.type.kind == Kind::kText || c.type.kind == Kind::kDate ? "TEXT" : "INTEGER";
    }
    out += (i > 0 ? ", " : "") + c.name + " " + type;
    if (c.primary) out += " PRIMARY KEY";
    if (c.not_null && !c.primary) out += " NOT NULL";
    if (c.unique) out += " UNIQUE";
    if (!c.references.empty()) out += " REFERENCES " + c.references;
  }
  return out + ")";
}

std::string print_summary(const SummaryDef& s, const TableDef& t) {
  const auto names = [&t](const std::vector<int>& columns) {
    std::string out;
    for (int c : columns) out += (out.empty() ? "" : ", ") + t.columns[static_cast<size_t>(c)].name;
    return out;
  };
  std::string out = "CREATE INDEX " + s.name + " ON " + s.table + " USING SUMMARY (" + names(s.dimensions) + ")";
  return s.measures.empty() ? out : out + " INCLUDE (" + names(s.measures) + ")";
}

std::string print_insert(const Statement& s, Dialect dialect) {
  std::string out = "INSERT INTO " + s.name;
  if (s.act == Act::kInsertSelect) return out + " " + print(s.query, dialect);
  out += " VALUES ";
  for (size_t r = 0; r < s.rows.size(); ++r) {
    out += r > 0 ? ", (" : "(";
    for (size_t c = 0; c < s.rows[r].size(); ++c) {
      out += (c > 0 ? ", " : "") + print_literal(s.rows[r][c], s.table->columns[c].type, dialect);
    }
    out += ")";
  }
  return out;
}

bool expressible(const Expr& e) {
  if (e.op == Op::kDivide && e.type.kind == Kind::kDec) return false;
  if (e.op == Op::kModulo && e.type.kind == Kind::kDbl) return false;
  if (e.op == Op::kCast && e.kids[0]->type.kind != Kind::kInt && e.type.kind != Kind::kInt) return false;
  if (e.op == Op::kCast && e.kids[0]->type.kind == Kind::kDbl) return false;
  if (e.op == Op::kNullIf && e.kids[0]->type.scale != e.kids[1]->type.scale) return false;
  bool real = false, exact = false;
  for (const ExprPtr& kid : e.kids) {
    if (!expressible(*kid)) return false;
    real |= kid->type.kind == Kind::kDbl;
    exact |= kid->type.kind == Kind::kDec;
  }
  return !(real && exact);
}

}  // namespace

std::string print_literal(const Value& value, const Type& type, Dialect dialect) {
  switch (value.kind) {
    case Kind::kNull:
      return "NULL";
    case Kind::kBool:
      return value.n != 0 ? "TRUE" : "FALSE";
    case Kind::kInt:
      if (value.n == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807 - 1)";
      return to_text(value);
    case Kind::kDec:
      return dialect == Dialect::kSqlite ? to_big(value.n).str() : to_text(value);
    case Kind::kDbl: {
      if (value.d - value.d != 0) return "CAST('" + to_text(value) + "' AS DOUBLE)";
      char buffer[64];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, value.d, std::chars_format::scientific);
      return std::string(buffer, end.ptr);
    }
    case Kind::kText:
      return quoted(value.s);
    case Kind::kDate:
      return (dialect == Dialect::kSqlite ? "" : "DATE ") + quoted(to_text(value));
  }
  return type_name(type);
}

std::string print(const Query& q, Dialect dialect) {
  const Printer p(&q.from, dialect);
  std::string out = q.distinct ? "SELECT DISTINCT " : "SELECT ";
  for (size_t i = 0; i < q.outputs.size(); ++i) {
    out += (i > 0 ? ", " : "") + p.text(*q.outputs[i]) + " AS c" + std::to_string(i);
  }
  for (size_t i = 0; i < q.from.size(); ++i) {
    const Relation& r = q.from[i];
    const char* join = r.join == JoinKind::kFirst   ? " FROM "
                       : r.join == JoinKind::kInner ? " JOIN "
                       : r.join == JoinKind::kLeft  ? " LEFT JOIN "
                                                    : " CROSS JOIN ";
    out += join + r.table->name + (q.from.size() > 1 ? " " + r.alias : "");
    if (r.on) out += " ON " + p.text(*r.on);
  }
  if (q.where) out += " WHERE " + p.text(*q.where);
  for (size_t i = 0; i < q.group.size(); ++i) out += (i > 0 ? ", " : " GROUP BY ") + p.text(*q.group[i]);
  if (q.having) out += " HAVING " + p.text(*q.having);
  for (size_t i = 0; i < q.order.size(); ++i) {
    out += (i > 0 ? ", c" : " ORDER BY c") + std::to_string(q.order[i].output) + (q.order[i].descending ? " DESC" : "");
  }
  if (q.limit >= 0) out += " LIMIT " + std::to_string(q.limit);
  if (q.offset > 0) out += " OFFSET " + std::to_string(q.offset);
  return out;
}

std::string print(const Statement& s, Dialect dialect) {
  const Printer p(s.table.get(), dialect);
  switch (s.act) {
    case Act::kQuery:
      return print(s.query, dialect);
    case Act::kCreateTable:
      return print_create(*s.table, dialect);
    case Act::kDropTable:
      return "DROP TABLE " + s.name;
    case Act::kCreateSummary:
      return print_summary(s.summary, *s.table);
    case Act::kDropIndex:
      return "DROP INDEX " + s.name;
    case Act::kInsert:
    case Act::kInsertSelect:
      return print_insert(s, dialect);
    case Act::kUpdate: {
      std::string out = "UPDATE " + s.name + " SET ";
      for (size_t i = 0; i < s.settings.size(); ++i) {
        const auto& [column, value] = s.settings[i];
        out += (i > 0 ? ", " : "") + s.table->columns[static_cast<size_t>(column)].name + " = " + p.text(*value);
      }
      return s.where ? out + " WHERE " + p.text(*s.where) : out;
    }
    case Act::kDelete:
      return "DELETE FROM " + s.name + (s.where ? " WHERE " + p.text(*s.where) : "");
    case Act::kBegin:
      return "BEGIN";
    case Act::kCommit:
      return "COMMIT";
    case Act::kRollback:
      return "ROLLBACK";
    case Act::kSavepoint:
      return "SAVEPOINT " + s.name;
    case Act::kRollbackTo:
      return "ROLLBACK TO " + s.name;
    case Act::kRelease:
      return "RELEASE " + s.name;
  }
  return "";
}

bool expressible(const Query& q) {
  for (const ExprPtr& e : q.outputs) {
    if (!expressible(*e)) return false;
  }
  for (const ExprPtr& e : q.group) {
    if (!expressible(*e)) return false;
  }
  for (const Relation& r : q.from) {
    if (r.on && !expressible(*r.on)) return false;
  }
  return (!q.where || expressible(*q.where)) && (!q.having || expressible(*q.having));
}

bool expressible(const Statement& s) {
  for (const auto& setting : s.settings) {
    if (!expressible(*setting.second)) return false;
  }
  if (s.where && !expressible(*s.where)) return false;
  return (s.act != Act::kQuery && s.act != Act::kInsertSelect) || expressible(s.query);
}

}  // namespace model
