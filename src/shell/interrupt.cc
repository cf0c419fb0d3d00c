#include "shell/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <thread>

namespace hdb::shell {

namespace {

std::atomic<bool> g_requested{false};
std::atomic<bool> g_running{false};
std::atomic<bool> g_ends_idle{false};
int g_pipe[2] = {-1, -1};
std::mutex g_mutex;                        // guards g_connection against the end of its scope
holodb::Connection* g_connection = nullptr;

extern "C" void on_interrupt(int) {
  const int saved = errno;
  if (!g_running.load() && g_ends_idle.load()) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
    return;
  }
  g_requested.store(true);
  const char byte = 'i';
  [[maybe_unused]] const ssize_t ignored = ::write(g_pipe[1], &byte, 1);
  errno = saved;
}

void watch() {
  char byte = 0;
  for (;;) {
    const ssize_t got = ::read(g_pipe[0], &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    const std::lock_guard<std::mutex> lock(g_mutex);
    if (g_connection != nullptr) g_connection->interrupt();
  }
}

}  // namespace

void install_interrupts(bool ends_idle) {
  g_ends_idle.store(ends_idle);
  if (g_pipe[0] >= 0 || ::pipe2(g_pipe, O_CLOEXEC) != 0) return;
  std::thread(watch).detach();
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);  // no SA_RESTART: a prompt's read comes back
}

bool interrupt_requested() { return g_requested.load(); }
void clear_interrupt() { g_requested.store(false); }

InterruptScope::InterruptScope(holodb::Connection& connection) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_connection = &connection;
  g_running.store(true);
}

InterruptScope::~InterruptScope() {
  g_running.store(false);
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_connection = nullptr;
}

}  // namespace hdb::shell
