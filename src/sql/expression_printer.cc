#include <charconv>

#include "sql/precedence.h"
#include "sql/printer_state.h"
#include "sql/token.h"

namespace hdb::sql {
namespace {

struct OpText {
  const char* text;
  int level;
};

OpText text_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd: return {" + ", kLevelSum};
    case BinaryOp::kSubtract: return {" - ", kLevelSum};
    case BinaryOp::kMultiply: return {" * ", kLevelProduct};
    case BinaryOp::kDivide: return {" / ", kLevelProduct};
    case BinaryOp::kModulo: return {" % ", kLevelProduct};
    case BinaryOp::kConcat: return {" || ", kLevelConcat};
    case BinaryOp::kEqual: return {" = ", kLevelCompare};
    case BinaryOp::kNotEqual: return {" <> ", kLevelCompare};
    case BinaryOp::kLess: return {" < ", kLevelCompare};
    case BinaryOp::kLessEqual: return {" <= ", kLevelCompare};
    case BinaryOp::kGreater: return {" > ", kLevelCompare};
    case BinaryOp::kGreaterEqual: return {" >= ", kLevelCompare};
    case BinaryOp::kIsDistinct: return {" IS DISTINCT FROM ", kLevelIs};
    case BinaryOp::kIsNotDistinct: return {" IS NOT DISTINCT FROM ", kLevelIs};
  }
  return {" ? ", 0};
}

int level_of(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kUnary: return expr.as<Unary>().op == UnaryOp::kNot ? kLevelNot : kLevelUnary;
    case ExprKind::kBinary: return text_of(expr.as<Binary>().op).level;
    case ExprKind::kLogical: return expr.as<Logical>().is_and ? kLevelAnd : kLevelOr;
    case ExprKind::kIsNull: case ExprKind::kIsTruth: return kLevelIs;
    case ExprKind::kIn: case ExprKind::kBetween: case ExprKind::kLike: return kLevelMatch;
    default: return kLevelPrimary;
  }
}

// Words that are names but mean something else in some place where a name may stand.
bool reads_as_keyword(Keyword keyword) {
  switch (keyword) {
    case Keyword::kCASCADE: case Keyword::kCUBE: case Keyword::kCURRENT_DATE: case Keyword::kCURRENT_TIME: case Keyword::kCURRENT_TIMESTAMP:
    case Keyword::kESCAPE: case Keyword::kEXTRACT: case Keyword::kFILTER: case Keyword::kGROUPING: case Keyword::kLATERAL:
    case Keyword::kNULLS: case Keyword::kOVER: case Keyword::kRESTRICT: case Keyword::kROLLUP: case Keyword::kROW: case Keyword::kSAVEPOINT:
    case Keyword::kUNKNOWN: return true;
    default: return is_reserved(keyword);
  }
}

std::string quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += c;
    out += c;
  }
  return out += quote;
}

}  // namespace

std::string print_name(std::string_view name) {
  bool plain = !name.empty() && !(name[0] >= '0' && name[0] <= '9') && name[0] != '$';
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<uint8_t>(c) >= 0x80;
    plain = plain && (letter || (c >= '0' && c <= '9') || c == '$');
  }
  if (!plain || reads_as_keyword(find_keyword(name))) return quoted(name, '"');
  return std::string(name);
}

std::string print_string(std::string_view text) { return quoted(text, '\''); }

void Printer::expr(const Expr& expr, int level_min) {
  if (level_of(expr) >= level_min) return bare(expr);
  out_ += '(';
  bare(expr);
  out_ += ')';
}

void Printer::exprs(const List<const Expr*>& list, int level_min) {
  separated(list, [&](const Expr* item) { expr(*item, level_min); });
}

void Printer::bare(const Expr& node) {
  switch (node.kind) {
    case ExprKind::kLiteral: return literal(node.as<Literal>());
    case ExprKind::kParameter: out_ += "$" + std::to_string(node.as<Parameter>().index); return;
    case ExprKind::kColumnRef: {
      const ColumnRef& ref = node.as<ColumnRef>();
      if (ref.table) name(ref.table), out_ += '.';
      return name(ref.column);
    }
    case ExprKind::kStar:
      if (node.as<Star>().table) name(node.as<Star>().table), out_ += '.';
      out_ += '*';
      return;
    case ExprKind::kUnary: return unary(node.as<Unary>());
    case ExprKind::kBinary: return binary(node.as<Binary>());
    case ExprKind::kLogical: return logical(node.as<Logical>());
    case ExprKind::kIsNull:
      expr(*node.as<IsNull>().operand, kLevelIs);
      out_ += node.as<IsNull>().negated ? " IS NOT NULL" : " IS NULL";
      return;
    case ExprKind::kIsTruth: {
      const IsTruth& test = node.as<IsTruth>();
      expr(*test.operand, kLevelIs);
      out_ += test.negated ? " IS NOT " : " IS ";
      out_ += test.truth ? "TRUE" : "FALSE";
      return;
    }
    case ExprKind::kIn: {
      const In& in = node.as<In>();
      expr(*in.operand, kLevelMatch);
      out_ += in.negated ? " NOT IN (" : " IN (";
      exprs(in.items);
      out_ += ')';
      return;
    }
    case ExprKind::kBetween: {
      const Between& between = node.as<Between>();
      expr(*between.operand, kLevelMatch);
      out_ += between.negated ? " NOT BETWEEN " : " BETWEEN ";
      expr(*between.low, kLevelMatch + 1);
      out_ += " AND ";
      return expr(*between.high, kLevelMatch + 1);
    }
    case ExprKind::kLike: return like(node.as<Like>());
    case ExprKind::kCase: return case_of(node.as<Case>());
    case ExprKind::kCast:
      out_ += "CAST(";
      expr(*node.as<Cast>().operand);
      out_ += " AS ";
      type(node.as<Cast>().type);
      out_ += ')';
      return;
    case ExprKind::kCall: return call(node.as<Call>());
    case ExprKind::kSubquery: case ExprKind::kExists: case ExprKind::kInSubquery: break;
  }
  CHECK(!"an expression that the parser does not make");
}

