// shell/csv_reader.h: reads RFC 4180 text, whatever bytes it is given.
//
// What:       a pull reader over bytes in memory: records of fields, each with its line; a record that cannot be read carries a
//             reason instead, and reading goes on after it.
// Rules:      the separator is a comma; LF and CRLF end a record; a UTF-8 byte order mark is skipped; a field may be quoted, and
//             then holds commas, line ends and doubled quotes; a quote inside of an unquoted field is an ordinary character.
//             An empty line is skipped when records have several fields, and is one empty field when they have one.
// Invariants: V1 every byte is looked at a bounded number of times: time is linear in the text.
//             V2 a record has either fields or a problem, never both; its line is where it begins (from 1).
//             V3 field text is valid UTF-8 without NUL, and a field is `quoted` exactly if it began with a quote.
// Problems:   a quote that is never closed (the rest of the text is inside it), text after a closing quote, a carriage return
//             without a line feed, a NUL byte, bytes that are not UTF-8, a number of fields other than the header's.
// Callers:    shell/csv_import.cc, fuzz/. One owner; fields are valid until the next read.
// Held by:    src/shell/csv_reader_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace hdb::shell {

struct CsvField {
  std::string_view text;
  bool quoted = false;

  bool is_null() const { return text.empty() && !quoted; }  // an empty field is NULL, "" is the empty string
};

struct CsvRecord {
  std::vector<CsvField> fields;
  uint64_t line = 0;         // from 1
  size_t problem_field = 0;  // from 1; 0: the record as a whole
  std::string problem;       // empty: the record is good

  bool good() const { return problem.empty(); }
};

// Where commas, line feeds and carriage returns are: 64 bytes at a time.
class CsvMarks {
 public:
  explicit CsvMarks(std::string_view text) : text_(text) {}
  // The first one at or after `at`, or the end.
  size_t next(size_t at) {
    while (at < text_.size()) {
      const size_t block = at / 64;
      if (block != block_) find(block);
      const uint64_t rest = marks_ >> (at % 64);
      if (rest != 0) return at + static_cast<size_t>(__builtin_ctzll(rest));
      at = (block + 1) * 64;
    }
    return text_.size();
  }

 private:
  void find(size_t block);

  std::string_view text_;
  size_t block_ = SIZE_MAX;
  uint64_t marks_ = 0;  // of block_: bit i is byte i
};

class CsvReader {
 public:
  static constexpr size_t kFieldsMax = 4096;  // of one record; more are counted as one problem and not kept

  explicit CsvReader(std::string_view text);

  // A problem of the text as a whole, before any record: empty, or UTF-16. Empty string: none.
  const std::string& file_problem() const { return file_problem_; }

  // Every later record must have this many fields; 0: any number.
  void expect_fields(size_t count) { expected_fields_ = count; }

  // False at the end of the text.
  bool next(CsvRecord* record);

  size_t offset() const { return position_; }  // bytes read, for a progress bar
  size_t size() const { return text_.size(); }

 private:
  void read_quoted(CsvRecord* record);
  void read_plain(CsvRecord* record);
  bool read_fast(CsvRecord* record);
  void add_field(CsvRecord* record, std::string_view text, bool quoted);
  void set_problem(CsvRecord* record, size_t field, std::string reason);
  void skip_line();
  void end_line();
  bool at_line_end() const { return position_ >= text_.size() || text_[position_] == '\n' || at_crlf(position_); }
  bool at_crlf(size_t at) const { return text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n'; }

  std::string_view text_;
  CsvMarks marks_;
  bool plain_;
  size_t position_ = 0;
  uint64_t line_ = 1;
  size_t expected_fields_ = 0;
  size_t field_count_ = 0;         // of the record being read
  std::deque<std::string> owned_;  // texts of quoted fields that hold doubled quotes; a deque keeps views valid
  size_t owned_used_ = 0;
  std::string file_problem_;
};

}  // namespace hdb::shell
