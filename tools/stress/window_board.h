// What the threads of a window's round share.
//
// Nobody can read the time and ask the filter in one step. So the ticker announces where it moves
// the time to before it does (`begun`), and who asks looks at that afterwards, both by a
// read-modify-write: if the asker's is the earlier one of the two, its question happened before
// that Advance, and the filter has to answer as of the time before. The same holds for claims.
#ifndef TROMMEL_TOOLS_STRESS_WINDOW_BOARD_H_
#define TROMMEL_TOOLS_STRESS_WINDOW_BOARD_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "tools/stress/key_table.h"
#include "tools/stress/mix.h"
#include "tools/stress/witness.h"
#include "trommel/window_filter.h"

namespace trommel::stress {

// When buckets live, by the definition.
struct WindowSpan {
  uint64_t window = 1;
  uint64_t num_buckets = 1;

  uint64_t Bucket(uint64_t tick) const { return tick * num_buckets / window; }
  uint64_t FirstTick(uint64_t bucket) const {
    return (bucket * window + num_buckets - 1) / num_buckets;
  }
  bool IsLive(uint64_t bucket, uint64_t now) const { return Bucket(now) - bucket <= num_buckets; }
};

// That a copy of the key is in, inserted at some time. Its owner alone changes it: publishes after
// the insertion, withdraws before an erasure.
//
//   63 .. 40    39 .. 0
//   version     time + 1; 0: nothing is claimed
class WindowClaim {
 public:
  void Publish(uint64_t tick) { Change(tick + 1); }
  void Withdraw() { Change(0); }

  uint64_t Look() const { return word_.load(std::memory_order_acquire); }
  // Since Look gave this. A word that came back had 2^24 changes in between.
  bool StillHolds(uint64_t seen) { return word_.fetch_add(0, std::memory_order_acq_rel) == seen; }

  static bool IsKnown(uint64_t seen) { return (seen & kTimeMask) != 0; }
  static uint64_t Tick(uint64_t seen) { return (seen & kTimeMask) - 1; }

 private:
  static constexpr int kTimeBits = 40;
  static constexpr uint64_t kTimeMask = (uint64_t{1} << kTimeBits) - 1;

  void Change(uint64_t time) {
    const uint64_t old = word_.load(std::memory_order_relaxed);
    if ((old & kTimeMask) == time) return;
    word_.exchange(((old >> kTimeBits) + 1) << kTimeBits | time, std::memory_order_acq_rel);
  }

  std::atomic<uint64_t> word_ = 0;
};

// Who was told "new" of a key that nobody erases: inserted at `tick`, and no Advance beyond `begun`
// had begun when the call was over.
struct WindowNew {
  uint64_t tick = 0;
  uint64_t begun = 0;
};

struct WindowRace {
  std::mutex mutex;
  std::vector<WindowNew> news;
};

struct WindowBoard : RoundState {
  WindowBoard(const RoundPlan& p, const WindowConfig& config, WindowFilter& f)
      : plan(p),
        span{config.window, config.num_buckets},
        filter(f),
        keys(p, 0),
        claims(p.num_private()),
        races(p.mix.num_races) {}

  uint64_t Begun() { return begun.fetch_add(0, std::memory_order_acq_rel); }
  // Whether a key inserted at this time must be shown, when Begun() gave that after the question.
  bool IsDue(uint64_t tick, uint64_t begun_after) const { return begun_after < tick + span.window; }

  const RoundPlan& plan;
  const WindowSpan span;
  WindowFilter& filter;
  const KeyTable keys;
  alignas(64) std::atomic<uint64_t> begun = 0;
  std::vector<WindowClaim> claims;  // of the writers' own keys, by id
  std::vector<WindowRace> races;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_WINDOW_BOARD_H_
