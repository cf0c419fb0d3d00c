#include "shell/interactive.h"

#include <histedit.h>

#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <string>

#include "shell/interrupt.h"

namespace hdb::shell {

namespace {

bool g_continues = false;  // libedit's prompt callback has no better place to ask

char* prompt(EditLine*) {
  static char first[] = "holodb> ";
  static char more[] = "   ...> ";
  return g_continues ? more : first;
}

class LineEditor {
 public:
  LineEditor() : edit_(el_init("holodb", stdin, stdout, stderr)), history_(history_init()) {
    HistEvent event;
    history(history_, &event, H_SETSIZE, 2000);
    history(history_, &event, H_SETUNIQUE, 1);
    const char* file = std::getenv("HOLODB_HISTORY");
    const char* home = std::getenv("HOME");
    if (file != nullptr) {
      file_ = file;
    } else if (home != nullptr) {
      file_ = std::string(home) + "/.holodb_history";
    }
    if (!file_.empty()) history(history_, &event, H_LOAD, file_.c_str());
    el_set(edit_, EL_PROMPT, prompt);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_HIST, history, history_);
    el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(edit_, nullptr);
  }
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor() {
    HistEvent event;
    if (!file_.empty()) history(history_, &event, H_SAVE, file_.c_str());
    history_end(history_);
    el_end(edit_);
  }

  // False at the end of input; an interrupted line is empty.
  bool read(std::string* line) {
    line->clear();
    errno = 0;
    int count = 0;
    const char* text = el_gets(edit_, &count);
    if (text == nullptr || count <= 0) return interrupt_requested() || errno == EINTR;
    line->assign(text, static_cast<size_t>(count));
    return true;
  }
  void remember(const std::string& line) {
    HistEvent event;
    if (line.find_first_not_of(" \t\r\n") != std::string::npos) history(history_, &event, H_ENTER, line.c_str());
  }
  void forget_typed() { el_reset(edit_); }

 private:
  EditLine* edit_;
  History* history_;
  std::string file_;
};

}  // namespace

void run_interactive(Runner* runner) {
  std::setlocale(LC_CTYPE, "");  // libedit counts characters; numbers stay in the C locale
  runner->notice(std::string("HoloDb ") + holodb::version() + ", in memory. .help for commands, Ctrl-D to leave.\n");
  LineEditor editor;
  StatementSplitter splitter;
  std::string line;
  while (!runner->stopped()) {
    clear_interrupt();
    if (!splitter.pending()) splitter = StatementSplitter();  // lines count from where a statement begins
    g_continues = splitter.pending();
    if (!editor.read(&line)) {
      runner->notice("\n");
      break;
    }
    if (interrupt_requested()) {
      splitter.drop_pending();
      editor.forget_typed();
      runner->notice("^C\n");
      continue;
    }
    editor.remember(line);
    splitter.feed(line);
    Piece piece;
    while (!runner->stopped() && splitter.next(&piece)) {
      runner->run_piece(piece);
      if (interrupt_requested()) {
        splitter.drop_pending();
        break;
      }
    }
  }
}

}  // namespace hdb::shell
