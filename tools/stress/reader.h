// Reader: a thread that only asks: about keys that writers have in at the moment, and about the
// filter as a whole.
#ifndef TROMMEL_TOOLS_STRESS_READER_H_
#define TROMMEL_TOOLS_STRESS_READER_H_

#include <cstdint>
#include <vector>

#include "tools/stress/board.h"
#include "tools/stress/caller.h"
#include "tools/stress/random.h"

namespace trommel::stress {

class Reader {
 public:
  Reader(Board& board, uint32_t thread);

  void Run();  // until its work is done or the board says stop

  Caller& caller() { return caller_; }

 private:
  void AskOwned();  // about keys that others own
  void AskHot();    // about keys that tokens were taken for
  void Audit();     // num_keys, statistics, a snapshot

  void Look();  // at the claims of ids_, into known_
  bool WasIn(size_t i) { return known_[i].count > 0 && StillHolds(i); }
  bool StillHolds(size_t i) {
    return ids_[i] < board_.plan.num_private() && board_.claims[ids_[i]].StillHolds(known_[i]);
  }
  void AuditSnapshot(const std::vector<std::byte>& bytes);

  Board& board_;
  Caller caller_;
  Random random_;
  std::vector<uint32_t> ids_;
  std::vector<Claim::Known> known_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_READER_H_
