// shell/render.h: a result as text: CSV, JSON, a box, lines, Markdown.
//
// What:       start() with the columns, row() for each row, finish(). Values arrive as the engine's text (holodb_column_text), so a
//             digit is never formatted twice. INTERFACE pins CSV and JSON; the other three are for people.
// CSV:        RFC 4180 with LF; quotes only where needed; NULL is an empty field and the empty string is "".
// JSON:       a result is one array on one line; integers, decimals and finite doubles are numbers with all their digits.
// For people: numbers to the right; NULL is told apart from text by being dim (on a terminal) and is spelled NULL; control
//             characters are escaped. A box is as wide as its widest value among the first kBoxRowsMeasured rows.
// Invariants: R1 nothing reaches the sink before finish() or a full buffer, so that abandon() can take back a short result whole.
// Callers:    shell/. One owner.
// Held by:    src/shell/render_test.cc
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hdb::shell {

enum class OutputMode { kBox, kCsv, kJson, kLine, kMarkdown };

// False if the text names no mode.
bool parse_output_mode(std::string_view text, OutputMode* mode);
const char* output_mode_name(OutputMode mode);

enum class ColumnKind { kText, kNumber, kDouble, kBoolean };

struct RenderColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kText;
};

struct RenderCell {
  std::string_view text;
  bool null = false;
};

struct RenderOptions {
  OutputMode mode = OutputMode::kBox;
  bool header = true;
  bool colour = false;
};

using Sink = std::function<void(std::string_view)>;

class Renderer {
 public:
  static constexpr size_t kBufferBytes = 1 << 20;
  static constexpr size_t kBoxRowsMeasured = 50'000;

  virtual ~Renderer() = default;
  virtual void start(const std::vector<RenderColumn>& columns) = 0;
  virtual void row(const std::vector<RenderCell>& cells) = 0;
  virtual void finish() = 0;
  // The statement failed on the way: takes back what has not been written, and closes what has.
  void abandon();

 protected:
  explicit Renderer(Sink sink) : sink_(std::move(sink)) {}
  void flush_if_full() {
    if (out_.size() >= kBufferBytes) flush();
  }
  void flush();
  virtual void close_partial() {}

  std::string out_;

 private:
  Sink sink_;
  bool written_ = false;
};

std::unique_ptr<Renderer> make_renderer(const RenderOptions& options, Sink sink);

// Building blocks, also for the demo and the commands.
void append_csv_field(std::string* out, std::string_view text, bool null);
void append_json_string(std::string* out, std::string_view text);
void append_padded(std::string* out, std::string_view text, size_t cells, bool right);

}  // namespace hdb::shell
