// The textbook's counting filter (sides/textbook_filter.h) at one size of a sweep, at the rate and
// fill of ours: what a page of code makes of this machine. Every step proves its answer, outside
// the clock.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_TEXTBOOK_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_TEXTBOOK_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/sides/textbook_filter.h"
#include "bench/sweep/sweep_row.h"

namespace trommel::bench {

class SweepTextbook {
 public:
  // Requires 8 keys at least.
  explicit SweepTextbook(uint64_t num_keys);

  // Times one step of a row for which IsOfTextbook, in batches of the row's. Throws WrongAnswer.
  StepTime Step(const SweepRow& row);

  uint64_t num_bytes() const { return filter_.num_bytes(); }

 private:
  StepTime UpdateStep(const SweepRow& row);
  StepTime QueryStep(const SweepRow& row);

  const uint64_t part_size_;
  const uint64_t num_members_;
  TextbookFilter filter_;
  std::vector<uint64_t> guests_;       // parts that are inserted and erased again, in turn
  std::vector<uint64_t> members_;      // parts of those that are always in
  std::vector<uint64_t> non_members_;  // as many
  std::vector<uint64_t> words_;
  uint64_t num_steps_ = 0;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_TEXTBOOK_H_
