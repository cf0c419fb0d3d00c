// shell/splitter.h: cuts a script into statements and dot commands while it is still arriving.
//
// What:       feed() lines; next() gives each complete piece with its place in the script. A statement ends at a ';' outside of
//             quotes and comments; a dot command is a line that begins with '.' where a statement could begin.
// Invariants: W1 a piece's text is a part of the script, unchanged; white space and comments before it are dropped.
//             W2 every byte of a statement is scanned once, however many lines it arrives in (a comment before it: once an arrival).
//             W3 a statement is cut at the same place whatever the sizes of the pieces that it arrived in.
//             W4 a piece costs what its own bytes cost, however many pieces its line or its script has.
// Units:      lines and columns from 1; columns count characters.
// Callers:    shell/runner.cc, shell/interactive.cc. One owner.
// Held by:    src/shell/splitter_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hdb::shell {

inline constexpr size_t kLineBytesKept = 1024;  // more than an error message shows on either side

struct Piece {
  std::string text;         // with its ';', if there was one
  std::string line_before;  // what stands before it on its first line, at most the last kLineBytesKept bytes
  std::string line_after;   // what stands behind it on its last line, as far as it has arrived and at most kLineBytesKept bytes
  uint64_t columns_before = 0;  // characters before it on its first line, kept or not
  uint64_t line = 1;        // where the text begins
  bool command = false;     // a dot command: one line, without its line end
};

class StatementSplitter {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }
  void finish() { finished_ = true; }  // no more will come: what is left is a piece
  bool next(Piece* piece);
  // A statement has begun and not ended: the prompt says so.
  bool pending() const { return begun_ && !finished_; }
  void drop_pending();  // Ctrl-C at the prompt

 private:
  enum class Mode { kPlain, kSingle, kDouble, kLineComment, kBlockComment };

  void skip_gap();
  void begin_piece();
  bool scan_statement();
  bool wait_for_more() const { return !finished_; }
  void take(size_t end, Piece* piece);
  void advance(size_t bytes);

  std::string buffer_;
  size_t start_ = 0;       // where the next piece begins, once begun_
  size_t scan_ = 0;        // how far it has been scanned
  size_t line_start_ = 0;  // of the line that start_ is on, or of what is kept of it
  uint64_t line_ = 1;      // of start_
  uint64_t columns_ = 0;   // characters before start_ on its line
  int comment_depth_ = 0;
  Mode mode_ = Mode::kPlain;
  bool begun_ = false;
  bool finished_ = false;
};

struct Place {
  uint64_t line = 1;
  uint64_t column = 1;
  std::string text;         // the whole line, without its end
  size_t caret_offset = 0;  // byte in text
};
// Where byte `position` of the piece's text is in the script.
Place place_in_script(const Piece& piece, size_t position);

}  // namespace hdb::shell
