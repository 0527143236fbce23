// Witness: what every thread of a round keeps: its figures, its last calls, and the first violation
// that it found.
#ifndef TROMMEL_TOOLS_STRESS_WITNESS_H_
#define TROMMEL_TOOLS_STRESS_WITNESS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tools/stress/event_log.h"
#include "tools/stress/key_table.h"
#include "tools/stress/law.h"

namespace trommel::stress {

using Ids = std::span<const uint32_t>;

// What all threads of a round share, whatever they do.
struct RoundState {
  alignas(64) std::atomic<uint64_t> clock = 0;     // counts calls; orders traces, decides nothing
  alignas(64) std::atomic<bool> stop = false;      // finish the step, then return
  alignas(64) std::atomic<uint64_t> num_keys = 0;  // handled so far, for the progress line
  std::atomic<uint32_t> num_finished = 0;          // threads
};

struct Totals {
  uint64_t num_calls = 0;
  std::array<uint64_t, kNumOps> num_keys = {};  // by Op
  uint64_t num_checked = 0;  // answers about which the model left no doubt, and that it confirmed
  uint64_t num_races = 0;    // run to their end
  uint64_t num_audits = 0;   // looks at the whole filter while others write

  uint64_t num_all_keys() const;
  Totals& operator+=(const Totals& other);
};

class Witness {
 public:
  Witness(RoundState& state, uint32_t thread) : state_(state), thread_(thread) {}

  // A law was broken. Only the first one is kept; everyone stops at the next step.
  void Blame(Law law, std::optional<uint32_t> id, std::string detail);
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

// The violation found first, with all that the threads remember of its key. After they have joined.
std::optional<Violation> FirstViolation(std::span<const Witness* const> witnesses,
                                        const KeyTable& keys);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_WITNESS_H_
