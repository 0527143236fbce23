// The side table: exact counts of promoted blocks, which no longer fit their encoding. Their
// presence bits stay in the block, for queries, and the counts here are kept beside them:
//
//   up to 63 keys   long runs: a run string of 64 bits a slice (long_runs.h), 8 + 8k bytes a block
//   more            exact counters: an integer for each position, which grows as it must
//
// A block goes over when its 64th key comes, and back when it has drained to kKeysToReturn.
// Promoted blocks may be a few in a hundred, crowded ones are rare, and so long runs are where
// memory counts.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_SIDE_TABLE_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_SIDE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/src/blocks/block_word_map.h"
#include "engine/src/blocks/exact_counters.h"
#include "engine/src/blocks/long_runs.h"

namespace trommel {

// From block index to counts. There are ranges, one for each of 2^range_bits equal ranges of
// blocks, which share nothing: calls for blocks of different ranges may run at the same time.
//
// `presence` are the block's presence words, `counters` its counters slice by slice
// (kernels/layout.h). Every slice of a block holds the same number of keys; a block for which that
// is not so is kept, as exact counters.
class SideTable {
 public:
  // So few keys bring a block back to long runs. Fewer than fit, or a block on the edge would go to
  // and fro with every other key.
  static constexpr uint32_t kKeysToReturn = 56;

  SideTable() : SideTable(~uint64_t{0}, 0, 0) {}  // one range, for nothing
  // num_blocks must be a multiple of 2^range_bits.
  SideTable(uint64_t num_blocks, uint32_t num_slices, uint32_t range_bits);

  // Make an entry, or replace what it holds.
  void Put(uint64_t block_idx, std::span<const uint64_t> counters);
  // One run string a slice, of 1 to 63 keys.
  void PutRuns(uint64_t block_idx, std::span<const uint64_t> runs);
  void Remove(uint64_t block_idx);  // if it is there
  void Clear();
  void ClearOwnedRange(uint64_t range_idx);
  // Makes the range's part what it is in `from`, a table with the same ranges and slices.
  void CopyOwnedRange(const SideTable& from, uint64_t range_idx);

  // From here on the block must be in the table.

  // One key more, and one key less, all of whose positions are present. Presence bits change with
  // the counts, beside queries (kernels/presence_words.h).
  void Add(uint64_t block_idx, uint64_t digest, uint32_t* presence);
  void Take(uint64_t block_idx, uint64_t digest, uint32_t* presence);
  // The block's run strings, until the table changes; none if it has more keys than they hold.
  std::span<const uint64_t> RunsOf(uint64_t block_idx) const;
  // How many keys the block has.
  uint64_t KeysOf(uint64_t block_idx) const;
  // The counter at the digest's position in that slice.
  uint64_t CountAt(uint64_t block_idx, uint64_t digest, size_t slice_idx,
                   const uint32_t* presence) const;
  void CopyTo(uint64_t block_idx, const uint32_t* presence, std::span<uint64_t> counters) const;

  uint64_t num_blocks() const;
  // Of entries, their index and exact counters, room to grow included; 0 for no blocks.
  uint64_t num_bytes() const;
  uint64_t num_bytes(uint64_t range_idx) const;
  // Ascending.
  std::vector<uint64_t> SortedBlocks() const;

 private:
  struct ExactBlock {
    ExactCounters counters;
    uint64_t num_keys;  // of slice 0, and so of each
  };
  using ExactMap = std::unordered_map<uint64_t, ExactBlock>;
  struct alignas(64) OwnedRange {  // no two ranges write to one cache line
    // The run strings of each block. Exact blocks have entries, too, all 0.
    BlockWordMap runs;
    ExactMap exact;
  };

  OwnedRange& Of(uint64_t block_idx) { return owned_ranges_[block_idx / blocks_per_owned_range_]; }
  const OwnedRange& Of(uint64_t block_idx) const {
    return owned_ranges_[block_idx / blocks_per_owned_range_];
  }
  static bool IsExact(const uint64_t* runs) { return runs[0] == 0; }  // long runs never are
  std::span<uint64_t> Runs(uint64_t* runs) const { return {runs, num_slices_}; }
  std::span<const uint64_t> Runs(const uint64_t* runs) const { return {runs, num_slices_}; }
  size_t num_counters() const;
  // The block's entry, which must be there.
  uint64_t* EntryOf(uint64_t block_idx);
  const uint64_t* EntryOf(uint64_t block_idx) const;
  // Forgets the exact counters of a block, which has its counts elsewhere.
  static void DropExact(OwnedRange& range, uint64_t block_idx);

  uint64_t blocks_per_owned_range_;
  uint32_t num_slices_;
  std::vector<OwnedRange> owned_ranges_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_SIDE_TABLE_H_
