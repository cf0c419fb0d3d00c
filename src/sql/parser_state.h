// sql/parser_state.h: what the parts of the parser share: tokens ahead, errors with what was expected, names, parameters.
//
// What:       class Parser, a recursive descent over statements and a Pratt parser over expressions. Each *_parser.cc holds the
//             rules of one part of spec/grammar.ebnf.
// Invariants: Q1 a failed accept() remembers what it looked for; advancing forgets it. So an error lists exactly what the
//                grammar allows at that token.
//             Q2 no rule backs up: two tokens ahead decide.
// Callers:    sql/ only.
// Held by:    src/sql/parser_test.cc
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "sql/lexer.h"
#include "sql/parser.h"
#include "sql/tree.h"

namespace hdb::sql {

class Parser {
 public:
  Parser(std::string_view text, Arena& arena, const ParseOptions& options)
      : lexer_(text, options.start), arena_(arena), literals_(options.literals), last_end_(static_cast<uint32_t>(options.start)) {}

  ParsedStatement parse_one();
  const Expr* parse_only_expression();

 private:
  // ---- parser.cc: tokens and errors
  const Token& peek() { return look(0); }
  const Token& peek_second() { return look(1); }
  const Token& look(uint32_t distance);
  Token advance();
  bool at(Keyword keyword) { return peek().kind == TokenKind::kWord && peek().keyword == keyword; }
  bool at(TokenKind kind) { return peek().kind == kind; }
  bool second_at(Keyword keyword) { return peek_second().kind == TokenKind::kWord && peek_second().keyword == keyword; }
  bool accept(Keyword keyword);
  bool accept(TokenKind kind);
  Token expect(Keyword keyword);
  Token expect(TokenKind kind);
  void note(std::string_view what);
  bool word_is(const Token& token, std::string_view lower) const;
  [[noreturn]] void syntax_error();
  [[noreturn]] void unsupported(const std::string& what, const Token& token);
  [[noreturn]] void unsupported(const std::string& what) { unsupported(what, peek()); }
  std::string_view text_of(const Token& token) const { return lexer_.text_of(token); }

  bool at_name();  // a word that is not reserved, or a quoted name
  Identifier name(std::string_view what);
  Identifier label();  // behind AS: any word
  Identifier make_identifier(const Token& token);
  Identifier optional_alias();
  List<Identifier> name_list(std::string_view what);  // ( name, ... )
  std::string_view string_value(const Token& token) { return decode_quoted(text_of(token), token.doubled, arena_); }

  template <class T> T* make(uint32_t begin) {
    T* node = arena_.make<T>();
    node->span.begin = begin;
    return node;
  }
  template <class T> T* finish(T* node) {
    node->span.end = last_end_;
    return node;
  }

  // ---- expression_parser.cc
  Expr* expression();                 // counts one level of nesting
  Expr* binary_expression(int level_min);
  Expr* infix(Expr* left, int level);
  Expr* binary(Expr* left, BinaryOp op, const Token& from, const Token& to, int level_right);
  Expr* logical(Expr* left, bool is_and);
  Expr* is_test(Expr* left);
  Expr* negatable(Expr* left);        // [NOT] IN, BETWEEN, LIKE, ILIKE
  Expr* in_list(Expr* left, bool negated);
  Expr* between(Expr* left, bool negated);
  Expr* like(Expr* left, bool negated);
  Expr* prefix();
  Expr* unary(UnaryOp op, int level);
  Expr* parenthesised();
  Expr* case_expression();
  Expr* cast_expression();
  Expr* type_cast(Expr* left);
  Expr* word_expression();
  Expr* column_or_star_error();
  Expr* call(const Token& name_token);
  Expr* extract_call(const Token& name_token);
  Expr* parameter();
  List<const Expr*> expression_list();  // one or more, comma-separated
  void raise(Expr* parent, const Expr* child, uint32_t position);  // T3

  // ---- literal_parser.cc
  Expr* number_literal();
  Expr* string_literal();
  Expr* dated_literal(LiteralKind kind);  // DATE '...', TIMESTAMP '...'
  Expr* word_literal();                   // TRUE, FALSE, NULL
  Expr* slot_parameter(const Token& token, uint32_t begin);  // null: the cache does not want this literal
  TypeName type_name();
  void type_arguments(TypeName& type, uint32_t count_max, const char* what);
  uint32_t plain_integer(uint32_t value_max, const char* what);

  // ---- query_parser.cc
  const Query* query();
  const QueryBody* select_body();
  const QueryBody* values_body();
  List<SelectItem> select_items();
  SelectItem select_item();
  void group_by(SelectBody* body);
  const TableRef* table_tree();
  const TableRef* table_primary();
  bool join_follows(JoinType& type);
  const TableRef* join(const TableRef* left, JoinType type);
  List<OrderItem> order_by();
  void refuse_set_operation();

  // ---- modify_parser.cc
  Statement* insert_statement();
  Statement* update_statement();
  Statement* delete_statement();
  Statement* truncate_statement();
  void refuse_returning();

  // ---- definition_parser.cc
  Statement* create_statement();
  Statement* create_table(uint32_t begin);
  ColumnDef column_def(std::vector<TableConstraint>& constraints);
  bool column_constraint(ColumnDef& column, std::vector<TableConstraint>& constraints);
  bool table_constraint(std::vector<TableConstraint>& constraints);
  ForeignKeyRef references();
  Statement* create_index(uint32_t begin, bool unique);
  void summary_options(CreateIndexStatement* index);
  List<const Expr*> index_columns(const char* what, uint32_t count_max);
  Statement* drop_statement();

  // ---- statement_parser.cc
  Statement* statement();
  Statement* query_statement();
  Statement* begin_statement();
  void transaction_modes(BeginStatement* begin);
  Statement* commit_statement();
  Statement* rollback_statement();
  Statement* savepoint_statement();
  Statement* release_statement();
  Statement* explain_statement();
  bool option_is_on();
  Statement* show_statement();
  Statement* file_statement();
  Statement* restore_point(uint32_t begin, FileAction action);
  Statement* set_statement();
  void set_value(SetStatement* set);
  [[noreturn]] void unknown_statement();

  class DepthGuard {
   public:
    explicit DepthGuard(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDepthMax) {
        fail(sqlstate::kStatementTooComplex, "the statement is nested more than " + std::to_string(kDepthMax) + " levels deep",
             parser_.peek().begin);
      }
    }
    ~DepthGuard() { --parser_.depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

   private:
    Parser& parser_;
  };

  Lexer lexer_;
  Arena& arena_;
  Token ahead_[3];
  uint32_t ahead_count_ = 0;
  std::vector<std::string_view> expected_;  // Q1
  std::vector<const Expr*> stack_;          // expression lists that are being read, one behind the other
  uint32_t depth_ = 0;
  uint32_t join_tables_ = 0;
  List<LiteralSlot> literals_;
  uint32_t next_literal_ = 0;
  std::vector<Parameter*> literal_parameters_;
  uint32_t parameter_count_ = 0;
  struct NamedParameter {
    std::string_view name;
    uint32_t index;
  };
  std::vector<NamedParameter> named_;
  uint32_t last_end_ = 0;                   // where the last token taken ended
};

}  // namespace hdb::sql
