#include "shell/render.h"

#include <algorithm>

#include "shell/utf8.h"

namespace hdb::shell {

namespace {

struct ModeName {
  const char* name;
  OutputMode mode;
};
constexpr ModeName kModes[] = {{"box", OutputMode::kBox},
                               {"csv", OutputMode::kCsv},
                               {"json", OutputMode::kJson},
                               {"line", OutputMode::kLine},
                               {"markdown", OutputMode::kMarkdown}};

bool is_numeric(ColumnKind kind) { return kind == ColumnKind::kNumber || kind == ColumnKind::kDouble; }

void repeat(std::string* out, std::string_view text, size_t times) {
  for (size_t i = 0; i < times; ++i) out->append(text);
}

}  // namespace

bool parse_output_mode(std::string_view text, OutputMode* mode) {
  for (const ModeName& one : kModes) {
    if (text != one.name) continue;
    *mode = one.mode;
    return true;
  }
  return false;
}

const char* output_mode_name(OutputMode mode) {
  for (const ModeName& one : kModes) {
    if (one.mode == mode) return one.name;
  }
  return "box";
}

void append_csv_field(std::string* out, std::string_view text, bool null) {
  if (null) return;
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out->append(text);
    return;
  }
  out->push_back('"');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

void append_json_string(std::string* out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out->push_back('"');
  for (size_t i = 0; i < text.size();) {
    const Decoded one = decode_utf8(text, i);
    if (!one.valid) {
      append_utf8(out, 0xFFFD);
    } else if (one.code == '"' || one.code == '\\') {
      out->push_back('\\');
      out->push_back(static_cast<char>(one.code));
    } else if (one.code == '\n') {
      out->append("\\n");
    } else if (one.code == '\t') {
      out->append("\\t");
    } else if (one.code == '\r') {
      out->append("\\r");
    } else if (one.code < 0x20) {
      out->append("\\u00");
      out->push_back(kHex[one.code >> 4]);
      out->push_back(kHex[one.code & 15]);
    } else {
      out->append(text.substr(i, one.bytes));
    }
    i += one.bytes;
  }
  out->push_back('"');
}

void append_padded(std::string* out, std::string_view text, size_t cells, bool right) {
  const size_t used = display_cells(text);
  const size_t padding = used < cells ? cells - used : 0;
  if (right) out->append(padding, ' ');
  out->append(text);
  if (!right) out->append(padding, ' ');
}

void Renderer::flush() {
  if (out_.empty()) return;
  sink_(out_);
  out_.clear();
  written_ = true;
}

void Renderer::abandon() {
  if (!written_) {
    out_.clear();
    return;
  }
  close_partial();
  flush();
}

namespace {

class CsvRenderer final : public Renderer {
 public:
  CsvRenderer(const RenderOptions& options, Sink sink) : Renderer(std::move(sink)), header_(options.header) {}

  void start(const std::vector<RenderColumn>& columns) override {
    if (!header_) return;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) out_.push_back(',');
      append_csv_field(&out_, columns[i].name, false);
    }
    out_.push_back('\n');
  }
  void row(const std::vector<RenderCell>& cells) override {
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out_.push_back(',');
      append_csv_field(&out_, cells[i].text, cells[i].null);
    }
    out_.push_back('\n');
    flush_if_full();
  }
  void finish() override { flush(); }

 private:
  bool header_;
};

class JsonRenderer final : public Renderer {
 public:
  explicit JsonRenderer(Sink sink) : Renderer(std::move(sink)) {}

  void start(const std::vector<RenderColumn>& columns) override {
    out_.push_back('[');
    for (const RenderColumn& column : columns) {
      std::string key;
      append_json_string(&key, column.name);
      keys_.push_back(key + ":");
      kinds_.push_back(column.kind);
    }
  }
  void row(const std::vector<RenderCell>& cells) override {
    if (!first_) out_.push_back(',');
    first_ = false;
    out_.push_back('{');
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out_.push_back(',');
      out_.append(keys_[i]);
      append_value(cells[i], kinds_[i]);
    }
    out_.push_back('}');
    flush_if_full();
  }
  void finish() override {
    out_.append("]\n");
    flush();
  }

 private:
  void close_partial() override { out_.append("]\n"); }
  void append_value(const RenderCell& cell, ColumnKind kind) {
    if (cell.null) {
      out_.append("null");
    } else if (kind == ColumnKind::kText || (kind == ColumnKind::kDouble && cell.text.find_first_of("Nn") != std::string_view::npos)) {
      append_json_string(&out_, cell.text);  // NaN and Infinity hold an n; no finite number does
    } else {
      out_.append(cell.text);
    }
  }

  std::vector<std::string> keys_;
  std::vector<ColumnKind> kinds_;
  bool first_ = true;
};

class LineRenderer final : public Renderer {
 public:
  explicit LineRenderer(Sink sink) : Renderer(std::move(sink)) {}

  void start(const std::vector<RenderColumn>& columns) override {
    for (const RenderColumn& column : columns) {
      names_.push_back(printable(column.name));
      width_ = std::max(width_, display_cells(names_.back()));
    }
  }
  void row(const std::vector<RenderCell>& cells) override {
    if (!first_) out_.push_back('\n');
    first_ = false;
    for (size_t i = 0; i < cells.size(); ++i) {
      append_padded(&out_, names_[i], width_, true);
      out_.append(" = ");
      out_.append(cells[i].null ? "NULL" : printable(cells[i].text));
      out_.push_back('\n');
    }
    flush_if_full();
  }
  void finish() override { flush(); }

