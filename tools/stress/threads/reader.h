// Reader: a thread that only queries: keys that writers have in at the time, and the filter as a
// whole.
#ifndef TROMMEL_TOOLS_STRESS_THREADS_READER_H_
#define TROMMEL_TOOLS_STRESS_THREADS_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/stress/plans/mix.h"
#include "tools/stress/threads/board.h"
#include "tools/stress/threads/caller.h"

namespace trommel::stress {

class Reader {
 public:
  Reader(Board& board, uint32_t thread);

  void Run();  // until its work is done or the board says stop

  Caller& caller() { return caller_; }

 private:
  void QueryOwned();  // keys that writers own
  void QueryKept();   // keys that are never erased
  void QueryHot();    // keys that it took tokens for
  void Audit();       // num_keys, statistics, a snapshot
  void AuditSnapshot(const std::vector<std::byte>& bytes, uint64_t before, uint64_t after);

  uint32_t MaxBatch() const {
    const Mix& mix = board_.plan.mix;
    return mix.max_query_batch > 0 ? mix.max_query_batch : mix.max_batch;
  }
  void Look();  // at the claims of ids_, into known_
  // Whether known_[i] was known, and no Advance to the end of its bucket had begun.
  bool IsKnown(size_t i, uint64_t begun) const {
    return known_[i].copies.count > 0 && board_.span.IsLive(known_[i].copies.bucket, begun);
  }
  // Whether these copies were in all the time since Look.
  bool WereIn(size_t i, uint64_t begun) {
    return IsKnown(i, begun) && board_.claims[ids_[i]].StillHolds(known_[i]);
  }

  Board& board_;
  Caller caller_;
  Random random_;
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> kept_;  // those that are in, several times each
  std::vector<Claim::Known> known_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_THREADS_READER_H_
