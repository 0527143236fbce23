// FinalChecks: what must hold once all threads of a round have joined, and once all keys are gone.
#ifndef TROMMEL_TOOLS_STRESS_FINAL_CHECKS_H_
#define TROMMEL_TOOLS_STRESS_FINAL_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tools/stress/threads/board.h"
#include "tools/stress/threads/caller.h"
#include "trommel/result.h"

namespace trommel::stress {

class FinalChecks {
 public:
  // The keys in each bucket: an id for each copy.
  using Contents = std::map<uint64_t, std::vector<uint32_t>>;

  // Exactly `contents` are in; expired buckets may be among them. Reports through `caller`.
  FinalChecks(Board& board, Contents contents, Caller& caller);

  // All of the following, as they fit the filter. Fails as MakeSequential does.
  Status Run();

  // Refused updates are counted as the threads were told.
  void CheckRefusals();
  // The races that the end of the round interrupted.
  void CheckRaces();
  // All keys are found, and counted as often as they are in; their number is right.
  void CheckKeys();
  // The bytes are those of a filter of the same keys that only one thread used. Not for filters
  // that grow.
  Status CheckBytes();
  // Erases all keys: no erasure is refused, and the filter is as new.
  Status Drain();
  // Advances from bucket to bucket, until all keys have expired and the filter is as new.
  Status WaitUntilExpired();

 private:
  std::vector<uint64_t> CountsById() const;
  void AdvanceTo(uint64_t time);
  Status CheckEmpty();

  Board& board_;
  Contents contents_;
  Caller& caller_;
  uint64_t now_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_FINAL_CHECKS_H_
