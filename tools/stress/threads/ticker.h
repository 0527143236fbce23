// Ticker: the thread that advances the time of a filter whose keys expire.
#ifndef TROMMEL_TOOLS_STRESS_THREADS_TICKER_H_
#define TROMMEL_TOOLS_STRESS_THREADS_TICKER_H_

#include <cstdint>

#include "tools/stress/plans/random.h"
#include "tools/stress/records/thread_record.h"
#include "tools/stress/threads/board.h"

namespace trommel::stress {

class Ticker : public ThreadRecord {
 public:
  explicit Ticker(Board& board);

  // Until all other threads have returned.
  void Run();

 private:
  void Tick();

  Board& board_;
  Random random_;
  const uint32_t most_calls_;  // of all threads, between two steps
  uint64_t now_ = 0;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_THREADS_TICKER_H_
