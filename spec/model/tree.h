// spec/model/tree.h: the typed tree that the generator makes, the model evaluates, and the printer turns into SQL.
//
// What:       expressions, queries, table and summary definitions, statements. There is no parser: the text goes to the engine
//             only, so that a fault in the engine's parser or binder cannot hide in a shared one.
// Invariants: T1 a node's type is set by the builder functions below, by the rules of INTERFACE.md.
//             T2 a column is (relation of the FROM list, column of its table).
// Callers:    spec/model/, oracle/, properties/, fuzz/.
// Held by:    oracle/model_selftest.cc
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "value.h"

namespace model {

enum class Op : uint8_t {
  kLiteral,
  kColumn,
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kIsNotNull,
  kIn,
  kNotIn,
  kBetween,
  kLike,
  kNotLike,
  kCase,
  kCoalesce,
  kNullIf,
  kCast,
  kAggregate
};
enum class Fn : uint8_t { kCountStar, kCount, kCountDistinct, kSum, kSumExact, kAvg, kMin, kMax };

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
struct Expr {
  Op op = Op::kLiteral;
  Type type;
  Value literal;
  int relation = 0, column = 0;
  Fn fn = Fn::kCountStar;
  std::vector<ExprPtr> kids;  // kCase: condition, value, condition, value, ..., else; kBetween: x, low, high
};

// What a column is for: decides its values and what the generator may do with it.
enum class Role : uint8_t { kId, kForeign, kDimension, kSmall, kHuge, kGrowing, kMoney, kReal, kDay, kLabel, kFlag };

struct Column {
  std::string name;
  Type type;
  Role role = Role::kSmall;
  bool not_null = false, primary = false, unique = false;
  std::string references;  // table whose primary key this column names, or empty
};
struct TableDef {
  std::string name;
  std::vector<Column> columns;

  int find(const std::string& column) const;
  int primary() const;
};
struct SummaryDef {
  std::string name, table;
  std::vector<int> dimensions, measures;
};

enum class JoinKind : uint8_t { kFirst, kInner, kLeft, kCross };
struct Relation {
  const TableDef* table = nullptr;
  std::string alias;
  JoinKind join = JoinKind::kFirst;
  ExprPtr on;
};
struct OrderKey {
  int output = 0;
  bool descending = false;
};
struct Query {
  std::vector<Relation> from;
  ExprPtr where;
  std::vector<ExprPtr> group;
  ExprPtr having;
  std::vector<ExprPtr> outputs;  // named c0, c1, ...
  bool distinct = false;
  std::vector<OrderKey> order;  // with LIMIT the generator orders by every output, so that the rows are determined
  int64_t limit = -1, offset = 0;

  bool grouped() const;  // has GROUP BY or an aggregate
};

enum class Act : uint8_t {
  kQuery,
  kCreateTable,
  kDropTable,
  kCreateSummary,
  kDropIndex,
  kInsert,
  kInsertSelect,
  kUpdate,
  kDelete,
  kBegin,
  kCommit,
  kRollback,
  kSavepoint,
  kRollbackTo,
  kRelease
};
struct Statement {
  Act act = Act::kQuery;
  std::string name;  // table, index or savepoint
  std::shared_ptr<const TableDef> table;
  SummaryDef summary;
  std::vector<Row> rows;                          // kInsert
  Query query;                                    // kQuery, kInsertSelect
  std::vector<std::pair<int, ExprPtr>> settings;  // kUpdate
  ExprPtr where;                                  // kUpdate, kDelete
};

// Builders.
ExprPtr literal(Value value, const Type& type);
ExprPtr literal(int64_t n);
ExprPtr column(const std::vector<Relation>& from, int relation, int column);
ExprPtr column_of(const TableDef& table, int column);  // of relation 0
ExprPtr unary(Op op, ExprPtr a);
ExprPtr binary(Op op, ExprPtr a, ExprPtr b);
ExprPtr many(Op op, std::vector<ExprPtr> kids);  // kIn, kNotIn, kBetween, kCase, kCoalesce, kNullIf
ExprPtr cast(ExprPtr a, const Type& type);
ExprPtr aggregate(Fn fn, ExprPtr a = nullptr);
bool has_aggregate(const Expr& e);
bool same(const Expr& a, const Expr& b);  // the same tree

}  // namespace model
