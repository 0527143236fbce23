// Aftermath: what must hold once all threads of a round have joined, and once all keys are erased.
#ifndef TROMMEL_TOOLS_STRESS_AFTERMATH_H_
#define TROMMEL_TOOLS_STRESS_AFTERMATH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tools/stress/board.h"
#include "tools/stress/caller.h"
#include "trommel/counting_filter.h"

namespace trommel::stress {

class Aftermath {
 public:
  // `copies` of every key id are in, exactly. What is broken is blamed through `caller`.
  Aftermath(Board& board, std::span<const uint64_t> copies, Caller& caller)
      : board_(board), copies_(copies), caller_(caller) {}

  // The races that the end of the round interrupted.
  void CheckRaces();
  // Everything that is in is there, and the number of keys is right.
  void CheckKeys();
  // The bytes are those of a filter that one thread made with the same keys. Fails as
  // CountingFilter::Create does. Not for filters that grow.
  Status CheckBytes();
  // Erases everything: nothing is refused, and the filter is as new.
  void Drain();

 private:
  std::vector<uint32_t> AllCopies() const;  // each id as often as it is in

  Board& board_;
  const std::span<const uint64_t> copies_;
  Caller& caller_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_AFTERMATH_H_
