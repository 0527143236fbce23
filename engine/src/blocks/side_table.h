// The side table: exact counts of promoted blocks, which no longer fit their encoding. Their
// presence bits stay in the block, for queries, and the counts here are kept beside them:
//
//   up to 63 keys   long runs: a run string of 64 bits per slice (long_runs.h), 8 + 8k bytes per
//                   block of k slices
//   more            exact counters: an integer per position, as wide as it must be
//                   (exact_counters.h); the entry then names them
//
// A block changes to exact counters with its 64th key, and back to long runs when it has drained to
// kKeysToReturn. A few percent of the blocks may be promoted, but crowded ones are rare, so the
// memory is nearly all in long runs.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_SIDE_TABLE_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_SIDE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/blocks/block_word_map.h"
#include "engine/src/blocks/exact_counters.h"
#include "engine/src/blocks/long_runs.h"
#include "engine/src/sync/running_figure.h"

namespace trommel {

// From block index to counts, in 2^range_bits owned ranges of equally many blocks. The ranges share
// nothing. Thread safety: calls for blocks of different ranges may run at the same time, and
// num_blocks and num_bytes beside any of them.
//
// `presence` are the block's presence words, `counters` its counters slice by slice
// (kernels/layout.h). Every slice of a block should hold the same number of keys; a block for which
// that is not so is kept as exact counters.
//
// What needs memory returns false, and has changed nothing, if the system refuses it. With a limit
// each owned range has so many entries and arrays of exact counters, in memory that is reserved,
// and the same calls return false where none is left; nothing else allocates.
class SideTable {
 public:
  // The number of keys at which a block returns to long runs: fewer than fit, or a block near the
  // limit would change with every other key.
  static constexpr uint32_t kKeysToReturn = 56;

  SideTable() : SideTable(~uint64_t{0}, 0, 0) {}  // for no blocks
  // Requires a multiple of 2^range_bits as num_blocks.
  SideTable(uint64_t num_blocks, uint32_t num_slices, uint32_t range_bits);

  // Makes the block's entry, or replaces its counts; that needs no memory if there are no more keys
  // than before.
  [[nodiscard]] bool Put(uint64_t block_idx, std::span<const uint64_t> counters);
  // The same from one run string per slice, of 1 to 63 keys.
  [[nodiscard]] bool PutRuns(uint64_t block_idx, std::span<const uint64_t> runs);
  // Makes the entry of a block that has none, such that the next key needs no memory.
  [[nodiscard]] bool Promote(uint64_t block_idx, std::span<const uint64_t> counters);
  void Remove(uint64_t block_idx);  // if it has an entry
  void Clear();
  // Copies the range from a table with the same ranges and slices; not its limit. May throw
  // std::bad_alloc.
  void CopyOwnedRange(const SideTable& from, uint64_t range_idx);

  // Prefetch what finds the block's entry, and then the entry, if it has one.
  void PrefetchIndex(uint64_t block_idx) const { Of(block_idx).runs.PrefetchIndex(block_idx); }
  void PrefetchEntry(uint64_t block_idx) const { Of(block_idx).runs.PrefetchEntry(block_idx); }

  // --- A limit of memory, the same for each owned range.
  struct RangeLimit {
    uint64_t max_blocks = 0;
    uint64_t max_arrays = 0;
  };
  // The least for a range: one block with exact counters.
  uint64_t LeastLimitBytes() const;
  // What so many bytes, at least these, have space for, where that many blocks in a hundred hold
  // more than 63 keys.
  RangeLimit LimitWithin(uint64_t range_bytes, uint64_t crowded_percent) const;
  // Does what each range holds keep to it?
  bool IsWithin(const RangeLimit& limit) const;
  // The same table with that limit. Requires that all ranges keep to it. May throw std::bad_alloc.
  SideTable LimitedTo(const RangeLimit& limit) const;
  void LiftLimit();  // what is reserved is freed as blocks return

  // The following require that the block has an entry.

