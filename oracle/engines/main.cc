// engines: HoloDb beside another engine, over a script or over random tables; oracle/compare and fuzz/campaign --engine are its front ends.
//
// Invariants checked: H2 against another engine, with exact arithmetic and the executable model as judges. Exit: 0 no difference that is not known, 1
// findings, 2 it could not be compared.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "exact_token.h"
#include "finding.h"

namespace engines {

namespace {

constexpr const char* kUsage =
    "engines SCRIPT.sql --engine CMD [--profile NAME] [--out DIR]\n"
    "engines --campaign --engine CMD [--profile NAME] [--seed N] [--rounds N] [--seconds N] [--findings N] [--out DIR]\n"
    "  CMD takes SQL on standard input and prints a JSON array for each query; --profile: a name of oracle/engines/profiles, or a path (sqlite)\n";

struct Options {
  std::string script, engine, profile = "sqlite", out;
  bool campaign = false;
  uint64_t seed = 1;
  int rounds = 200;
  double seconds = 1e9;
  size_t findings = 5;
};

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw std::runtime_error(word + " needs a value\n" + kUsage);
      return argv[++i];
    };
    if (word == "--engine") o.engine = value();
    else if (word == "--profile") o.profile = value();
    else if (word == "--out") o.out = value();
    else if (word == "--campaign") o.campaign = true;
    else if (word == "--seed") o.seed = std::strtoull(value().c_str(), nullptr, 10);
    else if (word == "--rounds") o.rounds = std::atoi(value().c_str());
    else if (word == "--seconds") o.seconds = std::atof(value().c_str());
    else if (word == "--findings") o.findings = std::strtoull(value().c_str(), nullptr, 10);
    else if (word[0] == '-' || !o.script.empty()) throw std::runtime_error("no such option: " + word + "\n" + kUsage);
    else o.script = word;
  }
  if (o.engine.empty() || o.campaign == !o.script.empty()) throw std::runtime_error(std::string("a script or --campaign, and --engine\n") + kUsage);
  return o;
}

void tell(const Finding& f, size_t number, const Options& o) {
  std::printf("FINDING %zu kind=%s\n", number, f.kind.c_str());
  for (const std::string& sql : f.setup) std::printf("  %s;\n", sql.c_str());
  std::printf("  %s;\n  engine:  %s\n  HoloDb:  %s\n", f.question.c_str(), f.engine.c_str(), f.holodb.c_str());
  if (!f.model.empty()) std::printf("  model:   %s\n", f.model.c_str());
  std::printf("  exact:   %s\nVERDICT %s\n", f.exact.c_str(), f.verdict.c_str());
  if (o.out.empty()) return;
  std::filesystem::create_directories(o.out);
  const std::string name = o.out + "/finding-" + std::to_string(number);
  std::ofstream sql(name + ".sql");
  for (const std::string& s : f.setup) sql << s << ";\n";
  sql << f.question << ";\n";
  if (!f.slt.empty()) std::ofstream(name + ".slt") << f.slt;
  std::printf("REPLAY oracle/compare %s.sql --engine '%s' --profile %s\n", name.c_str(), o.engine.c_str(), o.profile.c_str());
}

int run(const Options& o) {
  const Profile profile = read_profile(o.profile);
  const External engine(o.engine, profile);
  Ratio probe;
  const std::vector<Answer> alive = engine.run({"SELECT 1 AS a"});
  if (!alive[0].ok || alive[0].rows.size() != 1 || !ratio_from(alive[0].rows[0].at(0).text, &probe) || probe != 1)
    throw std::runtime_error("the engine does not answer SELECT 1 with JSON: " + alive[0].error);
  Found found;
  if (o.campaign) {
    found = campaign(o.seed, o.rounds, o.seconds, o.findings, engine, profile);
  } else {
    std::ifstream file(o.script);
    if (!file) throw std::runtime_error("cannot read " + o.script);
    std::ostringstream text;
    text << file.rdbuf();
    found = compare_script(text.str(), engine, profile);
  }
  for (size_t i = 0; i < found.findings.size(); ++i) tell(found.findings[i], i + 1, o);
  for (const auto& [name, times] : found.known) std::printf("known: %s (%llu times)\n", name.c_str(), static_cast<unsigned long long>(times));
  std::printf("COMPARE engine='%s' profile=%s statements=%llu findings=%zu%s\n", o.engine.c_str(), profile.name.c_str(), static_cast<unsigned long long>(found.compared),
              found.findings.size(), o.campaign ? (" rounds=" + std::to_string(found.rounds) + " seed=" + std::to_string(o.seed)).c_str() : "");
  if (found.compared == 0) throw std::runtime_error("nothing was compared");
  return found.findings.empty() ? 0 : 1;
}

}  // namespace

}  // namespace engines

int main(int argc, char** argv) {
  try {
    return engines::run(engines::parse(argc, argv));
  } catch (const judge::Failure& f) {
    std::fprintf(stderr, "engines: %s: %s\n", f.kind.c_str(), f.text.c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "engines: %s\n", e.what());
  }
  return 2;
}
