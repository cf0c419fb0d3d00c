// oracle/conformance/library.h: the library under test, loaded by name, and the proof of which one it is.
//
// What:       load() opens the library, takes every function of holodb.h from it, and looks at what the loader did: the file that each
//             function lies in, its build id, what the library says of itself. abi.cc hands the C ABI's calls to it.
// Invariants: CL1 a library that was named by a path is the file that is judged: the same device and inode, in the map of the process, and
//                every function of holodb.h lies in it. Else load() fails; nothing else is ever judged in its place.
// Callers:    oracle/conformance/main.cc, once, before any call of the C ABI. One thread.
// Held by:    ci/conformance_test (a faulty library, a missing one, one that is none, and a program that ignores its option)
#pragma once

#include <holodb/holodb.h>

#include <string>
#include <vector>

namespace conformance {

struct Library {
  std::string asked;      // as given, or empty
  std::string path;       // the file that was loaded, without links
  std::string build_id;   // of its ELF note, or empty
  std::string version;    // "0.1.0"
  std::string source_id;  // 32 hexadecimal digits
};

// Where the program looks if no library is named: beside it and where the installation puts it, then where the loader looks.
std::vector<std::string> usual_places();
// Empty, or why it cannot be judged.
std::string load(const std::string& asked, Library& library);

// A function of holodb.h and where its address is kept.
struct Function {
  const char* name;
  void** address;
};
std::vector<Function> functions();

}  // namespace conformance
