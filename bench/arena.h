// One size of the comparison: all sides filled with the same members, the keys that come and go,
// and the measuring of one operation of one side. Every timed step proves its answer.
#ifndef TROMMEL_BENCH_ARENA_H_
#define TROMMEL_BENCH_ARENA_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/contenders.h"
#include "bench/workload.h"

namespace trommel::bench {

// What memory allows, in ns an operation, for each side's updates and queries.
struct SideCeilings {
  std::array<double, kNumSides> update_ns;
  std::array<double, kNumSides> query_ns;

  double For(Side side, Op op) const { return (IsUpdate(op) ? update_ns : query_ns)[side]; }
};

class Arena {
 public:
  // Fills every side with num_keys less one batch of members: insert steps bring in a batch of
  // guests, erase steps take it out again, so the filter stays at its capacity.
  Arena(uint64_t num_keys, double target_fpr);

  // Checks every side: all members present, strangers within kMaxSigmas of the prediction, batch
  // and point forms agree. Empty, or what is wrong. Sets measured_fpr.
  std::string Prove();

  // Times one batch. What is not timed (bringing guests in to be erased) happens outside the clock.
  // Negative if the answer was wrong.
  double StepSeconds(Side side, Op op);

  // Random reads and updates at each side's footprint and access shape: ours updates a line of
  // presence and two of counts (three when a block has 16 slices), a textbook k lines, a
  // split-block filter one. Queries read one line; a textbook's k.
  SideCeilings MeasureSideCeilings(double seconds_per_figure) const;

  const Contender& side(Side side) const { return *sides_[side]; }
  double measured_fpr(Side side) const { return measured_fpr_[side]; }
  double predicted_fpr(Side side) const { return sides_[side]->PredictedFpr(num_members_); }
  uint64_t num_keys() const { return num_keys_; }
  size_t batch_size() const { return batch_size_; }
  size_t steps_per_measurement() const { return steps_; }

 private:
  Batch NextBatch(const Population& population);

  uint64_t num_keys_;
  double target_fpr_;
  size_t batch_size_;
  size_t steps_;
  uint64_t num_members_;
  Population members_;  // the first of them, as many as are asked for in turn
  Population guests_;
  Population strangers_;
  std::vector<std::unique_ptr<Contender>> sides_;
  std::array<double, kNumSides> measured_fpr_{};
  size_t num_batches_taken_ = 0;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_ARENA_H_
