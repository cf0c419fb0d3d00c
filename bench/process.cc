#include "bench/process.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace hdb::bench {
namespace {

bool write_all(int fd, const void* data, size_t bytes) {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool read_all(int fd, void* data, size_t bytes) {
  for (char* at = static_cast<char*>(data); bytes > 0;) {
    const ssize_t n = recv(fd, at, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool send_text(int fd, const std::string& text) {
  const uint64_t size = text.size();
  return write_all(fd, &size, sizeof size) && write_all(fd, text.data(), text.size());
}

bool receive_text(int fd, std::string& text) {
  uint64_t size;
  if (!read_all(fd, &size, sizeof size)) return false;
  text.resize(size);
  return read_all(fd, text.data(), size);
}

std::string phase = "start";
std::vector<Spent> spent;

void count_time(const std::string& worker, double seconds) {
  const auto at = std::find_if(spent.begin(), spent.end(), [&](const Spent& s) { return s.phase == phase && s.worker == worker; });
  if (at != spent.end()) {
    at->seconds += seconds;
  } else {
    spent.push_back({phase, worker, seconds});
  }
}

// The new process: answers until the other end closes. '+' or '-' (an exception) goes before the answer.
[[noreturn]] void serve(int fd, const std::function<Worker::Handler()>& make) {
  Worker::Handler handler;
  std::string command;
  while (receive_text(fd, command)) {
    std::string answer;
    try {
      if (!handler) handler = make();
      answer = '+' + handler(command);
    } catch (const std::exception& e) {
      answer = std::string("-") + e.what();
    }
    if (!send_text(fd, answer)) break;
  }
  _exit(0);
}

}  // namespace

Worker::Worker(std::string name, const std::function<Handler()>& make) : name_(std::move(name)) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw WorkerError(name_ + ": socketpair: " + std::strerror(errno));
  std::fflush(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw WorkerError(name_ + ": fork: " + std::strerror(errno));
  if (pid_ == 0) {
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    serve(ends[1], make);
  }
  close(ends[1]);
  socket_ = ends[0];
}

Worker::~Worker() {
  if (socket_ >= 0) close(socket_);
  if (pid_ > 0) {
    // It need not free its database, and it may hold memory that the next one wants.
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

std::string Worker::died() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  if (WIFSIGNALED(status)) return std::string("died of a signal: ") + strsignal(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

void begin_phase(const std::string& name) { phase = name; }
const std::vector<Spent>& time_spent() { return spent; }

std::string Worker::call(const std::string& command) {
  std::string answer;
  const auto start = std::chrono::steady_clock::now();
  if (!send_text(socket_, command) || !receive_text(socket_, answer)) throw WorkerError(name_ + ": " + command + ": " + died());
  count_time(name_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (answer.at(0) != '+') throw WorkerError(name_ + ": " + command + ": " + answer.substr(1));
  return answer.substr(1);
}

Progress::Progress(uint64_t steps) : steps_(steps), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (terminal_ && done_ > 0) std::fprintf(stderr, "\r\033[K");
}

void Progress::step(const std::string& what) {
  const uint64_t done = done_ < steps_ ? done_++ : steps_;
  if (!terminal_) return;
  constexpr uint64_t kWidth = 30;
  const uint64_t filled = done * kWidth / steps_;
  std::fprintf(stderr, "\r\033[K[%s%s] %3llu %%  %s", std::string(filled, '#').c_str(), std::string(kWidth - filled, '.').c_str(),
               static_cast<unsigned long long>(done * 100 / steps_), what.c_str());
}

Memory Memory::now() {
  Memory memory;
  if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    unsigned long long kib;
    while (std::fgets(line, sizeof line, file) != nullptr) {
      if (std::sscanf(line, "VmRSS: %llu kB", &kib) == 1) memory.resident = kib * 1024;
      if (std::sscanf(line, "VmHWM: %llu kB", &kib) == 1) memory.peak = kib * 1024;
    }
    std::fclose(file);
  }
  return memory;
}

}  // namespace hdb::bench
