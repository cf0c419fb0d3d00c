// Invariants checked: G5, G8, G9, G10: a crash at every call of a workload with every image leaves the state before or after the step; a failed call leaves
// a clear error and a right store; a store goes on after either.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

#include "io/simulated_files.h"
#include "pages/test_pages.h"

using namespace hdb;
using namespace hdb::test_pages;

namespace {

constexpr PageOptions kSmall{512, 2};

struct Step {
  std::string name;
  std::function<void(PageStore&)> run;
  std::function<void(State*)> means;  // what it does to the state
};

Step put_step(uint64_t commit, const Objects& objects) {
  return {"put " + std::to_string(commit), [=](PageStore& s) { Shelf(s).put(objects, commit); },
          [=](State* state) {
            state->commit = commit;
            for (const auto& [n, bytes] : objects) {
              if (bytes.empty()) state->objects.erase(n);
              else state->objects[n] = bytes;
            }
          }};
}
Step keep_step(const std::string& name) {
  return {"keep " + name, [=](PageStore& s) { s.keep(name); }, [=](State* state) { state->kept[name] = state->objects; }};
}
Step drop_step(const std::string& name) {
  return {"drop " + name, [=](PageStore& s) { s.drop(name); }, [=](State* state) { state->kept.erase(name); }};
}
Step restore_step(const std::string& name, uint64_t commit) {
  return {"restore " + name, [=](PageStore& s) { s.restore(name, commit, s.kept_root(name).payload); },
          [=](State* state) {
            state->objects = state->kept.at(name);
            state->commit = commit;
          }};
}
Step scrub_step() {
  return {"scrub", [](PageStore& s) { s.scrub(true); }, [](State*) {}};
}

// Objects over one page, one stripe and many; replaced until their stripes are half dead; kept and let go.
std::vector<Step> workload() {
  return {put_step(1, {{1, text_of(100, 1)}, {2, text_of(700, 2)}}),
          put_step(2, {{1, text_of(90, 3)}, {3, text_of(2500, 4)}}),
          keep_step("a"),
          put_step(3, {{2, text_of(600, 5)}, {3, {}}}),
          put_step(4, {{1, text_of(120, 6)}}),
          keep_step("b"),
          drop_step("a"),
          put_step(5, {{4, text_of(1000, 7)}}),
          put_step(6, {{2, text_of(1300, 8)}}),
          restore_step("b", 7),
          put_step(8, {{5, text_of(10, 9)}}),
          drop_step("b"),
          put_step(9, {{1, text_of(2000, 10)}}),
          put_step(10, {{6, text_of(300, 11)}})};
}
// Small objects are replaced one by one, so that every commit leaves a stripe half dead and some copy forward.
std::vector<Step> churn() {
  std::vector<Step> out;
  Objects all;
  for (uint32_t i = 0; i < 24; ++i) all[i] = text_of(150, i);
  out.push_back(put_step(1, all));
  out.push_back(keep_step("k"));
  for (uint64_t i = 2; i < 14; ++i) {
    Objects some;
    for (uint32_t j = 0; j < 3; ++j) some[static_cast<uint32_t>(i * 7 + j * 5) % 24] = text_of(150, 100 * i + j);
    out.push_back(put_step(i, some));
    if (i == 7) out.push_back(drop_step("k"));
    if (i == 9) out.push_back(scrub_step());
  }
  return out;
}

std::vector<State> states_of(const std::vector<Step>& steps) {
  std::vector<State> out(1);
  for (const Step& s : steps) {
    out.push_back(out.back());
    s.means(&out.back());
  }
  return out;
}

std::unique_ptr<SimulatedFiles> empty_disk(uint64_t seed) {
  auto files = std::make_unique<SimulatedFiles>(seed);
  PageStore::create(*files->open("d", OpenMode::kCreate), kId, kSmall);
  files->sync_directory("d");
  return files;
}

// Runs until a step fails; the number of steps that returned.
size_t run(SimulatedFiles& files, const std::vector<Step>& steps) {
  size_t done = 0;
  try {
    auto file = files.open("d", OpenMode::kReadWrite);
    std::vector<std::string> notices;
    PageStore store(*file, true, notices);
    for (; done < steps.size(); ++done) steps[done].run(store);
  } catch (const Error& e) {
    if (std::string_view(e.sqlstate()) != "58030") throw;
  }
  return done;
}

// Opens what a crash left, and goes on from there.
void check_image(SimulatedFiles& disk, const State& before, const State& after) {
  std::vector<std::string> notices;
  State found;
  {
    auto file = disk.open("d", OpenMode::kReadWrite);
    PageStore store(*file, true, notices);
    found = state_of(store);
    if (!(found == before)) REQUIRE(found == after);
    const ScrubReport report = store.scrub(false);
    REQUIRE((report.rebuilt.empty() && report.lost.empty()));
    Shelf(store).put({{77, text_of(800, 77)}}, 99);
    found.objects[77] = text_of(800, 77);
    found.commit = 99;
  }
  auto file = disk.open("d", OpenMode::kRead);
  PageStore store(*file, false, notices);
  REQUIRE(state_of(store) == found);
}

void crash_everywhere(const std::vector<Step>& steps, uint64_t images_max) {
  const std::vector<State> states = states_of(steps);
  const auto whole = empty_disk(1);
  const uint64_t first = whole->calls();
  REQUIRE(run(*whole, steps) == steps.size());
  uint64_t images = 0;
  for (uint64_t call = first + 1; call <= whole->calls(); ++call) {
    const auto files = empty_disk(1);
    files->crash_at(call);
    const size_t done = run(*files, steps);
    const size_t next = std::min(done + 1, steps.size());  // the last call may be one that a commit does not need
    images += files->for_each_image(images_max, [&](std::unique_ptr<SimulatedFiles> disk) { check_image(*disk, states[done], states[next]); });
  }
  REQUIRE(images > 500);
}

}  // namespace

