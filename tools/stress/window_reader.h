// WindowReader: a thread that asks for the writers' keys. Ticker: the one that moves the time.
#ifndef TROMMEL_TOOLS_STRESS_WINDOW_READER_H_
#define TROMMEL_TOOLS_STRESS_WINDOW_READER_H_

#include <cstdint>
#include <vector>

#include "tools/stress/window_caller.h"

namespace trommel::stress {

class WindowReader : public WindowCaller {
 public:
  WindowReader(WindowBoard& board, uint32_t thread)
      : WindowCaller(board, thread), random_(board.plan.RandomOf(thread)) {}

  void Run();

 private:
  void Ask();
  void Audit();  // the whole filter: numbers, statistics and a snapshot
  void AuditStats(const WindowStats& stats);
  void AuditSnapshot(const std::vector<std::byte>& bytes, uint64_t before, uint64_t after);

  void Look();  // what is known of ids_ before a question
  // Whether key i had to be shown all the while, when Begun() gave that after the question.
  bool IsDue(size_t i, uint64_t begun) {
    return WindowClaim::IsKnown(seen_[i]) && board_.IsDue(WindowClaim::Tick(seen_[i]), begun) &&
           board_.claims[ids_[i]].StillHolds(seen_[i]);
  }

  Random random_;
  std::vector<uint32_t> ids_;
  std::vector<uint64_t> seen_;
};

class Ticker : public Witness {
 public:
  explicit Ticker(WindowBoard& board);

  // Until the other threads have returned.
  void Run();

 private:
  void Tick();

  WindowBoard& board_;
  Random random_;
  const uint32_t most_calls_;  // of all threads, between two steps
  uint64_t now_ = 0;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_WINDOW_READER_H_
