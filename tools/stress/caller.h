// Caller: how a thread calls the filter: each call logged, and its numbers held against its bitmap.
#ifndef TROMMEL_TOOLS_STRESS_CALLER_H_
#define TROMMEL_TOOLS_STRESS_CALLER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/stress/board.h"
#include "tools/stress/key_table.h"
#include "tools/stress/random.h"
#include "tools/stress/witness.h"

namespace trommel::stress {

class Caller : public Witness {
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

  // No insertion was refused so far, by whomever.
  void CheckRoom();

 private:
  bool IsForOne(Ids ids) { return ids.size() == 1 && random_.OneIn(2); }
  void ClearBitmap(Ids ids);
  void CheckSum(uint64_t returned, std::string_view what);
  uint64_t NumSet() const;

  Board& board_;
  Random random_;
  KeyBatch batch_;
  std::vector<uint64_t> bitmap_;
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> selection_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_CALLER_H_
