// sql/tree.h: the syntax tree of one statement.
//
// What:       plain structs in an arena, told apart by a kind; every node knows the bytes of the text it came from.
//             `node.as<T>()` is a checked cast, `node.is<T>()` asks first. Absent parts are null pointers or empty lists.
// Invariants: T1 [begin, end) is a byte range of the statement's text that holds the node and all its children; the span of
//                a select item's expression, outer parentheses included, is the name of the column that it makes.
//             T2 AND and OR are n-ary (Logical, two or more operands); every other chain is left-deep.
//             T3 height <= kTreeHeightMax: a recursive pass over a tree is safe.
//             T4 trees are immutable once parsed; nodes are trivially destructible (base/arena.h A1). All string_views point
//                into the arena, never into the statement's text.
// Callers:    sql/ makes them, plan/ (binder) and catalog/ read them.
// Held by:    spec/grammar.ebnf, src/sql/parser_test.cc, src/sql/printer_test.cc (parse(print(t)) equals t)
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "base/check.h"

namespace hdb::sql {

struct Span {
  uint32_t begin = 0;  // byte offsets into the text given to the parser
  uint32_t end = 0;
};

// A name. Names match by `folded` (ASCII lower case), quoted or not, and are shown by `spelling`.
struct Identifier {
  std::string_view spelling;
  std::string_view folded;
  Span span;
  bool quoted = false;
  bool empty() const { return spelling.empty(); }
  explicit operator bool() const { return !spelling.empty(); }
};

// ---- Types ----------------------------------------------------------------------------------------------------------------

enum class TypeWord : uint8_t { kBoolean, kBigint, kDecimal, kDouble, kText, kVarchar, kDate, kTimestamp };

// DECIMAL(p, s): argument_count 0..2. VARCHAR(n), CHAR(n): 1 (VARCHAR without n is kText). CHAR without n is VARCHAR(1).
struct TypeName {
  TypeWord word = TypeWord::kText;
  uint8_t argument_count = 0;
  uint32_t arguments[2] = {0, 0};
  Span span;
};

// ---- Expressions ----------------------------------------------------------------------------------------------------------

enum class ExprKind : uint8_t {
  kLiteral, kParameter, kColumnRef, kStar, kUnary, kBinary, kLogical, kIsNull, kIsTruth, kIn, kBetween, kLike, kCase, kCast, kCall,
  kSubquery, kExists, kInSubquery,  // room for a later issue; the parser does not make them
};

struct Expr {
  ExprKind kind;
  uint16_t height = 1;
  Span span;
  explicit Expr(ExprKind k) : kind(k) {}
  template <class T> bool is() const { return kind == T::kKind; }
  template <class T> const T& as() const {
    CHECK(kind == T::kKind);
    return static_cast<const T&>(*this);
  }
};

enum class LiteralKind : uint8_t { kNull, kBoolean, kInteger, kDecimal, kDouble, kString, kDate, kTimestamp };

struct Literal : Expr {
  static constexpr ExprKind kKind = ExprKind::kLiteral;
  LiteralKind literal_kind = LiteralKind::kNull;
  bool boolean = false;
  uint8_t precision = 0;     // kDecimal: significant digits, at least max(1, scale)
  uint8_t scale = 0;         // kDecimal: digits behind the point
  // kInteger: 0 .. 2^63 - 1; 2^63 only as the direct operand of a Unary kMinus. Anything larger is a kDecimal of scale 0.
  uint64_t magnitude = 0;
  double number = 0;         // kDouble
  // kDecimal: its digits without the point and leading zeros; kString: the decoded text; kDate, kTimestamp: the text, unchecked.
  std::string_view text;
  Literal() : Expr(kKind) {}
};

struct Parameter : Expr {
  static constexpr ExprKind kKind = ExprKind::kParameter;
  uint32_t index = 0;        // from 1
  // Set where the statement cache turned a literal into a parameter (sql/fingerprint.h): its type is as that literal's
  // (kInteger, kDecimal with precision and scale, kDouble, kString), its index is behind the user's own parameters.
  bool from_literal = false;
  LiteralKind literal_kind = LiteralKind::kNull;
  uint8_t precision = 0;
  uint8_t scale = 0;
  std::string_view name;     // ":name" without the colon, or empty
  Parameter() : Expr(kKind) {}
};

struct ColumnRef : Expr {
  static constexpr ExprKind kKind = ExprKind::kColumnRef;
  Identifier table;          // empty: unqualified
  Identifier column;
  ColumnRef() : Expr(kKind) {}
};

struct Star : Expr {         // `*` or `t.*`, only as a select item
  static constexpr ExprKind kKind = ExprKind::kStar;
  Identifier table;
  Star() : Expr(kKind) {}
};

enum class UnaryOp : uint8_t { kPlus, kMinus, kNot };

struct Unary : Expr {
  static constexpr ExprKind kKind = ExprKind::kUnary;
  UnaryOp op = UnaryOp::kPlus;
  const Expr* operand = nullptr;
  Unary() : Expr(kKind) {}
};

enum class BinaryOp : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo, kConcat, kEqual, kNotEqual, kLess, kLessEqual, kGreater,
                                kGreaterEqual, kIsDistinct, kIsNotDistinct };

