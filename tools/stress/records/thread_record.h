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
#include <string_view>
#include <vector>

#include "tools/stress/plans/key_table.h"

namespace trommel::stress {

// The invariants that a round checks, and what is recorded when one is violated.

enum class Op : uint8_t { kInsert, kInsertIfAbsent, kErase, kQuery, kCount };
inline constexpr size_t kNumOps = 5;
std::string_view OpName(Op op);

enum class Invariant : uint8_t {
  kNoFalseNegative,  // from here on, checked while threads run
  kCountNotBelow,
  kNewOnlyIfAbsent,
  kNewToldOnce,
  kEraseNotRefused,
  kLoneKeyExact,
  kSumsAgree,
  kNoRefusedInsert,
  kRefusalsAgree,
  kWholeFilter,
  kWithinWindow,  // these three for windows only, also after the threads have joined
  kExpiredIsGone,
  kTimeAsTold,
  kNumKeysExact,  // from here on, checked after the threads have joined
  kBytesAsSequential,
  kEmptyAfterDraining,
};
inline constexpr size_t kNumInvariants = 16;
std::string_view InvariantName(Invariant invariant);      // short, for programs: "count-not-below"
std::string_view InvariantSentence(Invariant invariant);  // what the contract promises

// A call by one thread, as it concerns one of its keys. Times are of a logical clock that counts
// calls: two calls overlapped if neither began after the end of the other.
struct Event {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t thread = 0;
  Op op = Op::kInsert;
  bool answer = false;    // new, erased, maybe present, or counted above zero
  uint32_t batch = 0;     // keys of the call
  uint32_t position = 0;  // of the key among them
};

struct Violation {
  Invariant invariant = Invariant::kNoFalseNegative;
  std::optional<uint32_t> id;  // the key, if it concerns one
  uint32_t thread = 0;
  uint64_t time = 0;
  std::string detail;
  std::string key;            // as text
  std::vector<Event> events;  // the last ones of each thread that concern the key, by time
};

// The thread that checks and drains the filter after the threads of the round have joined.
inline constexpr uint32_t kMainThread = UINT32_MAX;
// The thread that advances the time of a window.
inline constexpr uint32_t kTickerThread = UINT32_MAX - 1;

// "writer 1", "reader 0", "ticker", "main".
std::string ThreadName(uint32_t thread, uint32_t num_writers);

// One line of a trace.
std::string EventText(const Event& event, uint32_t num_writers);

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
