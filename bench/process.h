// bench/process.h: an engine in a process of its own, and a bar that shows how far the run is.
//
// What:       Worker forks a process that answers commands; Progress draws on standard error if that is a terminal; Memory reads what the
//             kernel says that this process keeps. begin_phase and time_spent: where the run's time goes.
// Invariants: W1 one command runs at a time, so that engines never compete for the cores while one of them is timed.
//             W2 an engine that throws, crashes or is killed ends its call() with a WorkerError that names it.
//             W3 a worker does not outlive the process that made it.
// Callers:    bench/side_by_side.cc, bench/worker.cc
// Held by:    bench/selftest
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace hdb::bench {

class WorkerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Worker {
 public:
  using Handler = std::function<std::string(const std::string& command)>;
  // make runs in the new process; fork before this process has threads or much memory.
  Worker(std::string name, const std::function<Handler()>& make);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  std::string call(const std::string& command);
  const std::string& name() const { return name_; }

 private:
  std::string died();

  std::string name_;
  pid_t pid_ = -1;
  int socket_ = -1;
};

// From here on time counts for this part of the run ("loads", "loop 1").
void begin_phase(const std::string& name);
// Seconds that calls took, by phase and by the worker's name, phases in the order of their first call.
struct Spent {
  std::string phase;
  std::string worker;
  double seconds = 0;
};
const std::vector<Spent>& time_spent();

class Progress {
 public:
  explicit Progress(uint64_t steps);
  ~Progress();
  void step(const std::string& what);  // call it as the step begins

 private:
  uint64_t steps_;
  uint64_t done_ = 0;
  bool terminal_;
};

struct Memory {
  uint64_t resident = 0;  // bytes
  uint64_t peak = 0;
  static Memory now();
};

}  // namespace hdb::bench
