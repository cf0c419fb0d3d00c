#include "plan/expression.h"

namespace hdb {
namespace {

bool equal_values(const Value& a, const Value& b) {
  if (a.null != b.null) return false;
  if (a.null) return true;
  switch (a.type.lane()) {
    case Lane::kDouble: return __builtin_memcmp(&a.real, &b.real, sizeof a.real) == 0;
    case Lane::kText: return a.text == b.text;
    default: return a.number == b.number;
  }
}

std::string_view operator_of(Function f) {
  switch (f) {
    case Function::kAdd: return " + ";
    case Function::kSubtract: return " - ";
    case Function::kMultiply: return " * ";
    case Function::kDivide: return " / ";
    case Function::kModulo: return " % ";
    case Function::kEqual: return " = ";
    case Function::kNotEqual: return " <> ";
    case Function::kLess: return " < ";
    case Function::kLessEqual: return " <= ";
    case Function::kGreater: return " > ";
    case Function::kGreaterEqual: return " >= ";
    case Function::kDistinctFrom: return " IS DISTINCT FROM ";
    case Function::kNotDistinctFrom: return " IS NOT DISTINCT FROM ";
    case Function::kConcat: return " || ";
    case Function::kLike: return " LIKE ";
    case Function::kILike: return " ILIKE ";
    default: return {};
  }
}

std::string_view test_of(Function f) {
  switch (f) {
    case Function::kIsNull: return " IS NULL";
    case Function::kIsNotNull: return " IS NOT NULL";
    case Function::kIsTrue: return " IS TRUE";
    case Function::kIsFalse: return " IS FALSE";
    case Function::kIsNotTrue: return " IS NOT TRUE";
    case Function::kIsNotFalse: return " IS NOT FALSE";
    default: return {};
  }
}

class Printer {
 public:
  explicit Printer(const std::vector<std::string>& names) : names_(names) {}
  std::string out;

  void print(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kConstant: constant(e.constant); break;
      case ExprKind::kParameter: out += '$' + std::to_string(e.parameter + 1); break;
      case ExprKind::kColumn: column(e.column); break;
      case ExprKind::kCall: call(e); break;
      case ExprKind::kCast:
        out += "CAST(";
        print(*e.args[0]);
        out += " AS " + to_string(e.type) + ")";
        break;
      case ExprKind::kAnd: joined(e, 0, " AND ", true); break;
      case ExprKind::kOr: joined(e, 0, " OR ", true); break;
      case ExprKind::kCase: case_of(e); break;
      case ExprKind::kCoalesce:
        out += "COALESCE(";
        joined(e, 0, ", ", false);
        out += ')';
        break;
      case ExprKind::kIn:
        operand(*e.args[0]);
        out += " IN (";
        joined(e, 1, ", ", false);
        out += ')';
        break;
    }
  }

 private:
  void column(ColumnId id) {
    if (id < names_.size() && !names_[id].empty()) {
      out += names_[id];
    } else {
      out += '#' + std::to_string(id);
    }
  }

  void constant(const Value& v) {
    if (v.null) {
      out += "NULL";
      return;
    }
    const std::string text = to_text(v);
    const bool quoted = v.type.id == TypeId::kText || v.type.id == TypeId::kDate || v.type.id == TypeId::kTimestamp;
    if (!quoted) {
      out += v.type.id == TypeId::kBoolean ? (v.number != 0 ? "TRUE" : "FALSE") : text;
      return;
    }
    out += '\'';
    for (const char c : text) {
      if (c == '\'') out += '\'';
      out += c;
    }
    out += '\'';
  }

  void operand(const Expr& e) {
    const bool leaf = e.kind == ExprKind::kConstant || e.kind == ExprKind::kParameter || e.kind == ExprKind::kColumn ||
                      e.kind == ExprKind::kCast || e.kind == ExprKind::kCoalesce || e.kind == ExprKind::kCase ||
                      (e.kind == ExprKind::kCall && operator_of(e.function).empty() && test_of(e.function).empty() &&
                       e.function != Function::kNot && e.function != Function::kNegate);
    if (!leaf) out += '(';
    print(e);
    if (!leaf) out += ')';
  }