void Printer::literal(const Literal& literal) {
  switch (literal.literal_kind) {
    case LiteralKind::kNull: out_ += "NULL"; return;
    case LiteralKind::kBoolean: out_ += literal.boolean ? "TRUE" : "FALSE"; return;
    case LiteralKind::kInteger: out_ += std::to_string(literal.magnitude); return;
    case LiteralKind::kDecimal: {
      std::string digits(literal.text);
      if (digits.size() <= literal.scale) digits.insert(0, literal.scale + 1 - digits.size(), '0');
      digits.insert(digits.size() - literal.scale, 1, '.');  // `7.` is a DECIMAL, `7` is not
      out_ += digits;
      return;
    }
    case LiteralKind::kDouble: {
      char buffer[64];
      const auto done = std::to_chars(buffer, buffer + sizeof buffer, literal.number, std::chars_format::scientific);
      out_.append(buffer, done.ptr);
      return;
    }
    case LiteralKind::kString: out_ += print_string(literal.text); return;
    case LiteralKind::kDate: out_ += "DATE " + print_string(literal.text); return;
    case LiteralKind::kTimestamp: out_ += "TIMESTAMP " + print_string(literal.text); return;
  }
}

void Printer::unary(const Unary& unary) {
  if (unary.op == UnaryOp::kNot) {
    out_ += "NOT ";
    return expr(*unary.operand, kLevelNot);
  }
  out_ += unary.op == UnaryOp::kMinus ? '-' : '+';
  expr(*unary.operand, kLevelUnary + 1);  // never `--`, which begins a comment
}

void Printer::binary(const Binary& binary) {
  const OpText op = text_of(binary.op);
  expr(*binary.left, op.level);
  out_ += op.text;
  expr(*binary.right, op.level + 1);
}

void Printer::logical(const Logical& logical) {
  bool first = true;
  for (const Expr* operand : logical.operands) {
    if (!first) out_ += logical.is_and ? " AND " : " OR ";
    first = false;
    expr(*operand, (logical.is_and ? kLevelAnd : kLevelOr) + 1);
  }
}

void Printer::like(const Like& like) {
  expr(*like.operand, kLevelMatch);
  out_ += like.negated ? " NOT " : " ";
  out_ += like.ignore_case ? "ILIKE " : "LIKE ";
  expr(*like.pattern, kLevelMatch + 1);
  if (like.escape == nullptr) return;
  out_ += " ESCAPE ";
  expr(*like.escape, kLevelMatch + 1);
}

void Printer::case_of(const Case& node) {
  out_ += "CASE";
  if (node.operand != nullptr) out_ += ' ', expr(*node.operand);
  for (const CaseBranch& branch : node.branches) {
    out_ += " WHEN ";
    expr(*branch.when);
    out_ += " THEN ";
    expr(*branch.then);
  }
  if (node.otherwise != nullptr) out_ += " ELSE ", expr(*node.otherwise);
  out_ += " END";
}

void Printer::call(const Call& call) {
  name(call.name);
  out_ += call.star ? "(*" : call.distinct ? "(DISTINCT " : "(";
  exprs(call.arguments);
  out_ += ')';
}

void Printer::type(const TypeName& type) {
  switch (type.word) {
    case TypeWord::kBoolean: out_ += "BOOLEAN"; break;
    case TypeWord::kBigint: out_ += "BIGINT"; break;
    case TypeWord::kDecimal: out_ += "DECIMAL"; break;
    case TypeWord::kDouble: out_ += "DOUBLE"; break;
    case TypeWord::kText: out_ += "TEXT"; break;
    case TypeWord::kVarchar: out_ += "VARCHAR"; break;
    case TypeWord::kDate: out_ += "DATE"; break;
    case TypeWord::kTimestamp: out_ += "TIMESTAMP"; break;
  }
  if (type.argument_count == 0) return;
  out_ += "(" + std::to_string(type.arguments[0]);
  if (type.argument_count == 2) out_ += ", " + std::to_string(type.arguments[1]);
  out_ += ')';
}

std::string print(const Expr& expr) {
  std::string out;
  Printer(out).expr(expr);
  return out;
}

std::string print(const TypeName& type) {
  std::string out;
  Printer(out).type(type);
  return out;
}

}  // namespace hdb::sql
