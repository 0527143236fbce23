// Keys to be asked for, a stretch of them a step: members, non-members, or both mixed.
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
  // For kQueryMiss, kQueryHalf or kQueryHit. As many keys as there are members, but at most 4 Mi:
  // so many that a stretch has mostly left the caches when it comes round again. `stretch` is at
  // most num_members.
  QueryPool(Operation op, uint64_t num_members, uint64_t stretch);

  std::span<const uint64_t> digests() const {  // of the stretch whose turn it is
    return std::span(digests_).subspan(turn_ * stretch_, stretch_);
  }
  void Advance() { turn_ = (turn_ + 1) % num_in_.size(); }

  // Whether num_present is what asking for this stretch must give: what it gave before, and the
  // first time, all of its members and about as many non-members as the filter's bits say, with
  // single keys agreeing. Empty, or what is wrong. The filter must be the same every time.
  std::string Check(const CountingFilter& filter, uint64_t num_present);

 private:
  uint64_t stretch_;
  std::vector<uint64_t> digests_;
  std::vector<uint64_t> num_in_;       // by stretch: members
  std::vector<uint64_t> num_present_;  // by stretch; kUnknown: not asked yet
  size_t turn_ = 0;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_QUERY_POOL_H_
