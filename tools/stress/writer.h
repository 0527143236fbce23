// Writer: a thread that inserts and erases: keys of its own, hot ones, and those raced for. It
// knows exactly how often each of its own keys is in.
#ifndef TROMMEL_TOOLS_STRESS_WRITER_H_
#define TROMMEL_TOOLS_STRESS_WRITER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tools/stress/board.h"
#include "tools/stress/caller.h"
#include "tools/stress/random.h"

namespace trommel::stress {

class Writer {
 public:
  Writer(Board& board, uint32_t thread);

  void Run();  // until its work is done or the board says stop

  Caller& caller() { return caller_; }
  // Copies of its own keys that are in; index 0 is its first key.
  std::span<const uint32_t> counts() const { return counts_; }

 private:
  void Step();
  uint32_t BatchSize();
  void PickOwn(uint32_t size);  // into ids_

  void Insert(uint32_t size);
  void InsertIfAbsent(uint32_t size);
  void Erase(uint32_t size);
  void Ask(uint32_t size);
  void Heat();
  void Cool();
  void RunRaces(uint32_t size);
  void CheckRacers();
  void CloseRaces();

  uint32_t& CountOf(uint32_t id) { return counts_[id - first_own_]; }

  Board& board_;
  const RoundPlan& plan_;
  Caller caller_;
  Random random_;
  const uint32_t first_own_;
  uint32_t total_weight_ = 0;
  std::vector<uint32_t> counts_;
  std::vector<uint32_t> race_epochs_;  // the next one to take part in
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> racers_;  // distinct ids of the keys raced for in this step
  std::vector<uint32_t> told_;    // how often each was told "new" in this step
  std::vector<uint32_t> closing_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_WRITER_H_
