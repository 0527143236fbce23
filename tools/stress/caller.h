// Caller: how a thread calls the filter: each call logged, and its numbers held against its bitmap.
#ifndef TROMMEL_TOOLS_STRESS_CALLER_H_
#define TROMMEL_TOOLS_STRESS_CALLER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/stress/board.h"
#include "tools/stress/event_log.h"
#include "tools/stress/key_table.h"
#include "tools/stress/law.h"
#include "tools/stress/random.h"

namespace trommel::stress {

using Ids = std::span<const uint32_t>;

struct Totals {
  uint64_t num_calls = 0;
  std::array<uint64_t, kNumOps> num_keys = {};  // by Op
  uint64_t num_checked = 0;  // answers about which the model left no doubt, and that it confirmed
  uint64_t num_races = 0;    // run to their end
  uint64_t num_audits = 0;   // looks at the whole filter while others write

  uint64_t num_all_keys() const;
  Totals& operator+=(const Totals& other);
};

class Caller {
 public:
  Caller(Board& board, uint32_t thread);

  // Bitmaps and counts are valid until the next call. Single keys go through the functions for one
  // key half of the time, queries through Select now and then.
  void Insert(Ids ids);
  std::span<const uint64_t> InsertIfAbsent(Ids ids);
  std::span<const uint64_t> Erase(Ids ids);
  std::span<const uint64_t> Query(Ids ids);
  std::span<const uint64_t> Counts(Ids ids);

  static bool Bit(std::span<const uint64_t> bitmap, size_t i) {
    return (bitmap[i / 64] >> (i % 64) & 1) != 0;
  }

  // A law was broken. Only the first one is kept; everyone stops at the next step.
  void Blame(Law law, std::optional<uint32_t> id, std::string detail);
  bool is_over() const { return board_.stop.load(std::memory_order_relaxed); }

  Totals totals;
  const EventLog& log() const { return log_; }
  const std::optional<Violation>& violation() const { return violation_; }
  uint32_t thread() const { return thread_; }

 private:
  uint64_t Begin(Op op, Ids ids);
  void End(Op op, uint64_t begin, Ids ids, std::span<const uint64_t> answers);
  bool IsForOne(Ids ids) { return ids.size() == 1 && random_.OneIn(2); }
  void ClearBitmap(Ids ids);
  void CheckSum(uint64_t returned, std::string_view what);
  uint64_t NumSet() const;

  Board& board_;
  const uint32_t thread_;
  Random random_;
  KeyBatch batch_;
  EventLog log_;
  std::vector<uint64_t> bitmap_;
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> selection_;
  std::optional<Violation> violation_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_CALLER_H_
