#include "shell/runner.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "shell/commands.h"
#include "shell/interrupt.h"
#include "shell/report.h"

namespace hdb::shell {

namespace {

ColumnKind kind_of(holodb::Type type) {
  switch (type) {
    case holodb::Type::kBigint:
    case holodb::Type::kDecimal: return ColumnKind::kNumber;
    case holodb::Type::kDouble: return ColumnKind::kDouble;
    case holodb::Type::kBoolean: return ColumnKind::kBoolean;
    default: return ColumnKind::kText;
  }
}

}  // namespace

std::string read_file(const std::string& file) {
  const auto refuse = [&](int code) {
    throw holodb::Error(HOLODB_ERROR, "58030", "cannot read '" + file + "': " + std::strerror(code));
  };
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) refuse(errno);
  std::string text;
  char chunk[1 << 16];
  size_t got = 0;
  while ((got = std::fread(chunk, 1, sizeof chunk, stream)) > 0) text.append(chunk, got);
  const int failure = std::ferror(stream) != 0 ? errno : 0;
  std::fclose(stream);
  if (failure != 0) refuse(failure);
  return text;
}

Runner::Runner(holodb::Connection& connection, Settings settings)
    : connection_(&connection), settings_(settings), error_style_(Style::of(stderr)) {}

void Runner::write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void Runner::notice(std::string_view text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void Runner::run_text(std::string_view script) {
  StatementSplitter splitter;
  splitter.feed(script);
  splitter.finish();
  run_pieces(&splitter);
}

// Statements run as soon as they are complete, so that a program can hold a conversation through two pipes.
void Runner::run_stream(std::FILE* stream) {
  StatementSplitter splitter;
  char chunk[1 << 16];
  for (;;) {
    const ssize_t got = ::read(::fileno(stream), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      notice(format_error("58030", std::string("cannot read the standard input: ") + std::strerror(errno), error_style_));
      failed_ = true;
    }
    if (got <= 0) break;
    splitter.feed(std::string_view(chunk, static_cast<size_t>(got)));
    run_pieces(&splitter);
    if (stopped_) return;
  }
  splitter.finish();
  run_pieces(&splitter);
}

void Runner::run_file(const std::string& file) {
  if (read_depth_ >= kReadDepthMax) {
    throw holodb::Error(HOLODB_ERROR, "54001", ".read is nested more than " + std::to_string(kReadDepthMax) + " deep");
  }
  const std::string script = read_file(file);
  ++read_depth_;
  run_text(script);
  --read_depth_;
}

void Runner::run_pieces(StatementSplitter* splitter) {
  Piece piece;
  while (!stopped_ && splitter->next(&piece)) run_piece(piece);
  std::fflush(stdout);
}

void Runner::run_piece(const Piece& piece) {
  clear_interrupt();
  if (piece.command) {
    try {
      run_command(this, piece.text);
    } catch (const holodb::Error& error) {
      report(piece, error, 0);
    }
  } else {
    run_sql(piece);
  }
  if (settings_.interactive) std::fflush(stdout);
  if (interrupt_requested() && !settings_.interactive) {
    failed_ = true;
    stopped_ = true;
  }
}

void Runner::run_sql(const Piece& piece) {
  const std::string_view text = piece.text;
  size_t offset = 0;
  // The splitter and the parser agree on where a statement ends; if they ever differ, what the parser left over runs as well.
  while (offset < text.size()) {
    try {
      const Stopwatch watch;
      size_t consumed = 0;
      const InterruptScope scope(*connection_);
      holodb::Statement statement = connection_->prepare(text.substr(offset), &consumed);
      if (statement) {
        const bool has_rows = statement.column_count() > 0;
        const uint64_t rows = show(statement);
        if (settings_.interactive && !has_rows && connection_->changes() > 0 && rows == 0) {
          const auto changed = static_cast<uint64_t>(connection_->changes());
          notice(format_count(changed) + (changed == 1 ? " row changed\n" : " rows changed\n"));
        }
        if (settings_.timer) notice("time " + format_seconds(watch.seconds()) + "\n");
      }
      if (consumed == 0) return;
      offset += consumed;
    } catch (const holodb::Error& error) {
      report(piece, error, offset);
      return;
    }
  }
}

uint64_t Runner::show(holodb::Statement& statement) {
  const int count = statement.column_count();
  bool more = statement.step();  // before anything is written: a statement that fails at once has no header
  if (count == 0) {
    while (more) more = statement.step();
    return 0;
  }
  std::vector<RenderColumn> columns;
  for (int i = 0; i < count; ++i) columns.push_back({std::string(statement.column_name(i)), kind_of(statement.column_type(i))});
  const auto renderer = make_renderer(settings_.render, [this](std::string_view text) { write(text); });
  uint64_t rows = 0;
  renderer->start(columns);
  try {
    std::vector<RenderCell> cells(static_cast<size_t>(count));
    std::vector<std::string> texts(static_cast<size_t>(count));
    for (; more; more = statement.step(), ++rows) {
      const holodb::Row row = statement.row();
      for (int i = 0; i < count; ++i) {
        const auto at = static_cast<size_t>(i);
        cells[at].null = row.is_null(i);
        // A copy, because a column's text lives only until the next call.
        texts[at] = cells[at].null ? std::string() : row.get<std::string>(i);
        cells[at].text = texts[at];
      }
      renderer->row(cells);
    }
  } catch (...) {
    renderer->abandon();
    throw;
  }
  renderer->finish();
  return rows;
}

// An error without a position is told where its statement begins, and shows no caret: there is nothing to point at.
void Runner::report(const Piece& piece, const holodb::Error& error, size_t offset) {
  failed_ = true;
  const bool has_position = error.position() >= 0;
  const size_t at = has_position ? offset + static_cast<size_t>(error.position()) : offset;
  notice(format_error(error.sqlstate(), error.what(), place_in_script(piece, at), has_position, error_style_));
  if (settings_.bail && !settings_.interactive) stopped_ = true;
}

void Runner::finish() {
  std::fflush(stdout);
  if (!connection_->in_transaction()) return;
  notice(format_warning("a transaction was still open at the end of the input; it was rolled back", error_style_));
  try {
    connection_->execute("ROLLBACK");
  } catch (const holodb::Error& error) {
    failed_ = true;
    notice(format_error(error.sqlstate(), error.what(), error_style_));
  }
}

}  // namespace hdb::shell
