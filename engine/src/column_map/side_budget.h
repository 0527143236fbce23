// SideBudget: the bytes that a stripe of a map has outside of its blocks, and the most that it may
// have: of records (record_arena.h) and of copies (pair_copies.h).
//
// Nothing is reserved. Records of many sizes would leave fragments of a reserved area, whatever its
// size; so what a stripe may take is counted, and what it has taken it keeps.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_SIDE_BUDGET_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_SIDE_BUDGET_H_

#include <algorithm>
#include <cstdint>

#include "engine/src/sync/running_figure.h"

namespace trommel {

// Thread safety: under the lock of the stripe, but for num_bytes.
class SideBudget {
 public:
  static constexpr uint64_t kNoLimit = ~uint64_t{0};

  void LimitTo(uint64_t most_bytes) { most_bytes_ = most_bytes; }
  uint64_t num_bytes() const { return num_bytes_.Get(); }
  // What may still be taken.
  uint64_t num_left() const { return most_bytes_ - std::min(most_bytes_, num_bytes()); }

  void Take(uint64_t num_bytes) { num_bytes_.Set(num_bytes_.Get() + num_bytes); }
  void GiveBack(uint64_t num_bytes) { num_bytes_.Set(num_bytes_.Get() - num_bytes); }

  // Why memory was refused the last time: the limit, or the system?
  bool is_limit() const { return is_limit_; }
  // Note it. Return false.
  bool RefuseByLimit() { return !(is_limit_ = true); }
  bool RefuseBySystem() { return is_limit_ = false; }

 private:
  RunningFigure num_bytes_;
  uint64_t most_bytes_ = kNoLimit;
  bool is_limit_ = false;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_SIDE_BUDGET_H_
