// BlockWordMap: a hash map from block index to a fixed number of 64-bit words, for very many
// entries in little memory.
//
// Entries lie side by side, each with its block index in front, in an array that grows by a
// quarter; the index is an open-addressing table of entry numbers, of a power of two of slots, at
// most three quarters full:
//
//   index     | . | 3 | 1 | . | . | 2 | . | . |      tag, entry number from 1; 0 is free
//   entries   | block, words | block, words | block, words |
//
// With 2^b slots, the first b of a block's 32 hash bits are where its search begins, the others its
// tag, and b bits are left for the number. Nearly always the tag finds the entry: a search reads
// one line of the index and those of one entry, which may each be a miss of caches and TLB.
//
// So an entry takes its own words and the block's, a quarter more where the array has just grown,
// and between 5.3 and 10.7 bytes of index. Removal leaves the array at most five eighths
// more than it needs, and the index as it is; removal of the last entry frees the memory. Reserved
// memory stays.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_WORD_MAP_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_WORD_MAP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trommel {

class BlockWordMap {
 public:
  explicit BlockWordMap(size_t words_per_block) : stride_(words_per_block + 1) {}

  // The block's words, valid until the next entry is made or removed; null if it has no entry.
  uint64_t* Find(uint64_t block_idx);
  const uint64_t* Find(uint64_t block_idx) const;
  // For searches of many blocks: prefetches what Find reads first, and what it reads then. The
  // second reads what the first has prefetched, and should follow when memory has answered.
  void PrefetchIndex(uint64_t block_idx) const;
  void PrefetchEntry(uint64_t block_idx) const;
  // As Find; makes an entry of zeros if there is none. If memory runs out, nothing has changed.
  // Requires space for it (has_space) where memory is reserved.
  uint64_t* FindOrMake(uint64_t block_idx);
  void Remove(uint64_t block_idx);  // if it has an entry
  void Clear();

  // Reserves the memory of so many entries, at least as many as there are. From then on it is
  // neither grown nor freed, by no call.
  void Reserve(size_t max_entries);
  // It may be grown and freed again; that of a map without entries is freed now.
  void LiftLimit();
  bool has_space() const { return max_entries_ == 0 || size() < max_entries_; }
  // What Reserve takes: bytes for so many entries; and the most entries for so many bytes.
  uint64_t BytesFor(size_t num_entries) const;
  size_t EntriesWithin(uint64_t num_bytes) const;

  size_t words_per_block() const { return stride_ - 1; }
  size_t size() const { return entries_.size() / stride_; }
  // In no particular order.
  uint64_t BlockAt(size_t entry_idx) const { return entries_[entry_idx * stride_]; }
  // Of the entries and the index, spare capacity included.
  uint64_t num_bytes() const;

 private:
  static constexpr size_t kMinSlots = 4;

  // How a search for a block begins: at which slot, and with which tag, in its place in a slot.
  struct Start {
    size_t home;
    uint32_t tag;
  };
  Start StartOf(uint64_t block_idx) const;
  // The number in a slot; 0 if it is free.
  size_t NumberIn(uint32_t slot) const { return slot & (index_.size() - 1); }
  bool HasTag(uint32_t slot, uint32_t tag) const { return slot - NumberIn(slot) == tag; }
  size_t Next(size_t slot) const { return (slot + 1) & (index_.size() - 1); }
  // The slot of the block's entry number, or the free slot where it would be. Requires an index.
  size_t SlotOf(uint64_t block_idx, Start start) const;
  size_t SlotOf(uint64_t block_idx) const { return SlotOf(block_idx, StartOf(block_idx)); }
  // Makes the entry's number that of its block, in the slot where a search for it ends.
  void SetNumber(size_t entry_idx);
  void FreeSlot(size_t slot);
  // What an array that grows has space for.
  static size_t WithSpare(size_t num_entries) { return num_entries + num_entries / 4 + 1; }
  void GiveBackSpare();
  void GrowIndex();
  void FillIndex();  // of zeros before

  size_t stride_;
  size_t max_entries_ = 0;  // 0: as many as memory allows
  std::vector<uint64_t> entries_;
  std::vector<uint32_t> index_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_BLOCK_WORD_MAP_H_
