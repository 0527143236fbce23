// DenseRange: one range of dense blocks (kernels/dense_layout.h) with what its blocks cannot keep.
// The range has a ring of overflow lines, records of counts, and hidden keys of its own. A key is
//
//   shown     in a slot, if its bin is below its block's cut; else in an entry of a line
//   counted   its further copies are in the block's record; a counted block shows each key once
//   hidden    of a bin that is cut, where no line has a place: in a map, with all of its copies
//
// What always holds (engine/docs/FINGERPRINTS.md, section 4):
//
//   R1  a key's count is how often it is shown, and its count in the record or in the map
//   R2  keys of shown bins are in no line, those of cut bins in no slot; a line has a key once
//   R3  a block has a record iff it is marked as counted, and hidden keys iff as spilled
//   R4  an entry is in one of the two lines of its block and bin
//   R5  lines are replaced as a whole, with all entries in place, and then changed no more
//
//   insert   bin shown, free slot    slot
//            bin shown, block full   squeeze: many copies go to the record; else evict: the last
//                                    bin with keys goes to lines, and is cut
//            bin cut                  line, else hidden
//            bin cut, block spilled  then hidden keys become entries where there is a place
//            with a limit of side memory, what would be hidden is refused instead
//   erase    count, slot or entry; then a cut block with kDensePullSlots free slots pulls:
//            its lowest cut bins return, and hidden keys become entries
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_RANGE_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_RANGE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/src/blocks/block_contents.h"
#include "engine/src/fingerprints/dense_counts.h"
#include "engine/src/fingerprints/dense_lines.h"
#include "kernels/dense_block.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"
#include "trommel/result.h"
#include "trommel/sync/grace_periods.h"

namespace trommel {

// What a limit of side memory reserves for a range: it has so many lines, no more and no fewer, and
// words for counts; and no hidden keys.
struct DenseLimit {
  uint64_t num_lines;
  uint64_t max_count_words;
};

// What updates of a range owe to queries beside them; null, if there are none.
struct DenseReaders {
  uint64_t* versions = nullptr;  // of the range's first group; groups are of the whole store
  uint64_t first_block = 0;      // the range's, in the store
  GracePeriods* periods = nullptr;
};

class DenseRange {
 public:
  static constexpr uint64_t kHiddenBytes = 48;  // of a node of the map
  // The least limit of a range's side memory: with it, no key is counted.
  static uint64_t LeastSideBytes(uint64_t num_blocks) {
    return DenseCounts::IndexBytes(num_blocks);
  }

  // A range of the blocks in `words`, which are zeros and outlive it. It has never fewer lines than
  // DenseLines::LeastLines.
  static Result<DenseRange> Create(const DenseLayout& layout, uint32_t* words, uint64_t num_blocks,
                                   uint64_t least_lines);
  // The same with these contents, in the one state that follows from them: what led there does not
  // show. contents_of(block_idx) are asked for twice, from the first block on, and may be what the
  // words of that block say until it returns for the second time.
  static Result<DenseRange> Build(const DenseLayout& layout, uint32_t* words, uint64_t num_blocks,
                                  uint64_t least_lines,
                                  const std::function<BlockContents(uint64_t)>& contents_of);

  // Gives a block that has no keys these contents. Exclusive, without readers.
  void Fill(uint64_t block_idx, const BlockContents& contents);

  // From now on queries may run beside updates, or no longer. Exclusive.
  void SetReaders(const DenseReaders& readers) { readers_ = readers; }
  // From now on the blocks are in these words, which have them already.
  void MoveTo(uint32_t* words) { words_ = words; }
  // Erases all keys, beside queries. Allocates nothing.
  void ClearBesideQueries() noexcept;
  // Requires words that are zero again. Keeps the lines that it has if there is no memory for the
  // least number.
  void Clear();
  // What a limit, or none, makes of all that is outside of blocks.
  struct SideMemory {
    std::optional<DenseLimit> limit;
    std::unique_ptr<DenseLines> lines;
    DenseCounts counts;
    std::vector<std::pair<uint64_t, kernels::DenseBlock>> unspilled;  // what these blocks become
  };
  // Fails with kOutOfMemory if it does not take the keys that are in, or if the system refuses.
  Result<SideMemory> WithLimit(const std::optional<DenseLimit>& limit) const;
  // Requires that nothing has changed since WithLimit. Exclusive.
  void Take(SideMemory side) noexcept;
  // Requires another one of the same size. Throws std::bad_alloc. The copy has no limit.
  void CopyFrom(const DenseRange& from);
  // What so many bytes of side memory, LeastSideBytes or more, are good for: half of what is left
  // beside the index of records for further lines, the rest for counts.
  static DenseLimit LimitWithin(uint64_t num_bytes, uint64_t num_blocks, uint64_t least_lines) {
    const uint64_t num_left = num_bytes - DenseCounts::IndexBytes(num_blocks);
    // More would not be used but far past the capacity.
    return {
        .num_lines = least_lines + std::min(num_left / 2 / DenseLines::kLineBytes, 16 * num_blocks),
        .max_count_words = std::min(num_left / 2 / DenseCounts::kBytesPerWord,
                                    DenseCounts::kMaxRecordWords * num_blocks)};
  }