struct Binary : Expr {
  static constexpr ExprKind kKind = ExprKind::kBinary;
  BinaryOp op = BinaryOp::kAdd;
  Span op_span;              // where an error of the operator points
  const Expr* left = nullptr;
  const Expr* right = nullptr;
  Binary() : Expr(kKind) {}
};

struct Logical : Expr {      // AND, OR
  static constexpr ExprKind kKind = ExprKind::kLogical;
  bool is_and = true;
  List<const Expr*> operands;
  Logical() : Expr(kKind) {}
};

struct IsNull : Expr {
  static constexpr ExprKind kKind = ExprKind::kIsNull;
  bool negated = false;
  const Expr* operand = nullptr;
  IsNull() : Expr(kKind) {}
};

struct IsTruth : Expr {      // x IS [NOT] TRUE | FALSE (| UNKNOWN is an IsNull)
  static constexpr ExprKind kKind = ExprKind::kIsTruth;
  bool negated = false;
  bool truth = true;
  const Expr* operand = nullptr;
  IsTruth() : Expr(kKind) {}
};

struct In : Expr {
  static constexpr ExprKind kKind = ExprKind::kIn;
  bool negated = false;
  const Expr* operand = nullptr;
  List<const Expr*> items;   // one or more
  In() : Expr(kKind) {}
};

struct Between : Expr {
  static constexpr ExprKind kKind = ExprKind::kBetween;
  bool negated = false;
  const Expr* operand = nullptr;
  const Expr* low = nullptr;
  const Expr* high = nullptr;
  Between() : Expr(kKind) {}
};

struct Like : Expr {
  static constexpr ExprKind kKind = ExprKind::kLike;
  bool negated = false;
  bool ignore_case = false;  // ILIKE
  const Expr* operand = nullptr;
  const Expr* pattern = nullptr;
  const Expr* escape = nullptr;  // null: no ESCAPE given
  Like() : Expr(kKind) {}
};

struct CaseBranch {
  const Expr* when = nullptr;
  const Expr* then = nullptr;
};

struct Case : Expr {
  static constexpr ExprKind kKind = ExprKind::kCase;
  const Expr* operand = nullptr;    // null: searched CASE
  List<CaseBranch> branches;        // one or more
  const Expr* otherwise = nullptr;  // null: NULL
  Case() : Expr(kKind) {}
};

struct Cast : Expr {         // CAST(x AS type) or x::type
  static constexpr ExprKind kKind = ExprKind::kCast;
  const Expr* operand = nullptr;
  TypeName type;
  Cast() : Expr(kKind) {}
};

struct Call : Expr {         // scalar functions and aggregates alike
  static constexpr ExprKind kKind = ExprKind::kCall;
  Identifier name;
  bool distinct = false;
  bool star = false;         // f(*): arguments is empty
  List<const Expr*> arguments;
  const Expr* filter = nullptr;  // FILTER (WHERE ...): room; the parser answers 0A000
  Call() : Expr(kKind) {}
};

// ---- Queries --------------------------------------------------------------------------------------------------------------

enum class TableRefKind : uint8_t { kNamed, kFunction, kJoin, kSubquery /* room */ };

struct TableRef {
  TableRefKind kind;
  uint16_t height = 1;
  Span span;
  explicit TableRef(TableRefKind k) : kind(k) {}
  template <class T> bool is() const { return kind == T::kKind; }
  template <class T> const T& as() const {
    CHECK(kind == T::kKind);
    return static_cast<const T&>(*this);
  }
};

