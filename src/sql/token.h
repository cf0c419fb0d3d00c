// sql/token.h: what the lexer makes of the text: kinds of tokens, and the key words.
//
// What:       a token is a kind and a byte range; its value is decoded by whoever needs it. A word that is a key word carries
//             its number. A reserved word is a name only in double quotes; any other key word is also a name.
// Callers:    sql/.
// Held by:    spec/grammar.ebnf, src/sql/lexer_test.cc
#pragma once

#include <cstdint>
#include <string_view>

namespace hdb::sql {

enum class TokenKind : uint8_t {
  kEnd, kWord, kQuotedWord, kString, kInteger, kDecimal, kDouble, kParameter,
  kPlus, kMinus, kStar, kSlash, kPercent, kConcat, kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual,
  kOpen, kClose, kComma, kDot, kSemicolon, kDoubleColon, kUnknown,
};

// X(word): reserved. Y(word): also a name. Sorted for reading only.
#define HDB_SQL_KEYWORDS(X, Y)                                                                                                   \
  X(ALL) X(AND) X(ANY) X(AS) X(ASC) X(BETWEEN) X(BY) X(CASE) X(CAST) X(CHECK) X(COLLATE) X(CONSTRAINT) X(CREATE) X(CROSS)              \
  X(DEFAULT) X(DESC) X(DISTINCT) X(ELSE) X(END) X(EXCEPT) X(EXISTS) X(FALSE) X(FETCH) X(FOREIGN) X(FROM) X(FULL) X(GROUP)        \
  X(HAVING) X(ILIKE) X(IN) X(INNER) X(INTERSECT) X(INTO) X(IS) X(ISNULL) X(JOIN) X(LEFT) X(LIKE) X(LIMIT) X(NATURAL) X(NOT)      \
  X(NOTNULL) X(NULL) X(OFFSET) X(ON) X(OR) X(ORDER) X(OUTER) X(PRIMARY) X(REFERENCES) X(RETURNING) X(RIGHT) X(SELECT) X(SET)     \
  X(SOME) X(TABLE) X(THEN) X(TO) X(TRUE) X(UNION) X(UNIQUE) X(USING) X(VALUES) X(WHEN) X(WHERE) X(WINDOW) X(WITH)                \
  Y(ACTION) Y(ALTER) Y(ANALYZE) Y(ATTACH) Y(AUTOINCREMENT) Y(BEGIN) Y(CASCADE) Y(COLUMNS) Y(COMMIT) Y(CONFLICT) Y(COPY)          \
  Y(CUBE) Y(CURRENT_DATE) Y(CURRENT_TIME) Y(CURRENT_TIMESTAMP) Y(DATE) Y(DEFERRED) Y(DELETE) Y(DETACH) Y(DROP) Y(ESCAPE)         \
  Y(EXCLUSIVE) Y(EXPLAIN) Y(EXTRACT) Y(FILTER) Y(FIRST) Y(FORMAT) Y(GENERATED) Y(GLOB) Y(GRANT) Y(GROUPING) Y(IF) Y(IMMEDIATE)   \
  Y(INCLUDE) Y(INDEX) Y(INDEXES) Y(INSERT) Y(INTERVAL) Y(ISOLATION) Y(JSON) Y(KEY) Y(LAST) Y(LATERAL) Y(LEVEL) Y(LOCAL)          \
  Y(MATERIALIZED) Y(MERGE) Y(NO) Y(NULLS) Y(ONLY) Y(OVER) Y(PRAGMA) Y(READ) Y(RECURSIVE) Y(REGEXP) Y(RELEASE) Y(REPLACE)         \
  Y(RESTRICT) Y(REVOKE) Y(ROLLBACK) Y(ROLLUP) Y(ROW) Y(SAVEPOINT) Y(SCHEMA) Y(SEQUENCE) Y(SESSION) Y(SHOW) Y(SIMILAR) Y(START)   \
  Y(SUMMARY) Y(TABLES) Y(TEMP) Y(TEMPORARY) Y(TEXT) Y(TIME) Y(TIMESTAMP) Y(TRANSACTION) Y(TRIGGER) Y(TRUNCATE) Y(UNKNOWN)        \
  Y(UPDATE) Y(VACUUM) Y(VIEW) Y(WORK) Y(WRITE)

#define HDB_SQL_KEYWORD_ENUM(word) k##word,
enum class Keyword : uint8_t { kNone, HDB_SQL_KEYWORDS(HDB_SQL_KEYWORD_ENUM, HDB_SQL_KEYWORD_ENUM) kCount };
#undef HDB_SQL_KEYWORD_ENUM

Keyword find_keyword(std::string_view word);  // any case; kNone if it is not one
std::string_view keyword_text(Keyword keyword);  // in capitals
bool is_reserved(Keyword keyword);

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Keyword keyword = Keyword::kNone;  // of a kWord
  bool doubled = false;              // kString, kQuotedWord: holds a doubled quote
  uint32_t begin = 0;
  uint32_t end = 0;
};

}  // namespace hdb::sql
