// WindowCaller: calls on the window under stress, logged, with what each answer must fulfil alone.
#ifndef TROMMEL_TOOLS_STRESS_WINDOW_CALLER_H_
#define TROMMEL_TOOLS_STRESS_WINDOW_CALLER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tools/stress/window_board.h"

namespace trommel::stress {

class WindowCaller : public Witness {
 public:
  WindowCaller(WindowBoard& board, uint32_t thread)
      : Witness(board, thread), board_(board), batch_(board.keys) {}

  using Bits = std::span<const uint64_t>;  // valid until the next call
  static bool Bit(Bits bits, size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }

  // Points, batches of one key, when told so.
  uint64_t Insert(Ids ids, bool as_point = false);
  Bits InsertIfAbsent(Ids ids, uint64_t* tick, bool as_point = false);
  // All of these are in, from that bucket. What is not erased had gone with it.
  Bits Erase(Ids ids, uint64_t tick, bool as_point = false);
  Bits Query(Ids ids, bool as_selection = false);
  std::span<const uint64_t> Counts(Ids ids);

 protected:
  WindowBoard& board_;
  KeyBatch batch_;

 private:
  void Clear(size_t num_keys);
  void CheckTime(uint64_t before, uint64_t tick, Ids ids);
  void CheckSum(uint64_t num_told, Ids ids);

  std::vector<uint64_t> bits_;
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> selection_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_WINDOW_CALLER_H_