struct NamedTable : TableRef {
  static constexpr TableRefKind kKind = TableRefKind::kNamed;
  Identifier name;
  Identifier alias;          // empty: none
  NamedTable() : TableRef(kKind) {}
};

struct FunctionTable : TableRef {  // summary_verify('s')
  static constexpr TableRefKind kKind = TableRefKind::kFunction;
  Identifier name;
  List<const Expr*> arguments;
  Identifier alias;
  FunctionTable() : TableRef(kKind) {}
};

enum class JoinType : uint8_t { kCross, kInner, kLeft };

struct Join : TableRef {
  static constexpr TableRefKind kKind = TableRefKind::kJoin;
  JoinType type = JoinType::kCross;
  const TableRef* left = nullptr;
  const TableRef* right = nullptr;
  const Expr* on = nullptr;          // either ON ...
  List<Identifier> using_columns;    // ... or USING (...), or neither for kCross
  Join() : TableRef(kKind) {}
};

struct SelectItem {
  const Expr* expr = nullptr;  // a Star or a value
  Identifier alias;            // empty: the column is called by the text of expr->span (T1)
};

enum class NullsOrder : uint8_t { kDefault, kFirst, kLast };

struct OrderItem {
  const Expr* expr = nullptr;  // an integer Literal is the number of a select item
  bool descending = false;
  NullsOrder nulls = NullsOrder::kDefault;
};

enum class QueryBodyKind : uint8_t { kSelect, kValues, kSetOperation /* room */ };

struct QueryBody {
  QueryBodyKind kind;
  Span span;
  explicit QueryBody(QueryBodyKind k) : kind(k) {}
  template <class T> bool is() const { return kind == T::kKind; }
  template <class T> const T& as() const {
    CHECK(kind == T::kKind);
    return static_cast<const T&>(*this);
  }
};

struct SelectBody : QueryBody {
  static constexpr QueryBodyKind kKind = QueryBodyKind::kSelect;
  bool distinct = false;
  List<SelectItem> items;
  List<const TableRef*> from;        // comma list, each a tree of joins; empty: no FROM
  const Expr* where = nullptr;
  List<const Expr*> group_by;        // an integer Literal is the number of a select item
  bool has_group_by = false;
  const Expr* having = nullptr;
  SelectBody() : QueryBody(kKind) {}
};

struct ValuesRow {
  List<const Expr*> values;
  Span span;
};

struct ValuesBody : QueryBody {
  static constexpr QueryBodyKind kKind = QueryBodyKind::kValues;
  List<ValuesRow> rows;              // one or more, all of the same length
  ValuesBody() : QueryBody(kKind) {}
};

struct Query {                       // SELECT or VALUES with what follows it
  Span span;
  const QueryBody* body = nullptr;
  List<OrderItem> order_by;
  const Expr* limit = nullptr;       // LIMIT ALL: null
  const Expr* offset = nullptr;
};

// ---- Statements -----------------------------------------------------------------------------------------------------------

enum class StatementKind : uint8_t {
  kSelect, kInsert, kUpdate, kDelete, kTruncate, kCreateTable, kDropTable, kCreateIndex, kDropIndex, kBegin, kCommit, kRollback,
  kSavepoint, kRelease, kRollbackTo, kExplain, kShow, kSet, kFile,
};

struct Statement {
  StatementKind kind;
  Span span;                         // without the `;`
  explicit Statement(StatementKind k) : kind(k) {}
  template <class T> bool is() const { return kind == T::kKind; }
  template <class T> const T& as() const {
    CHECK(kind == T::kKind);
    return static_cast<const T&>(*this);
  }
};

struct SelectStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kSelect;
  const Query* query = nullptr;
  SelectStatement() : Statement(kKind) {}
};

struct InsertStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kInsert;
  Identifier table;
  List<Identifier> columns;          // empty: all, in order
  const Query* source = nullptr;     // a ValuesBody without ORDER BY and LIMIT, or any query. DEFAULT in VALUES is 0A000.
  InsertStatement() : Statement(kKind) {}
};

struct Assignment {
  Identifier column;
  const Expr* value = nullptr;
};

