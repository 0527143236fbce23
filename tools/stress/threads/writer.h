// Writer: a thread that inserts and erases: keys of its own, hot ones, and those raced for. It
// knows exactly how many copies of each of its own keys are in.
#ifndef TROMMEL_TOOLS_STRESS_THREADS_WRITER_H_
#define TROMMEL_TOOLS_STRESS_THREADS_WRITER_H_

#include <cstdint>
#include <vector>

#include "tools/stress/plans/mix.h"
#include "tools/stress/threads/board.h"
#include "tools/stress/threads/caller.h"

namespace trommel::stress {

class Writer {
 public:
  Writer(Board& board, uint32_t thread);

  void Run();  // until its work is done or the board says stop

  Caller& caller() { return caller_; }
  // Copies of its own keys that are in, oldest bucket first; some may have expired. Index 0 is its
  // first key.
  const std::vector<std::vector<Copies>>& copies() const { return copies_; }

 private:
  void Step();
  uint32_t BatchSize();
  void PickOwn(uint32_t size);  // into ids_
  void PickUnkept(uint32_t size);
  void InsertKept();
  void NoteInserted(uint64_t bucket);  // of ids_, after Insert

  void Insert(uint32_t size);
  void InsertIfAbsent(uint32_t size);
  void Erase(uint32_t size);
  void Query(uint32_t size);
  void InsertHot();
  void EraseHot();
  void RunRaces(uint32_t size);
  void Pulse(uint32_t size);
  void NoteTold(uint32_t racer, const ToldNew& told);
  void CheckRacers(uint64_t bucket);
  void CloseRaces();

  std::vector<Copies>& CopiesOf(uint32_t id) { return copies_[id - first_own_]; }
  // Copies of one of its own keys that are in as long as no Advance beyond `begun` has begun.
  uint64_t NumIn(uint32_t id, uint64_t begun);
  void NoteInserted(uint32_t id, uint64_t bucket);
  // Before the erasure. Returns false if no copy is in this bucket.
  bool NoteErased(uint32_t id, uint64_t bucket);

  Board& board_;
  const RoundPlan& plan_;
  Caller caller_;
  Random random_;
  const uint32_t first_own_;
  uint32_t total_weight_ = 0;
  std::vector<std::vector<Copies>> copies_;
  std::vector<uint32_t> race_epochs_;  // the next one to take part in
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> racers_;    // races that this step takes part in
  std::vector<uint32_t> num_told_;  // how often this step was told "new" of each of them
  std::vector<uint32_t> closing_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_THREADS_WRITER_H_
