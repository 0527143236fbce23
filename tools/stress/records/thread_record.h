// ThreadRecord: what each thread of a round keeps: its totals, its last calls, and the first
// violation that it found.
#ifndef TROMMEL_TOOLS_STRESS_RECORDS_THREAD_RECORD_H_
#define TROMMEL_TOOLS_STRESS_RECORDS_THREAD_RECORD_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/stress/plans/key_table.h"
#include "tools/stress/records/invariant.h"

namespace trommel::stress {

using Ids = std::span<const uint32_t>;  // of keys

// What all threads of a round share.
struct RoundState {
  alignas(64) std::atomic<uint64_t> clock = 0;     // counts calls; orders traces, decides nothing
  alignas(64) std::atomic<bool> stop = false;      // finish the step, then return
  alignas(64) std::atomic<uint64_t> num_keys = 0;  // handled so far, for the progress line
  std::atomic<uint32_t> num_finished = 0;          // threads
};

struct Totals {
  uint64_t num_calls = 0;
  std::array<uint64_t, kNumOps> num_keys = {};  // by Op
  uint64_t num_checked = 0;         // answers that the model determines, and that were right
  uint64_t num_races = 0;           // completed
  uint64_t num_refused = 0;         // insertions, by a limit of side memory
  uint64_t num_unclear = 0;         // those not told whether they were refused, or the key was in
  uint64_t num_refused_erases = 0;  // of absent keys
  uint64_t num_audits = 0;          // of the whole filter while others write

  uint64_t num_all_keys() const;
  Totals& operator+=(const Totals& other);
};

// The last calls of one thread, key by key, cheap enough to be recorded all the time. Read only
// after the thread has joined.
class EventLog {
 public:
  // Two rings: of calls, and of their keys.
  static constexpr size_t kNumCalls = size_t{1} << 13;
  static constexpr size_t kNumKeys = size_t{1} << 17;

  EventLog() : calls_(kNumCalls), keys_(kNumKeys) {}

  // Bit i of `answers` is that of key i; if it is empty, all are 0.
  void Add(Op op, uint64_t begin, uint64_t end, Ids ids, std::span<const uint64_t> answers);

  // The last events of this key, at most max_events, oldest first.
  std::vector<Event> Last(uint32_t id, uint32_t thread, size_t max_events) const;

 private:
  struct Call {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t first_key = 0;  // counted from the beginning of the round
    uint32_t num_keys = 0;
    Op op = Op::kInsert;
  };

  std::vector<Call> calls_;
  std::vector<uint32_t> keys_;  // id * 2 + answer
  uint64_t num_calls_ = 0;
  uint64_t num_keys_ = 0;
};

class ThreadRecord {
 public:
  ThreadRecord(RoundState& state, uint32_t thread) : state_(state), thread_(thread) {}

  // An invariant was violated. Keeps the first violation; all threads stop at their next step.
  void Report(Invariant invariant, std::optional<uint32_t> id, std::string detail);
  bool is_over() const { return state_.stop.load(std::memory_order_relaxed); }

  Totals totals;
  const EventLog& log() const { return log_; }
  const std::optional<Violation>& violation() const { return violation_; }
  uint32_t thread() const { return thread_; }

 protected:
  // Around a call. Begin returns its time.
  uint64_t Begin(Op op, Ids ids);
  void End(Op op, uint64_t begin, Ids ids, std::span<const uint64_t> answers);

 private:
  RoundState& state_;
  const uint32_t thread_;
  EventLog log_;
  std::optional<Violation> violation_;
};

// The violation found first, with all recorded events of its key. Requires that the threads have
// joined.
std::optional<Violation> FirstViolation(std::span<const ThreadRecord* const> records,
                                        const KeyTable& keys);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_RECORDS_THREAD_RECORD_H_