  // Prefetch what an update, or a query, reads first which the kernels leave to it: of an update
  // what finds it, and then that; the query may be beside updates, inside of the grace periods.
  void PrefetchIndex(uint64_t block_idx) const {
    if (kernels::IsCountedDense(BlockAt(block_idx))) counts_.PrefetchIndex(block_idx);
  }
  void Prefetch(uint64_t block_idx, uint32_t key) const;
  void PrefetchEntries(uint64_t block_idx, uint32_t key) const {
    (void)PublishedLines().FetchedPairOf(block_idx, key);
  }
  // Returns false, and changes nothing, if a limit leaves no space.
  [[nodiscard]] bool Insert(uint64_t block_idx, uint32_t key);
  // Returns whether the key was in.
  bool Erase(uint64_t block_idx, uint32_t key);
  // At most so many copies of a key that is in, of those that are counted beside it, at once.
  // Returns how many; the others are to be erased one by one.
  uint64_t EraseCounted(uint64_t block_idx, uint32_t key, uint64_t count);
  // Moves the copies that have slots to records, as far as a limit leaves space.
  void CountCopies();
  bool MayContain(uint64_t block_idx, uint32_t key) const;
  // As the kernels' query of one key, without a look at versions.
  kernels::OneFate QueryBesideUpdates(uint64_t block_idx, uint32_t key) const;
  // Of a bin that is cut, beside updates: true if the key is an entry, or if hidden keys could be
  // it; nothing if lines were changed meanwhile. Requires a reader inside of the grace periods, and
  // counts only if the version of the block's group, looked at before and after, has not changed.
  std::optional<bool> MayHoldAboveBesideUpdates(uint64_t block_idx, uint32_t key) const;
  uint64_t CountOf(uint64_t block_idx, uint32_t key) const;
  BlockContents ReadContents(uint64_t block_idx) const;
  // Calls use(key, count) for each key of the block. Allocates nothing.
  template <class Use>
  void VisitKeys(uint64_t block_idx, const Use& use) const;

  const DenseLayout& layout() const { return layout_; }
  uint64_t num_blocks() const { return lines_->num_blocks(); }
  uint64_t least_lines() const { return least_lines_; }
  const uint32_t* BlockAt(uint64_t block_idx) const { return words_ + kBlockWords * block_idx; }
  const DenseLines& lines() const { return *lines_; }
  const DenseCounts& counts() const { return counts_; }
  // From block x 2^27 + key to the count.
  const std::map<uint64_t, uint64_t>& hidden() const { return hidden_; }
  static constexpr uint32_t kMaxKeyBits = 27;
  // Blocks that are cut or counted; bins that are cut in blocks that are spilled.
  uint64_t num_marked() const { return num_marked_; }
  uint64_t num_undecided_bins() const { return num_undecided_bins_; }
  // Of lines beyond the least number, of counts and hidden keys.
  uint64_t side_bytes() const { return BytesOf(*lines_, counts_) + hidden_.size() * kHiddenBytes; }
  uint64_t BytesOf(const DenseLines& lines, const DenseCounts& counts) const {
    return (lines.num_lines() - least_lines_) * DenseLines::kLineBytes + counts.num_bytes();
  }
  // The numbers of lines that there may be: from the least on, each an eighth more.
  static uint64_t NextLines(uint64_t num_lines) { return num_lines + (num_lines + 7) / 8; }

