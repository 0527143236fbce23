// One size of a comparison: all sides filled with the same members, the keys that are inserted and
// erased again, and the timing of one operation of one side. Every timed step proves its answer.
#ifndef TROMMEL_BENCH_TRIALS_ARENA_H_
#define TROMMEL_BENCH_TRIALS_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/sides/contenders.h"
#include "bench/sides/workload.h"
#include "bench/text/figures.h"

namespace trommel::bench {

// What memory allows a side, in ns per operation.
struct SideCeilings {
  double update_ns;
  double query_ns;

  double For(Op op) const { return IsUpdate(op) ? update_ns : query_ns; }
};

class Arena {
 public:
  // Fills every side with num_keys less one batch of members: insert steps add a batch of guests,
  // erase steps remove it again, so the filter is at its capacity while it is measured. The sides
  // are sized for num_keys. Batches have a size that suits num_keys.
  Arena(uint64_t num_keys, std::vector<std::unique_ptr<Contender>> sides);
  // The same with batches of batch_size, but at most a fifteenth of the keys.
  Arena(uint64_t num_keys, size_t batch_size, std::vector<std::unique_ptr<Contender>> sides);

  // Checks every side: all members present, the rate of non-members within kMaxSigmas of the
  // prediction, batch and point forms equal. Returns what is wrong, or "". Sets measured_fpr.
  std::string Prove();

  // Times one batch; guests that are inserted only to be erased are not timed. Negative if the
  // answer was wrong.
  double StepSeconds(size_t side, Op op);

  // One measurement, of as many steps each time. Negative if an answer was wrong.
  double NsPerKey(size_t side, Op op);

  // Random reads and updates at the side's footprint with its access shape.
  SideCeilings MeasureCeilings(size_t side, double seconds_per_figure) const;

  // After the last step: inserts the missing batch of members. Every side then holds num_keys.
  void FillUp();

  // After FillUp, to take steps again: erases that batch from every side that can erase.
  std::string MakeSpace();

  // After FillUp: replaces every member by a substitute, a few at a time, and then every substitute
  // by its member again, in every side that can erase. Returns what is wrong, or "".
  std::string Churn();

  // After FillUp: erases every member from every side that can erase, and checks that each was
  // there and that no query answers "maybe present" afterwards. Returns what is wrong, or "".
  std::string EraseAll();

  size_t num_sides() const { return sides_.size(); }
  const Contender& side(size_t side) const { return *sides_[side]; }
  double measured_fpr(size_t side) const { return measured_fpr_[side]; }
  double predicted_fpr(size_t side) const { return sides_[side]->PredictedFpr(num_members_); }
  uint64_t num_keys() const { return num_keys_; }
  size_t batch_size() const { return batch_size_; }

 private:
  Batch NextBatch(const Population& population);
  // Calls visit(side) for one side of each filter.
  template <class Visit>
  void ForEachFilter(const Visit& visit);

  uint64_t num_keys_;
  size_t batch_size_;
  size_t steps_;
  uint64_t num_members_;
  Population members_;  // the first of them, queried in turn
  Population guests_;
  Population non_members_;
  std::vector<std::unique_ptr<Contender>> sides_;
  std::vector<double> measured_fpr_;
  size_t num_batches_taken_ = 0;
};

// A row of a trial in an arena: the sides that take part, each in the column of its number.
struct RowPlan {
  std::string label;
  Op op;
  std::vector<size_t> sides;
};

// What memory allows one of the sides, in a column behind those of the sides.
struct CeilingColumn {
  size_t side;
  double seconds;  // per figure
};

// Measures every row once per round, and appends them to `rows`; a round that does not count comes
// first. Returns what was wrong, or "".
std::string MeasureRows(Arena& arena, const std::vector<RowPlan>& plans, uint64_t rounds,
                        std::optional<CeilingColumn> ceiling, std::vector<TrialRow>& rows);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_ARENA_H_