 private:
  std::vector<std::string> names_;
  size_t width_ = 0;
  bool first_ = true;
};

// Box and Markdown: both line up columns, so both hold rows back until the widths are known.
class GridRenderer : public Renderer {
 public:
  GridRenderer(const RenderOptions& options, Sink sink) : Renderer(std::move(sink)), options_(options) {}

  void start(const std::vector<RenderColumn>& columns) override {
    for (const RenderColumn& column : columns) {
      names_.push_back(shown(column.name));
      right_.push_back(is_numeric(column.kind));
      widths_.push_back(options_.header ? std::max<size_t>(display_cells(names_.back()), 1) : 1);
    }
  }
  void row(const std::vector<RenderCell>& cells) override {
    std::vector<Held> held(cells.size());
    for (size_t i = 0; i < cells.size(); ++i) {
      held[i].null = cells[i].null;
      held[i].text = cells[i].null ? "NULL" : shown(cells[i].text);
      if (!opened_) widths_[i] = std::max(widths_[i], display_cells(held[i].text));
    }
    if (opened_) {
      put_row(held);
    } else {
      held_.push_back(std::move(held));
      if (held_.size() >= kBoxRowsMeasured) open();
    }
    flush_if_full();
  }
  void finish() override {
    if (!opened_) open();
    put_end();
    flush();
  }

 protected:
  struct Held {
    std::string text;
    bool null = false;
  };

  virtual std::string shown(std::string_view text) const { return printable(text); }
  virtual void put_begin() = 0;
  virtual void put_row(const std::vector<Held>& cells) = 0;
  virtual void put_end() {}
  void close_partial() override {
    if (opened_) put_end();
  }
  void open() {
    opened_ = true;
    put_begin();
    for (const auto& held : held_) put_row(held);
    held_.clear();
  }

  RenderOptions options_;
  std::vector<std::string> names_;
  std::vector<bool> right_;
  std::vector<size_t> widths_;

 private:
  std::vector<std::vector<Held>> held_;
  bool opened_ = false;
};

class BoxRenderer final : public GridRenderer {
 public:
  using GridRenderer::GridRenderer;

 private:
  void put_begin() override {
    rule("┌", "┬", "┐");
    if (!options_.header) return;
    for (size_t i = 0; i < names_.size(); ++i) {
      out_.append(i == 0 ? "│ " : " │ ");
      if (options_.colour) out_.append("\x1b[1m");
      append_padded(&out_, names_[i], widths_[i], right_[i]);
      if (options_.colour) out_.append("\x1b[0m");
    }
    out_.append(" │\n");
    rule("├", "┼", "┤");
  }
  void put_row(const std::vector<Held>& cells) override {
    for (size_t i = 0; i < cells.size(); ++i) {
      out_.append(i == 0 ? "│ " : " │ ");
      const bool dim = options_.colour && cells[i].null;
      if (dim) out_.append("\x1b[2m");
      append_padded(&out_, cells[i].text, widths_[i], right_[i]);
      if (dim) out_.append("\x1b[0m");
    }
    out_.append(" │\n");
  }
  void put_end() override { rule("└", "┴", "┘"); }
  void rule(std::string_view left, std::string_view middle, std::string_view right) {
    for (size_t i = 0; i < widths_.size(); ++i) {
      out_.append(i == 0 ? left : middle);
      repeat(&out_, "─", widths_[i] + 2);
    }
    out_.append(right);
    out_.push_back('\n');
  }
};

class MarkdownRenderer final : public GridRenderer {
 public:
  using GridRenderer::GridRenderer;

 private:
  std::string shown(std::string_view text) const override {
    std::string escaped;
    for (const char c : printable(text)) {
      if (c == '|') escaped.push_back('\\');
      escaped.push_back(c);
    }
    return escaped;
  }
  void put_begin() override {
    for (size_t& width : widths_) width = std::max<size_t>(width, 3);
    if (!options_.header) return;
    for (size_t i = 0; i < names_.size(); ++i) {
      out_.append(i == 0 ? "| " : " | ");
      append_padded(&out_, names_[i], widths_[i], right_[i]);
    }
    out_.append(" |\n");
    for (size_t i = 0; i < names_.size(); ++i) {
      out_.append(i == 0 ? "| " : " | ");
      out_.append(widths_[i] - (right_[i] ? 1 : 0), '-');
      if (right_[i]) out_.push_back(':');
    }
    out_.append(" |\n");
  }
  void put_row(const std::vector<Held>& cells) override {
    for (size_t i = 0; i < cells.size(); ++i) {
      out_.append(i == 0 ? "| " : " | ");
      append_padded(&out_, cells[i].text, widths_[i], right_[i]);
    }
    out_.append(" |\n");
  }
};

}  // namespace

std::unique_ptr<Renderer> make_renderer(const RenderOptions& options, Sink sink) {
  switch (options.mode) {
    case OutputMode::kCsv: return std::make_unique<CsvRenderer>(options, std::move(sink));
    case OutputMode::kJson: return std::make_unique<JsonRenderer>(std::move(sink));
    case OutputMode::kLine: return std::make_unique<LineRenderer>(std::move(sink));
    case OutputMode::kMarkdown: return std::make_unique<MarkdownRenderer>(options, std::move(sink));
    case OutputMode::kBox: break;
  }
  return std::make_unique<BoxRenderer>(options, std::move(sink));
}

}  // namespace hdb::shell