 private:
  static constexpr size_t kBlockWords = 16;
  // Hidden keys that one update returns to lines, at most.
  static constexpr int kMaxReturns = 8;
  // The copies in a block's slots take less of a record than so many keys with any counts.
  static constexpr size_t kMaxSqueezed = 2;
  DenseRange(const DenseLayout& layout, uint32_t* words, std::unique_ptr<DenseLines> lines);

  uint32_t* BlockAt(uint64_t block_idx) { return words_ + kBlockWords * block_idx; }
  kernels::DenseBlock Load(uint64_t block_idx) const { return {layout_, BlockAt(block_idx)}; }
  void Store(kernels::DenseBlock& block, uint64_t block_idx);
  // Calls change(words), which is all that changes a block's words, and keeps the figures.
  template <class Change>
  void ChangeBlock(uint64_t block_idx, const Change& change);
  // Adds a block with these words to the figures, or takes it from them.
  void CountMarks(const uint32_t* words, uint64_t by);
  const kernels::DenseCutKernels& Kernels() const { return lines_->Kernels(); }
  uint32_t BinOf(uint32_t key) const { return layout_.BinOf(key); }
  uint32_t FirstKeyOf(uint32_t bin) const { return bin << layout_.bits; }
  static uint64_t IdOf(uint64_t block_idx, uint32_t key) { return block_idx << kMaxKeyBits | key; }
  bool is_limited() const { return limit_.has_value(); }
  // Does a limit leave space for so many counts more in the block's record, and for all that a
  // block's copies take there?
  bool HasSpace(uint64_t block_idx, size_t num_counts) const {
    return !is_limited() || counts_.HasSpaceFor(block_idx, num_counts + kMaxSqueezed);
  }

  // Most updates, with the kernels: of a block without counts, and without hidden keys but for an
  // insertion that evicts, where no limit is near. This one returns false, and changes nothing, if
  // something else is to be done.
  bool InsertPlainly(uint64_t block_idx, uint32_t key);
  bool ErasePlainly(uint64_t block_idx, uint32_t key);
  // Whatever the block has. Lines are not made more or fewer yet.
  bool InsertAny(uint64_t block_idx, uint32_t key);
  bool EraseAny(uint64_t block_idx, uint32_t key);

