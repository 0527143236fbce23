// Keys to be queried, one batch of them per step: members, non-members, or both mixed.
#ifndef TROMMEL_BENCH_SWEEP_QUERY_POOL_H_
#define TROMMEL_BENCH_SWEEP_QUERY_POOL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/sweep/sweep_row.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {

class QueryPool {
 public:
  // For kQueryMiss, kQueryHalf or kQueryHit. As many keys as there are members, but at most 4
  // batches: of 1 Mi keys, so many that most of a batch has left the caches when it is used again.
  // Requires `batch_size`
  // <= num_members.
  QueryPool(Operation op, uint64_t num_members, uint64_t batch_size);

  std::span<const uint64_t> digests() const {  // of the current batch
    return std::span(digests_).subspan(current_ * batch_size_, batch_size_);
  }
  void Advance() { current_ = (current_ + 1) % num_in_.size(); }

  // Checks that num_present is the right answer to the current batch: the same as before, or, the
  // first time, all of its members and about as many non-members as the filter's bits predict, with
  // equal answers for single keys. Returns what is wrong, or "". Requires the same filter every
  // time.
  std::string Check(const CountingFilter& filter, uint64_t num_present);

 private:
  uint64_t batch_size_;
  std::vector<uint64_t> digests_;
  std::vector<uint64_t> num_in_;       // by batch: members
  std::vector<uint64_t> num_present_;  // by batch; kUnknown: not queried yet
  size_t current_ = 0;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_QUERY_POOL_H_