TEST_CASE("a crash at any call leaves the state before or after the step - commits, kept roots, restoring") { crash_everywhere(workload(), 16); }

TEST_CASE("a crash at any call leaves the state before or after the step - reclaim and copying forward") { crash_everywhere(churn(), 10); }

TEST_CASE("a second crash while the first is being recovered leaves the same state") {
  const std::vector<Step> steps = workload();
  const std::vector<State> states = states_of(steps);
  const auto whole = empty_disk(2);
  const uint64_t first = whole->calls();
  run(*whole, steps);
  for (uint64_t call = first + 1; call <= whole->calls(); call += 3) {
    const auto files = empty_disk(2);
    files->crash_at(call);
    const size_t done = run(*files, steps);
    files->for_each_image(6, [&](std::unique_ptr<SimulatedFiles> disk) {
      for (uint64_t again = disk->calls() + 3; again < disk->calls() + 12; again += 2) {
        const auto second = disk->copy();
        second->crash_at(again);
        run(*second, {put_step(50, {{9, text_of(900, 9)}})});
        second->for_each_image(4, [&](std::unique_ptr<SimulatedFiles> last) {
          std::vector<std::string> notices;
          auto file = last->open("d", OpenMode::kReadWrite);
          PageStore store(*file, true, notices);
          State found = state_of(store);
          if (found.commit == 50) {
            REQUIRE(found.objects.at(9) == text_of(900, 9));
            return;
          }
          if (!(found == states[done])) REQUIRE(found == states[std::min(done + 1, steps.size())]);
        });
      }
    });
  }
}

TEST_CASE("a file of format 1 is made one of format 2, whenever the machine stops") {
  FileHeader old;
  old.format = 1;
  old.database_id = kId;
  const std::string header = encode_file_header(old);
  uint64_t images = 0, of_old = 0, of_new = 0;
  for (uint64_t call = 1;; ++call) {
    SimulatedFiles files(call);
    files.set_contents("d", header);
    files.crash_at(call + 1);
    bool stopped = false;
    try {
      PageStore::create(*files.open("d", OpenMode::kReadWrite), kId, kSmall);
    } catch (const Error&) {
      stopped = true;
    }
    images += files.for_each_image(40, [&](std::unique_ptr<SimulatedFiles> disk) {
      std::vector<std::string> notices;
      auto file = disk->open("d", OpenMode::kReadWrite);
      const FileHeader found = read_file_header(*file);
      REQUIRE(found.database_id == kId);
      ++(found.format == 1 ? of_old : of_new);
      if (found.format == 2) REQUIRE(PageStore(*file, true, notices).root().generation == 0);
      else REQUIRE(stopped);
    });
    if (!stopped) break;
  }
  REQUIRE((images > 30 && of_old > 0 && of_new > 0));
}