  bool InsertInto(kernels::DenseBlock& block, uint64_t block_idx, uint32_t key);
  // Into a bin that is cut.
  bool InsertAbove(kernels::DenseBlock& block, uint64_t block_idx, uint32_t key);
  // Into a full block that shows the bin: its last bin with keys, none of them copies, is cut.
  bool InsertEvicting(kernels::DenseBlock& block, uint64_t block_idx, uint32_t key);
  // One copy more of a key in this slot, or in an entry if that is -1.
  bool AddCopy(kernels::DenseBlock& block, uint64_t block_idx, uint32_t key, int slot);
  // Are a full block's copies, this key among them if it has a slot, to be moved to the record
  // before its last bin is cut? If there are many, or some in that bin. A few stay: at random one
  // block in twenty has two equal keys, and a record takes more than a slot.
  bool MustSqueeze(const kernels::DenseBlock& block, uint32_t key, int slot) const;
  // Moves copies from slots to the record, so that the block may have counts. Requires HasSpace.
  void Squeeze(kernels::DenseBlock& block, uint64_t block_idx) {
    Squeeze(block, block_idx, counts_);
  }
  static void Squeeze(kernels::DenseBlock& block, uint64_t block_idx, DenseCounts& counts);
  // Puts a key that is not shown into a line, or among the hidden.
  void PutAbove(kernels::DenseBlock& block, uint64_t block_idx, uint32_t key, uint64_t count);
  bool EraseAbove(kernels::DenseBlock& block, uint64_t block_idx, uint32_t key);
  void Pull(kernels::DenseBlock& block, uint64_t block_idx);
  // Appends the hidden keys of bins [bin, end), or as many as a block has no space for.
  void AppendHidden(kernels::DenseBlock& block, uint64_t block_idx, uint32_t bin, uint32_t end,
                    DenseKeys& keys);
  // Shows the lowest bin of these ascending keys, or more of them, but takes nothing from lines;
  // returns false if the next does not fit.
  bool PullBins(kernels::DenseBlock& block, uint64_t block_idx, const DenseKeys& keys);
  void ReturnHidden(kernels::DenseBlock& block, uint64_t block_idx);
  // Puts a hidden key into a line, with its count in the block's record; false if there is no
  // place, or space.
  static bool PutCounted(kernels::DenseBlock& block, uint64_t block_idx, uint32_t key,
                         uint64_t count, DenseLines& lines, DenseCounts& counts);
  bool HasHidden(uint64_t block_idx) const;
  // A change of a block, and of its entries in lines, while it lives. One after another: a change
  // of another block of the same group may not begin before it ends.
  std::optional<kernels::GroupChange> ChangeOf(uint64_t block_idx) const {
    if (readers_.versions == nullptr) return std::nullopt;
    return std::optional<kernels::GroupChange>(
        std::in_place,
        readers_.versions +
            (readers_.first_block % kernels::kGroupBlocks + block_idx) / kernels::kGroupBlocks);
  }
  const DenseLines& PublishedLines() const {
    return *__atomic_load_n(&published_lines_, __ATOMIC_ACQUIRE);
  }
  void PublishLines() { __atomic_store_n(&published_lines_, lines_.get(), __ATOMIC_RELEASE); }
  // Makes the number of lines the one for the entries that there are. Between changes of blocks.
  void FitLines() {
    const uint64_t num_keys = NumAbove();
    if (num_keys > grow_above_ || num_keys < shrink_below_) ResizeLines();
  }
  // Keys that have or should have entries: hidden ones wait for places.
  uint64_t NumAbove() const { return lines_->num_entries() + hidden_.size(); }
  void ResizeLines();
  // So many lines with the entries of these; those that find no place are left, with their counts.
  // Fails with kOutOfMemory if the system refuses.
  Result<std::unique_ptr<DenseLines>> CopyLines(uint64_t num_lines,
                                                std::map<uint64_t, uint64_t>& left) const;
  // What Clear does outside of blocks and lines.
  void ForgetKeys() {
    counts_.Clear();
    hidden_.clear();
    num_marked_ = 0;
    num_undecided_bins_ = 0;
    SetThresholds();
  }
  // From which numbers of entries on there should be more or fewer lines.
  void SetThresholds();
  void FillBlock(uint64_t block_idx, const BlockContents& contents);
  static uint64_t FewestLinesFor(const DenseLayout& layout, uint64_t num_blocks,
                                 uint64_t least_lines, uint64_t num_entries);

  DenseLayout layout_;
  uint32_t* words_;
  uint64_t least_lines_;
  std::optional<DenseLimit> limit_;
  std::unique_ptr<DenseLines> lines_;
  const DenseLines* published_lines_;  // the same, for queries beside updates
  DenseReaders readers_;
  DenseCounts counts_;
  std::map<uint64_t, uint64_t> hidden_;
  uint64_t num_marked_ = 0;
  uint64_t num_undecided_bins_ = 0;
  uint64_t grow_above_ = 0;
  uint64_t shrink_below_ = 0;
};

template <class Use>
void DenseRange::VisitKeys(uint64_t block_idx, const Use& use) const {
  const kernels::DenseBlock block = Load(block_idx);
  std::array<uint32_t, kernels::kMaxDenseSlots> keys;
  const uint32_t num_keys = block.Keys(keys);
  if (!block.is_counted()) std::sort(keys.begin(), keys.begin() + num_keys);  // copies together
  for (uint32_t i = 0, end = 0; i < num_keys; i = end) {
    for (end = i + 1; end < num_keys && keys[end] == keys[i]; ++end) {
    }
    use(keys[i], end - i + (block.is_counted() ? counts_.OfSlot(block_idx, i) : 0));
  }
  for (uint32_t bin = block.num_bins(); bin < layout_.shape.bins; bin = lines_->EndOfGroup(bin)) {
    DenseKeys entries;
    lines_->AppendGroup(block_idx, FirstKeyOf(bin), entries);
    for (const uint32_t key : entries) {
      use(key, 1 + (block.is_counted() ? counts_.OfKey(block_idx, key) : 0));
    }
  }
  if (!block.is_spilled()) return;
  for (auto at = hidden_.lower_bound(IdOf(block_idx, 0));
       at != hidden_.end() && at->first < IdOf(block_idx + 1, 0); ++at) {
    use(static_cast<uint32_t>(at->first - IdOf(block_idx, 0)), at->second);
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_RANGE_H_