  // Count one key more, and one key less, which requires all its positions to be present. Presence
  // bits change with the counts. Thread safety: beside queries (kernels/presence_words.h).
  [[nodiscard]] bool Increment(uint64_t block_idx, uint64_t digest, uint32_t* presence);
  void Decrement(uint64_t block_idx, uint64_t digest, uint32_t* presence);
  // The block's run strings, valid until the table changes; empty for exact counters.
  std::span<const uint64_t> RunsOf(uint64_t block_idx) const;
  // The number of keys in the block.
  uint64_t KeysOf(uint64_t block_idx) const;
  // The counter at the digest's position in that slice.
  uint64_t CountAt(uint64_t block_idx, uint64_t digest, size_t slice_idx,
                   const uint32_t* presence) const;
  void CopyTo(uint64_t block_idx, const uint32_t* presence, std::span<uint64_t> counters) const;

  // Insertions that a limit refused, since Clear.
  void CountRefusal(uint64_t block_idx) {
    RunningFigure& num_refused = Of(block_idx).num_refused;
    num_refused.Set(num_refused.Get() + 1);
  }
  void CountRefusals(uint64_t number) { owned_ranges_.front().num_refused.Set(number); }
  uint64_t num_refused() const;

  uint64_t num_blocks() const;
  // Of entries, their index and exact counters, spare capacity included; 0 for no blocks.
  uint64_t num_bytes() const;
  uint64_t num_bytes(uint64_t range_idx) const { return owned_ranges_[range_idx].num_bytes.Get(); }
  // The first by a pass over the exact counters. Thread safety: exclusive. For tests.
  uint64_t CountBytes() const;
  // Ascending.
  std::vector<uint64_t> SortedBlocks() const;

 private:
  struct alignas(64) OwnedRange {  // no two ranges write to one cache line
    OwnedRange(size_t num_slices, size_t num_counters) : runs(num_slices), exact(num_counters) {}

    // The run strings of each block; for one with exact counters what is drawn at IsExact.
    BlockWordMap runs;
    ExactCounters exact;
    RunningFigure num_blocks;
    RunningFigure num_bytes;
    RunningFigure num_refused;
  };

  OwnedRange& Of(uint64_t block_idx) { return owned_ranges_[block_idx / blocks_per_owned_range_]; }
  const OwnedRange& Of(uint64_t block_idx) const {
    return owned_ranges_[block_idx / blocks_per_owned_range_];
  }
  // Long runs are never 0, and no shape has fewer than three slices:
  //
  //   entry   | 0 | id | number of keys | ..
  static bool IsExact(const uint64_t* entry) { return entry[0] == 0; }
  static ExactCounters::Id IdOf(const uint64_t* entry) {
    return static_cast<ExactCounters::Id>(entry[1]);
  }
  static constexpr size_t kNumKeysWord = 2;  // of slice 0, and so of each
  void SetExact(uint64_t* entry, ExactCounters::Id id, uint64_t num_keys) const;
  std::span<uint64_t> Runs(uint64_t* runs) const { return {runs, num_slices_}; }
  std::span<const uint64_t> Runs(const uint64_t* runs) const { return {runs, num_slices_}; }
  size_t num_counters() const;
  // The block's entry. Requires that there is one.
  uint64_t* EntryOf(uint64_t block_idx);
  const uint64_t* EntryOf(uint64_t block_idx) const;
  // An entry for a block that has none; null if there is no memory.
  static uint64_t* MakeEntry(OwnedRange& range, uint64_t block_idx) noexcept;
  // Put for counts that are kept as exact counters.
  bool PutExact(uint64_t block_idx, std::span<const uint64_t> counters);
  bool MoveToExact(OwnedRange& range, uint64_t* entry, const uint32_t* presence);
  // The counters of `digest`, one per slice.
  std::span<const uint16_t> CounterIndices(uint64_t digest, std::span<uint16_t> buffer) const;
  // Copies what `from` holds into a range without entries. Returns false if there is no memory.
  static bool CopyEntries(const OwnedRange& from, OwnedRange& into);
  // After every change of the range's memory.
  static void UpdateFigures(OwnedRange& range);

  uint64_t blocks_per_owned_range_;
  uint32_t num_slices_;
  std::vector<OwnedRange> owned_ranges_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_SIDE_TABLE_H_