  void joined(const Expr& e, size_t from, std::string_view separator, bool grouped) {
    constexpr size_t kShown = 20;  // of a long list
    for (size_t i = from; i < e.args.size(); ++i) {
      if (i > from) out += separator;
      if (i - from == kShown && e.args.size() - from > kShown + 1) {
        out += "... " + std::to_string(e.args.size() - i) + " more";
        return;
      }
      const bool logical = e.args[i]->kind == ExprKind::kOr || e.args[i]->kind == ExprKind::kAnd;
      if (grouped && logical) {
        operand(*e.args[i]);
      } else {
        print(*e.args[i]);
      }
    }
  }

  void call(const Expr& e) {
    if (const std::string_view test = test_of(e.function); !test.empty()) {
      operand(*e.args[0]);
      out += test;
    } else if (e.function == Function::kNot || e.function == Function::kNegate) {
      out += e.function == Function::kNot ? "NOT " : "-";
      operand(*e.args[0]);
    } else if (const std::string_view op = operator_of(e.function); !op.empty() && e.args.size() >= 2) {
      operand(*e.args[0]);
      out += op;
      operand(*e.args[1]);
      if (e.args.size() == 3) {
        out += " ESCAPE ";
        operand(*e.args[2]);
      }
    } else {
      out += name_of(e.function);
      out += '(';
      joined(e, 0, ", ", false);
      out += ')';
    }
  }

  void case_of(const Expr& e) {
    out += "CASE";
    for (size_t i = 0; i + 1 < e.args.size(); i += 2) {
      out += " WHEN ";
      print(*e.args[i]);
      out += " THEN ";
      print(*e.args[i + 1]);
    }
    out += " ELSE ";
    print(*e.args.back());
    out += " END";
  }

  const std::vector<std::string>& names_;
};

}  // namespace

bool equal(const Expr& a, const Expr& b) {
  if (&a == &b) return true;
  if (a.hash != b.hash || a.kind != b.kind || !(a.type == b.type) || a.args.size() != b.args.size()) return false;
  switch (a.kind) {
    case ExprKind::kConstant: return equal_values(a.constant, b.constant);
    case ExprKind::kParameter: return a.parameter == b.parameter;
    case ExprKind::kColumn: return a.column == b.column;
    case ExprKind::kCall:
      if (a.function != b.function) return false;
      break;
    default: break;
  }
  for (size_t i = 0; i < a.args.size(); ++i) {
    if (!equal(*a.args[i], *b.args[i])) return false;
  }
  return true;
}

void collect_columns(const Expr& e, std::vector<ColumnId>* out) {
  if (e.kind == ExprKind::kColumn) out->push_back(e.column);
  for (const ExprPtr& a : e.args) collect_columns(*a, out);
}

bool has_columns(const Expr& e) {
  if (e.kind == ExprKind::kColumn) return true;
  for (const ExprPtr& a : e.args) {
    if (has_columns(*a)) return true;
  }
  return false;
}

std::string to_string(const Expr& e, const std::vector<std::string>& names) {
  Printer printer(names);
  printer.print(e);
  return std::move(printer.out);
}

std::string to_string(const Expr& e) { return to_string(e, {}); }

std::string to_string(const Aggregate& a, const std::vector<std::string>& names) {
  static constexpr const char* kNames[] = {"COUNT", "COUNT", "SUM", "sum_exact", "AVG", "MIN", "MAX", "COUNT", "SUM", "sum_exact", "AVG"};
  std::string out = kNames[static_cast<size_t>(a.kind)];
  if (a.kind == AggregateKind::kCountStar) return out + "(*)";
  const std::string argument = to_string(*a.argument, names);
  if (a.kind == AggregateKind::kMergeCount && argument == "weight") return out + "(*)";
  return out + (a.distinct ? "(DISTINCT " : "(") + argument + ")";
}

Function mirrored(Function f) {
  switch (f) {
    case Function::kLess: return Function::kGreater;
    case Function::kLessEqual: return Function::kGreaterEqual;
    case Function::kGreater: return Function::kLess;
    case Function::kGreaterEqual: return Function::kLessEqual;
    default: return f;
  }
}

}  // namespace hdb