struct UpdateStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kUpdate;
  Identifier table;
  Identifier alias;
  List<Assignment> assignments;
  const Expr* where = nullptr;
  UpdateStatement() : Statement(kKind) {}
};

struct DeleteStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kDelete;
  Identifier table;
  Identifier alias;
  const Expr* where = nullptr;
  DeleteStatement() : Statement(kKind) {}
};

struct TruncateStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kTruncate;
  Identifier table;
  TruncateStatement() : Statement(kKind) {}
};

struct ForeignKeyRef {
  Identifier table;                  // empty: no REFERENCES
  List<Identifier> columns;          // empty: the primary key of `table`
};

struct ColumnDef {
  Identifier name;
  TypeName type;
  bool not_null = false;
  bool primary_key = false;
  bool unique = false;
  ForeignKeyRef references;
  const Expr* default_value = nullptr;
  Span span;
};

enum class ConstraintKind : uint8_t { kPrimaryKey, kUnique, kForeignKey };

struct TableConstraint {
  ConstraintKind kind = ConstraintKind::kPrimaryKey;
  Identifier name;                   // CONSTRAINT name, or empty
  List<Identifier> columns;
  ForeignKeyRef references;          // kForeignKey
  Span span;
};

struct CreateTableStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kCreateTable;
  Identifier name;
  bool if_not_exists = false;
  List<ColumnDef> columns;           // one or more
  List<TableConstraint> constraints;
  CreateTableStatement() : Statement(kKind) {}
};

struct DropTableStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kDropTable;
  Identifier name;
  bool if_exists = false;
  DropTableStatement() : Statement(kKind) {}
};

struct CreateIndexStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kCreateIndex;
  Identifier name;
  Identifier table;
  bool unique = false;
  bool summary = false;              // USING SUMMARY
  bool if_not_exists = false;
  List<const Expr*> columns;         // keys or dimensions. ColumnRefs today; expressions are room for a later issue.
  List<const Expr*> measures;        // INCLUDE (...)
  bool has_max_cells = false;
  uint64_t max_cells = 0;            // WITH (max_cells = N)
  Span max_cells_span;
  CreateIndexStatement() : Statement(kKind) {}
};

struct DropIndexStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kDropIndex;
  Identifier name;
  bool if_exists = false;
  DropIndexStatement() : Statement(kKind) {}
};

struct BeginStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kBegin;
  bool read_only = false;            // BEGIN ... READ ONLY
  BeginStatement() : Statement(kKind) {}
};

struct CommitStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kCommit;
  CommitStatement() : Statement(kKind) {}
};

struct RollbackStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kRollback;
  RollbackStatement() : Statement(kKind) {}
};

struct SavepointStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kSavepoint;
  Identifier name;
  SavepointStatement() : Statement(kKind) {}
};

struct ReleaseStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kRelease;
  Identifier name;
  ReleaseStatement() : Statement(kKind) {}
};

struct RollbackToStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kRollbackTo;
  Identifier name;
  RollbackToStatement() : Statement(kKind) {}
};

struct ExplainStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kExplain;
  bool analyze = false;
  bool json = false;
  const Statement* statement = nullptr;  // SELECT, INSERT, UPDATE or DELETE
  ExplainStatement() : Statement(kKind) {}
};

enum class ShowKind : uint8_t { kTables, kColumns, kCreateTable, kIndexes, kAll, kSetting, kRestorePoints };

struct ShowStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kShow;
  ShowKind show = ShowKind::kTables;
  Identifier name;                   // the table (kIndexes: may be empty) or the setting
  ShowStatement() : Statement(kKind) {}
};

struct SetStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kSet;
  Identifier name;
  bool is_default = false;           // SET name = DEFAULT
  std::string_view value;            // a word, a string's text, or a number as written (with its sign)
  Span value_span;
  SetStatement() : Statement(kKind) {}
};

// What is done with the database's file.
enum class FileAction : uint8_t { kCheckpoint, kCreateRestorePoint, kDropRestorePoint, kRestore, kBackup, kCheck };

struct FileStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kFile;
  FileAction action = FileAction::kCheckpoint;
  Identifier name;                   // of the restore point
  std::string_view path;             // BACKUP TO
  FileStatement() : Statement(kKind) {}
};

}  // namespace hdb::sql
