// One size of the comparison: all sides filled with the same members, the keys that come and go,
// and the measuring of one operation of one side. Every timed step proves its answer.
#ifndef TROMMEL_BENCH_ARENA_H_
#define TROMMEL_BENCH_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/contenders.h"
#include "bench/workload.h"

namespace trommel::bench {

// What memory allows, in ns an operation, for each side's updates and queries.
struct SideCeilings {
  std::vector<double> update_ns;
  std::vector<double> query_ns;

  double For(size_t side, Op op) const { return (IsUpdate(op) ? update_ns : query_ns)[side]; }
};

class Arena {
 public:
  // Fills every side with num_keys less one batch of members: insert steps bring in a batch of
  // guests, erase steps take it out again, so the filter stands at its capacity while it is
  // measured. The sides are sized for num_keys.
  Arena(uint64_t num_keys, std::vector<std::unique_ptr<Contender>> sides);

  // Checks every side: all members present, strangers within kMaxSigmas of the prediction, batch
  // and point forms agree. Empty, or what is wrong. Sets measured_fpr.
  std::string Prove();

  // Times one batch. What is not timed (bringing guests in to be erased) happens outside the clock.
  // Negative if the answer was wrong.
  double StepSeconds(size_t side, Op op);

  // Random reads and updates at these sides' footprints with their access shapes; NaN for the
  // others. Equal shapes are measured once.
  SideCeilings MeasureSideCeilings(const std::vector<size_t>& sides,
                                   double seconds_per_figure) const;

  // After the last step: brings in the batch of members that is missing, for good. Every side then
  // holds num_keys.
  void FillUp();

  // After FillUp: takes every member out of every side that can erase, and checks that each was
  // there and that nothing is left to answer for. Empty, or what is wrong.
  std::string EraseAll();

  size_t num_sides() const { return sides_.size(); }
  const Contender& side(size_t side) const { return *sides_[side]; }
  double measured_fpr(size_t side) const { return measured_fpr_[side]; }
  double predicted_fpr(size_t side) const { return sides_[side]->PredictedFpr(num_members_); }
  uint64_t num_keys() const { return num_keys_; }
  size_t batch_size() const { return batch_size_; }
  size_t steps_per_measurement() const { return steps_; }

 private:
  Batch NextBatch(const Population& population);
  // Calls visit(side) for one side of each filter.
  template <class Visit>
  void ForEachFilter(const Visit& visit);

  uint64_t num_keys_;
  size_t batch_size_;
  size_t steps_;
  uint64_t num_members_;
  Population members_;  // the first of them, as many as are asked for in turn
  Population guests_;
  Population strangers_;
  std::vector<std::unique_ptr<Contender>> sides_;
  std::vector<double> measured_fpr_;
  size_t num_batches_taken_ = 0;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_ARENA_H_
