// DenseCounts: further copies of the keys that dense blocks show once each, in a packed record per
// block. A record has counts by slot, and counts by key for entries of overflow lines.
//
//   record    | bitmap of slots (51) | groups (13) |   groups of 4 bits, 16 in a word
//   groups    | number of slot 3 | number of slot 17 | .. | key, number | key, number | ..
//   number    a count less one: 3 bits per group, lowest first; bit 3: another group follows
//   key       as many groups of 4 bits as keys need, 4 to 7
//
// Five copies of each of 42 keys take 32 bytes, a hundred 72.
//
//   words_    | record of block 7 | unused | record of block 3 | record of block 90 | ..
//   starts_   of blocks 3, 7, 90: where their records are; found by the rank of the block's bit
//
// A record that needs one word more moves behind the last. What it leaves is unused until an eighth
// of the words is, or a limit needs them: then all records are moved together. With a limit, memory
// for all of its words is reserved, and no change allocates.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_COUNTS_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trommel {

// Of the blocks [0, num_blocks). A count that is 0 has no place. Thread safety: exclusive.
class DenseCounts {
 public:
  static constexpr uint64_t kNoLimit = ~uint64_t{0};

  // Keys have at most so many bits.
  DenseCounts(uint64_t num_blocks, uint32_t key_bits)
      : num_blocks_(num_blocks), key_groups_((key_bits + 3) / 4) {}

  // From now on the words of all records are at most so many, in memory that is reserved. Requires
  // that they are now. Throws std::bad_alloc, and is then of no use.
  void LimitTo(uint64_t max_words);

  bool Has(uint64_t block_idx) const;
  uint64_t OfSlot(uint64_t block_idx, uint32_t slot) const;
  uint64_t OfKey(uint64_t block_idx, uint32_t key) const;
  // These return false, and change nothing, if a limit leaves no space for one word more, and
  // SetKey if the record is too long for one key more. A count that falls needs no space.
  [[nodiscard]] bool SetSlot(uint64_t block_idx, uint32_t slot, uint64_t count);
  [[nodiscard]] bool SetKey(uint64_t block_idx, uint32_t key, uint64_t count);
  // One copy more of a slot's key, as SetSlot; or one less, false if the slot has no count.
  [[nodiscard]] bool Increment(uint64_t block_idx, uint32_t slot);
  bool Decrement(uint64_t block_idx, uint32_t slot);
  // The slots from this one on move up, or those behind it down, with their counts. Requires, of
  // CloseSlot, that the slot has no count.
  void OpenSlot(uint64_t block_idx, uint32_t slot);
  void CloseSlot(uint64_t block_idx, uint32_t slot);

  // Prefetch where the block's record is, and then the record, if it has one.
  void PrefetchIndex(uint64_t block_idx) const {
    if (Has(block_idx)) __builtin_prefetch(&starts_[RankOf(block_idx)]);
  }
  void Prefetch(uint64_t block_idx) const {
    if (const uint64_t* record = Find(block_idx); record != nullptr) __builtin_prefetch(record);
  }

  // Does a limit leave space for so many numbers more in the block's record, with their keys? They
  // may then be set, whatever else is erased.
  bool HasSpaceFor(uint64_t block_idx, size_t num_numbers) const;
  void Clear();  // a limit stays

  uint64_t num_words() const { return words_.size() - num_unused_; }
  uint64_t num_copies() const { return num_copies_; }  // of all slots and keys
  uint64_t num_records() const { return starts_.size(); }
  uint64_t num_bytes() const { return num_bytes_; }  // spare capacity included
  // What a limit of so many words takes, beside what finds the records of all blocks: words, an
  // eighth of them in reserve, and two numbers for each two words, as records have at least.
  static constexpr uint64_t kBytesPerWord = 13;
  static constexpr uint64_t kMaxRecordWords = 513;
  static uint64_t IndexBytes(uint64_t num_blocks) { return 12 * (num_blocks / 64 + 1); }

 private:
  static constexpr uint32_t kBitmapBits = 51;
  static constexpr uint32_t kMaxGroups = 8191;
  static constexpr uint32_t kMaxNumberGroups = 22;
  // The numbers of all slots always find space.
  static constexpr uint32_t kMaxGroupsWithKeys = kMaxGroups - kBitmapBits * kMaxNumberGroups;

  // A number in a record, with the key before it, if it has one.
  struct Item {
    uint32_t first;  // group
    uint32_t size;   // groups; 0 if there is none, which would be there
    uint64_t count;
  };
  static uint64_t BitmapOf(const uint64_t* record);
  static uint32_t GroupsOf(const uint64_t* record) {
    return static_cast<uint32_t>(record[0] >> kBitmapBits);
  }
  static uint64_t WordsFor(uint32_t num_groups) { return 1 + (num_groups + 15) / 16; }
  static Item ItemOfSlot(const uint64_t* record, uint32_t slot);
  // The word with a slot's number, the first group of which is lowest after a shift by `shift`; or
  // null if the slot has none.
  uint64_t* FirstGroupOf(uint64_t block_idx, uint32_t slot, uint32_t& shift);
  Item ItemOfKey(const uint64_t* record, uint32_t key) const;

  size_t RankOf(uint64_t block_idx) const;
  const uint64_t* Find(uint64_t block_idx) const;
  uint64_t* Find(uint64_t block_idx) {
    return const_cast<uint64_t*>(static_cast<const DenseCounts*>(this)->Find(block_idx));
  }
  struct NewGroups;
  // Replaces an item by these groups, of a number with this count; makes the record, or removes it
  // with its last group.
  bool Replace(uint64_t block_idx, const Item& item, uint64_t count, const NewGroups& groups,
               uint32_t max_groups);
  // A record of no words yet, and one without groups.
  void Insert(uint64_t block_idx);
  void Remove(uint64_t block_idx);
  // Moves a record to the end, where it has more words, zeros.
  void Lengthen(uint64_t block_idx, uint64_t num_words, uint64_t new_num_words);
  void CompactIfUnused(uint64_t num_unused);

  bool is_limited() const { return max_words_ != kNoLimit; }
  // With a limit, so that records are not moved together for each word.
  uint64_t MostWords() const { return is_limited() ? max_words_ + max_words_ / 8 : kNoLimit; }
  void CountBytes();

  uint64_t num_blocks_;
  uint32_t key_groups_;
  uint64_t max_words_ = kNoLimit;
  uint64_t num_unused_ = 0;
  uint64_t num_copies_ = 0;
  uint64_t num_bytes_ = 0;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> has_record_;  // a bit per block; empty without records
  std::vector<uint32_t> num_before_;  // records before each word of these
  std::vector<uint32_t> starts_;
  std::vector<uint32_t> ranks_;  // of CompactIfUnused; with a limit, it keeps its memory
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_COUNTS_H_
