// base/error.h: the one exception of the engine: a SQLSTATE, a sentence, a place.
//
// What:       everything that a user, a file or a peer can cause is thrown as hdb::Error; nothing else leaves the engine's layers.
//             The C ABI turns it into a return code, a SQLSTATE and a message.
// Invariants: E1 sqlstate() is five characters of a code listed in spec/errors.md.
//             E2 position() is a byte offset into the statement's text, or kNoPosition.
// Callers:    all layers. Thread-safe (immutable once thrown).
// Held by:    src/base/base_test.cc, spec/errors.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace hdb {

// The SQLSTATE codes in use. spec/errors.md says when each is raised.
namespace sqlstate {
inline constexpr char kTooOld[] = "72000";               // snapshot too old
inline constexpr char kConnectionClosed[] = "08003";     // use after close
inline constexpr char kFeature[] = "0A000";              // not supported
inline constexpr char kCardinality[] = "21000";          // more rows than one
inline constexpr char kDataTooLong[] = "22001";          // string longer than VARCHAR(n)
inline constexpr char kOutOfRange[] = "22003";           // numeric value out of range
inline constexpr char kDatetimeFormat[] = "22007";       // invalid date or time text
inline constexpr char kDatetimeRange[] = "22008";        // date or time out of range
inline constexpr char kDivisionByZero[] = "22012";
inline constexpr char kInvalidText[] = "22P02";          // text that is not a value of the type
inline constexpr char kInvalidEncoding[] = "22021";      // not UTF-8, or a NUL byte in text
inline constexpr char kInvalidParameter[] = "22023";     // bad value of a setting or option
inline constexpr char kNotNull[] = "23502";
inline constexpr char kForeignKey[] = "23503";
inline constexpr char kUnique[] = "23505";
inline constexpr char kCursorState[] = "24000";
inline constexpr char kActiveTransaction[] = "25001";
inline constexpr char kReadOnly[] = "25006";
inline constexpr char kNoTransaction[] = "25P01";
inline constexpr char kSavepoint[] = "3B001";            // no such savepoint
inline constexpr char kSerialization[] = "40001";
inline constexpr char kSyntax[] = "42601";
inline constexpr char kDuplicateColumn[] = "42701";
inline constexpr char kAmbiguousColumn[] = "42702";
inline constexpr char kUndefinedColumn[] = "42703";
inline constexpr char kUndefinedObject[] = "42704";
inline constexpr char kDuplicateObject[] = "42710";
inline constexpr char kGrouping[] = "42803";
inline constexpr char kTypeMismatch[] = "42804";
inline constexpr char kUndefinedFunction[] = "42883";    // also: no such operator for these types
inline constexpr char kUndefinedTable[] = "42P01";
inline constexpr char kParameter[] = "42P02";            // missing or wrong number of parameters
inline constexpr char kDuplicateTable[] = "42P07";
inline constexpr char kInvalidReference[] = "42P10";     // ORDER BY or GROUP BY of what is not there
inline constexpr char kInvalidDefinition[] = "42P16";
inline constexpr char kDependentObjects[] = "2BP01";     // something still depends on it
inline constexpr char kMemory[] = "53200";
inline constexpr char kProgramLimit[] = "54000";         // a stated limit
inline constexpr char kStatementTooComplex[] = "54001";  // depth or token limit
inline constexpr char kInUse[] = "55006";                // somebody reads what is to go
inline constexpr char kLockTimeout[] = "55P03";
inline constexpr char kCanceled[] = "57014";
inline constexpr char kIo[] = "58030";
inline constexpr char kInternal[] = "XX000";             // a failed CHECK
inline constexpr char kDamaged[] = "XX001";              // a page or root that cannot be rebuilt
}  // namespace sqlstate

class Error : public std::exception {
 public:
  static constexpr int64_t kNoPosition = -1;

  Error(std::string_view code, std::string message, int64_t position = kNoPosition)
      : message_(std::move(message)), position_(position) {
    for (size_t i = 0; i < 5; ++i) code_[i] = i < code.size() ? code[i] : '0';
    code_[5] = '\0';
  }

  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const noexcept { return message_; }
  const char* sqlstate() const noexcept { return code_; }
  int64_t position() const noexcept { return position_; }  // byte offset into the statement's text
  bool has_position() const noexcept { return position_ >= 0; }
  void set_position(int64_t position) noexcept { position_ = position; }

 private:
  char code_[6];
  std::string message_;
  int64_t position_;
};

[[noreturn]] inline void fail(std::string_view code, std::string message, int64_t position = Error::kNoPosition) {
  throw Error(code, std::move(message), position);
}

}  // namespace hdb
