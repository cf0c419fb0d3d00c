// A limb's cells from a summary that has its columns.
#include <atomic>

#include "base/pool.h"
#include "exec/limb_build.h"
#include "plane/summary.h"

namespace hdb {

namespace {

constexpr uint64_t kTaskCells = 16 * uint64_t{kVectorRows};

}  // namespace

std::shared_ptr<Limb> limb_from_summary(const LimbShape& shape, const LimbPlan& plan, Executor& executor) {
  ExecContext& context = executor.context();
  const std::shared_ptr<const Summary> summary = limb_summary(shape, context.snapshot);
  if (summary == nullptr) return nullptr;
  const LimbPlaces places = summary->limb_places(plan.form);
  const auto tasks = static_cast<uint32_t>((places.cells + kTaskCells - 1) / kTaskCells);
  uint32_t workers = 1;
  if (context.pool != nullptr && tasks >= 4) workers = context.pool->workers_for(tasks, context.threads);
  // Cells that may meet are added up by each worker for itself.
  const uint32_t copies = places.apart ? 1 : workers;
  std::vector<LimbCells> cells;
  for (uint32_t c = 0; c < copies; ++c) cells.emplace_back(plan.form.fields(), context.budget);
  std::atomic<bool> ok{true};
  const auto one = [&](uint32_t w, uint32_t task) {
    context.cancel->check();
    const uint64_t first = task * kTaskCells, end = task + 1 == tasks ? places.cells : first + kTaskCells;
    if (!ok.load(std::memory_order_relaxed)) return;
    if (!summary->add_to_limb(context.snapshot, plan.form, places, first, end, cells[places.apart ? 0 : w].data())) ok.store(false, std::memory_order_relaxed);
  };
  if (workers == 1) {
    for (uint32_t t = 0; t < tasks; ++t) one(0, t);
  } else {
    context.pool->parallel_for(tasks, workers, one);
  }
  if (!ok.load() || !summary->add_own_to_limb(context.snapshot, plan.form, places, cells[0].data())) return nullptr;
  for (uint32_t c = 1; c < copies; ++c) {
    int64_t* to = cells[0].data();
    const int64_t* from = cells[c].data();
    for (uint64_t i = 0, n = plan.form.fields(); i < n; ++i) to[i] += from[i];
  }
  return std::make_shared<Limb>(plan.form, std::move(cells[0]), plan.bound, plan.rows);
}

}  // namespace hdb