TEST_CASE("a call that fails is told, and the store is as it was or says that it must be opened again") {
  const std::vector<Step> steps = workload();
  const std::vector<State> states = states_of(steps);
  const auto whole = empty_disk(3);
  const uint64_t first = whole->calls();
  run(*whole, steps);
  uint64_t met = 0, went_on = 0, opened_again = 0;
  for (const Fault fault : {Fault::kError, Fault::kNoSpace, Fault::kShort}) {
    for (uint64_t call = first + 2; call <= whole->calls(); ++call) {
      const auto files = empty_disk(3);
      files->fail_call(call, fault);
      auto file = files->open("d", OpenMode::kReadWrite);
      std::vector<std::string> notices;
      std::unique_ptr<PageStore> store;
      try {
        store = std::make_unique<PageStore>(*file, true, notices);
      } catch (const Error& e) {
        REQUIRE(std::string_view(e.sqlstate()) != "XX000");
        store = std::make_unique<PageStore>(*file, true, notices);
      }
      for (size_t i = 0; i < steps.size(); ++i) {
        try {
          steps[i].run(*store);
        } catch (const Error& e) {
          REQUIRE(std::string_view(e.sqlstate()) == "58030");
          REQUIRE(std::string(e.what()).find(" d") != std::string::npos);
          REQUIRE(state_of(*store) == states[i]);  // reads go on
          try {
            steps[i].run(*store);
            ++went_on;
          } catch (const Error& again) {
            REQUIRE(std::string(again.what()).find("open it again") != std::string::npos);
            store.reset();
            store = std::make_unique<PageStore>(*file, true, notices);
            ++opened_again;
            const State found = state_of(*store);
            if (found == states[i]) steps[i].run(*store);
            else REQUIRE(found == states[i + 1]);
          }
        }
        REQUIRE(state_of(*store) == states[i + 1]);
      }
      met += files->faults_met();
      store.reset();
      REQUIRE(state_of(*std::make_unique<PageStore>(*file, false, notices)) == states.back());
    }
  }
  REQUIRE((met > 100 && went_on > 10 && opened_again > 10));
}

TEST_CASE("a disk that flips, misplaces or forgets what it was given is never believed") {
  const std::vector<Step> steps = workload();
  const std::vector<State> states = states_of(steps);
  const auto whole = empty_disk(4);
  const uint64_t first = whole->calls();
  run(*whole, steps);
  uint64_t right = 0, refused = 0, met = 0;
  const auto known = [&](const State& s) { return std::find(states.begin(), states.end(), s) != states.end(); };
  for (const Fault fault : {Fault::kFlip, Fault::kMisdirect, Fault::kLie}) {
    for (uint64_t call = first + 1; call <= whole->calls(); ++call) {
      const auto files = empty_disk(4 + call);
      files->fail_call(call, fault);
      if (fault == Fault::kLie) files->crash_at(call + 2);  // else the next sync makes it good
      size_t done = 0;
      const auto look = [&](SimulatedFiles& disk) {
        try {
          std::vector<std::string> notices;
          auto file = disk.open("d", OpenMode::kReadWrite);
          PageStore store(*file, true, notices);
          const State got = state_of(store);
          REQUIRE(known(got));
          if (fault == Fault::kFlip) REQUIRE(got == states[done]);
          ++right;
        } catch (const Error& e) {
          // One wrong bit can always be put right.
          REQUIRE((std::string_view(e.sqlstate()) == "XX001" && fault != Fault::kFlip));
          ++refused;
        }
      };
      try {
        done = run(*files, steps);
      } catch (const Error& e) {
        REQUIRE((std::string_view(e.sqlstate()) == "XX001" && fault != Fault::kFlip));
        ++refused;
        continue;
      }
      met += files->faults_met();
      if (fault == Fault::kLie) files->for_each_image(6, [&](std::unique_ptr<SimulatedFiles> disk) { look(*disk); });
      else look(*files);
    }
  }
  REQUIRE((met > 50 && right > 100 && refused < right));
}

TEST_CASE("a full disk leaves the store as it was, and space makes it go on") {
  for (uint64_t room = 0; room < 6000; room += 250) {
    SimulatedFiles files(9);
    PageStore::create(*files.open("d", OpenMode::kCreate), kId, kSmall);
    auto file = files.open("d", OpenMode::kReadWrite);
    std::vector<std::string> notices;
    PageStore store(*file, true, notices);
    Shelf shelf(store);
    shelf.put({{1, text_of(100, 1)}}, 1);
    files.set_space(file->size() + room);
    const State before = state_of(store);
    try {
      Shelf(store).put({{2, text_of(5000, 2)}}, 2);
      REQUIRE(room > 5000);
    } catch (const Error& e) {
      REQUIRE(failure([&] { throw e; }).find("No space left on device") != std::string::npos);
      REQUIRE(state_of(store) == before);
    }
    files.set_space(UINT64_MAX);
    Shelf(store).put({{3, text_of(5000, 3)}}, 3);
    REQUIRE(Shelf(store).objects(store.root().payload).at(3) == text_of(5000, 3));
  }
}
