// Caller: how a thread calls the filter. Each call is logged, and checked for all that its result
// must fulfil by itself.
#ifndef TROMMEL_TOOLS_STRESS_THREADS_CALLER_H_
#define TROMMEL_TOOLS_STRESS_THREADS_CALLER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/stress/plans/key_table.h"
#include "tools/stress/plans/mix.h"
#include "tools/stress/records/thread_record.h"
#include "tools/stress/threads/board.h"

namespace trommel::stress {

class Caller : public ThreadRecord {
 public:
  Caller(Board& board, uint32_t thread);

  using Bits = std::span<const uint64_t>;  // valid until the next call, and so are counts
  static bool Bit(Bits bits, size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }

  // Which keys of the last InsertIfAbsent a limit refused, as far as it was told; else empty.
  Bits refused() const { return refused_; }

  // Half of the single keys go through the functions for one key, and one query in eight through
  // Select. Insertions return the bucket that the keys entered, or set it.
  uint64_t Insert(Ids ids);
  // After Insert: which keys it inserted; a limit refused the others.
  Bits inserted() const { return bitmap_; }
  Bits InsertIfAbsent(Ids ids);
  // After InsertIfAbsent: the bucket that key i entered if it was inserted.
  uint64_t BucketOfKey(size_t i) const {
    return board_.span.Bucket(times_[i / AnyFilter::kChunkKeys]);
  }
  // Requires that the keys entered this bucket and were not erased since.
  Bits Erase(Ids ids, uint64_t bucket);
  // Requires that the keys are absent, and alone in their blocks.
  void EraseAbsent(Ids ids);
  Bits Query(Ids ids);
  std::span<const uint64_t> Counts(Ids ids);

  // No insertion of any thread was refused so far.
  void CheckNoneRefused();

 private:
  // Calls one(key) or many(keys), which write the answers into bitmap_. Returns its result.
  template <class One, class Many>
  auto Call(Op op, Ids ids, const One& one, const Many& many);
  // After InsertIfAbsent with a limit.
  void CheckRefused(Ids ids, const InsertOutcome& outcome);
  void CheckSum(uint64_t returned, std::string_view function);
  void CheckTime(uint64_t before, uint64_t time, Ids ids);

  Board& board_;
  Random random_;
  KeyBatch batch_;
  std::vector<uint64_t> bitmap_;
  std::vector<uint64_t> times_;  // of an InsertIfAbsent's chunks
  std::vector<uint64_t> refused_;
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> selection_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_THREADS_CALLER_H_
