#include "exec/run.h"

#include <chrono>

#include "base/pool.h"

namespace hdb {

namespace {

constexpr uint64_t kSerialRows = 50'000;  // some 60 us of work: what waking a helper takes

uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

class ProbeStage final : public Stage {
 public:
  explicit ProbeStage(Probe& probe) : probe_(probe) {}
  std::unique_ptr<Operator> instance(Worker&, Operator* next) override {
    class Count final : public Operator {
     public:
      Count(Probe& p, Operator* n) : Operator(n), probe_(p) {}
      void push(Chunk& chunk) override {
        const uint64_t begin = now_ns();
        probe_.rows.fetch_add(chunk.rows, std::memory_order_relaxed);
        next_->push(chunk);
        probe_.ns_after.fetch_add(now_ns() - begin, std::memory_order_relaxed);
      }

     private:
      Probe& probe_;
    };
    return std::make_unique<Count>(probe_, next);
  }

 private:
  Probe& probe_;
};

// One worker's chain: the sink's instance at the end, the first stage at the front.
struct Chain {
  explicit Chain(ExecContext& context) : worker(context) {}
  Worker worker;
  std::vector<std::unique_ptr<Operator>> stages;  // last stage first
  Operator* head = nullptr;
};

}  // namespace

std::unique_ptr<Stage> probe_rows_stage(Probe& probe) { return std::make_unique<ProbeStage>(probe); }

void run_pipeline(Pipeline& pipeline, Sink& sink, ExecContext& context, const std::vector<Probe*>& probes) {
  const uint64_t begin = context.analyze ? now_ns() : 0;
  const uint32_t morsels = pipeline.source->morsels();
  uint32_t workers = 1;
  if (!pipeline.sequential && context.pool != nullptr && context.threads > 1 && pipeline.source->rows_hint() > kSerialRows)
    workers = context.pool->workers_for(morsels, context.threads);
  std::deque<Chain> chains;
  std::vector<std::unique_ptr<Operator>> ends;
  for (uint32_t w = 0; w < workers; ++w) {
    Chain& chain = chains.emplace_back(context);
    ends.push_back(sink.instance(chain.worker));
    chain.head = ends.back().get();
    for (size_t s = pipeline.stages.size(); s-- > 0;) {
      chain.stages.push_back(pipeline.stages[s]->instance(chain.worker, chain.head));
      chain.head = chain.stages.back().get();
    }
  }
  if (workers == 1) {
    Chain& chain = chains.front();
    for (uint32_t m = 0; m < morsels && chain.head->wants_more(); ++m) {
      context.cancel->check();
      chain.head->start(m);
      pipeline.source->run(m, chain.worker, *chain.head);
    }
  } else {
    context.pool->parallel_for(morsels, workers, [&](uint32_t worker, uint32_t morsel) {
      Chain& chain = chains[worker];
      context.cancel->check();
      chain.head->start(morsel);
      pipeline.source->run(morsel, chain.worker, *chain.head);
    });
  }
  sink.finish(chains.front().worker, ends);
  if (probes.empty()) return;
  // A node's own time is what passed before its rows were handed on, less what had passed before they came to it.
  uint64_t before = now_ns() - begin;
  for (Probe* p : probes) {
    const uint64_t after = p->ns_after.load(std::memory_order_relaxed);
    p->ns += before > after ? before - after : 0;
    before = after;
  }
}

}  // namespace hdb
