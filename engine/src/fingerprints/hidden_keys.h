// HiddenKeys: the side table of fingerprint blocks. A promoted block shows as many of its distinct
// keys as it has space for; this keeps the others, and further copies of those that it shows.
//
//   record   | total | key, count | key, count | ...     8 entries of 16 + 16 bits
//            | total | all ones | list | ..              for more keys or larger counts:
//   lists    | .. | key, count | ..                      sorted vectors of (key, count)
//
// A few blocks in a hundred have a record, and nearly all of these have fewer than 8 hidden keys.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_HIDDEN_KEYS_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_HIDDEN_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/src/blocks/block_contents.h"
#include "engine/src/blocks/block_word_map.h"

namespace trommel {

// From block index to hidden keys. Keys are below 0xffff. Thread safety: exclusive.
//
// With a limit there are at most so many records, in memory that is reserved; no call allocates,
// and blocks hide no more than a record holds.
class HiddenKeys {
 public:
  // The bytes that a limit of one record takes, and the most records for so many bytes.
  static uint64_t LeastLimitBytes() { return BlockWordMap(1 + kEntryWords).BytesFor(1); }
  static uint64_t RecordsWithin(uint64_t bytes) {
    return BlockWordMap(1 + kEntryWords).EntriesWithin(bytes);
  }
  // Would each block's record hold what it hides?
  bool AllFitRecords() const;
  // Requires that they do, and at least one record and as many as there are.
  void LimitTo(uint64_t max_records);
  void LiftLimit();  // what is reserved is freed with the last record, or now
  // Of an object to which another one was assigned: without its limit, and with the bytes that it
  // takes itself, for a copied list has no spare capacity.
  void BecomeCopy();
  bool is_limited() const { return max_records_ != kNoLimit; }
  // The most records, or the most there can be.
  uint64_t max_records() const { return max_records_; }
  // Could it be in a record, without a list?
  template <class Contents>
  static bool IsShort(const Contents& hidden) {
    return hidden.size() <= kEntries &&
           std::ranges::all_of(hidden, [](const BlockKey& k) { return k.count <= kMaxCount; });
  }
  // Could a block's record be this?
  bool FitsRecord(const BlockContents& hidden) const { return !is_limited() || IsShort(hidden); }
  // Requires this of Put.
  bool CanPut(uint64_t block_idx, const BlockContents& hidden) const {
    return FitsRecord(hidden) && (records_.has_space() || Has(block_idx));
  }

  // Makes the block's record, or replaces it. `total` counts all keys of the block, shown ones
  // included, with their copies.
  void Put(uint64_t block_idx, const BlockContents& hidden, uint64_t total);
  void Remove(uint64_t block_idx);  // if it has a record
  void Clear();

  bool Has(uint64_t block_idx) const { return records_.Find(block_idx) != nullptr; }

  // The following require that the block has a record.

  // One copy more or less of a key, in the total as well. AddOne returns false, and changes
  // nothing, if a limit leaves no space for it; TakeOne, if no copy is hidden.
  bool AddOne(uint64_t block_idx, uint32_t key);
  bool TakeOne(uint64_t block_idx, uint32_t key);
  // One key more or less that the block shows: in the total alone.
  void ChangeTotal(uint64_t block_idx, int64_t by) {
    *Find(block_idx) += static_cast<uint64_t>(by);
  }
  uint64_t TotalOf(uint64_t block_idx) const { return *records_.Find(block_idx); }
  // Calls visit(key) for hidden keys, each once, until it returns false. Returns whether
  // it never did.
  template <class Visit>
  bool VisitKeys(uint64_t block_idx, const Visit& visit) const {
    const uint64_t* record = records_.Find(block_idx);
    if (IsInList(record)) {
      return std::ranges::all_of(ListOf(record), [&](const BlockKey& k) { return visit(k.key); });
    }
    for (size_t i = 0; i < kEntries; ++i) {
      const uint32_t entry = EntryAt(record, i);
      if (entry != 0 && !visit(entry >> 16)) return false;
    }
    return true;
  }
  // The hidden copies of a key.
  uint64_t CountOf(uint64_t block_idx, uint32_t key) const;
  BlockContents ContentsOf(uint64_t block_idx) const;

  uint64_t num_blocks() const { return records_.size(); }
  uint64_t num_bytes() const;
  uint64_t CountBytes() const;  // the same by a pass, for tests

 private:
  static constexpr size_t kEntryWords = 4;
  static constexpr size_t kEntries = 2 * kEntryWords;  // of 32 bits: key, count; 0 is free
  static constexpr uint32_t kMaxCount = 0xffff;
  static constexpr uint64_t kNoLimit = ~uint64_t{0};
  static constexpr uint64_t kInList = ~uint64_t{0};  // in the first entries

  using List = std::vector<BlockKey>;

  uint64_t* Find(uint64_t block_idx) { return records_.Find(block_idx); }
  static bool IsInList(const uint64_t* record) { return record[1] == kInList; }
  List& ListOf(const uint64_t* record) { return lists_[record[2]]; }
  const List& ListOf(const uint64_t* record) const { return lists_[record[2]]; }
  static uint32_t EntryAt(const uint64_t* record, size_t i) {
    return static_cast<uint32_t>(record[1 + i / 2] >> (i % 2 * 32));
  }
  static void SetEntry(uint64_t* record, size_t i, uint32_t entry);
  bool Hide(uint32_t key, uint64_t* record);
  static BlockContents Entries(const uint64_t* record);
  void MoveToList(uint64_t* record, const BlockContents& contents);
  void FreeList(const uint64_t* record);

  BlockWordMap records_{1 + kEntryWords};
  uint64_t max_records_ = kNoLimit;
  std::vector<List> lists_;  // a record has the number of its own
  std::vector<uint64_t> free_lists_;
  uint64_t list_bytes_ = 0;  // of the lists' keys
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_HIDDEN_KEYS_H_
