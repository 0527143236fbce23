// StampedStore: the keys of all buckets of a window in one array of stamped blocks
// (kernels/stamped_layout.h), with an exact place for what a block cannot keep.
//
//   slots       the block's fingerprints, each once, with its youngest bucket
//   line        of a block with more fingerprints than slots: those beyond, if the line has space
//   side table  otherwise all copies of those beyond; and, in an erasable store, the further and
//               the older copies of every fingerprint
//
// *Spilled* is a block with fingerprints that the side table alone has. An insertion of another one
// goes there, too. Whatever frees a place that the block may use brings one back, with its youngest
// copy, and the last one makes it a block like others. So an update of a spilled block reads its
// slots and line and a few entries, however many there are.
//
// *Erasable or not.* A store that need not erase keeps one bucket per fingerprint, the youngest: an
// insertion refreshes it by one store. To erase that way would be wrong: two keys with one
// fingerprint, inserted in two buckets, would share the slot, and erasing the younger one would
// take the older one with it, or leave it with a bucket that is not its own. So an erasable store
// keeps a multiset of (fingerprint, bucket): erasing a copy takes exactly one of exactly that
// bucket, and when it was the last of the youngest, the slot steps back to the next older one.
//
// *Moments.* The store knows no clock. Each call says which buckets count: `first_live`, from which
// on buckets are present, and `first_kept`, before which slots may be overwritten. The caller
// promises that no call under way has a first_live before any first_kept.
//
// *With a limit of side memory* each owned range has so many entries (side_copies.h). An insertion
// that needs one more than there are is refused, and changes nothing; first the range's groups with
// entries are swept, once for each first_kept. All that decides belongs to one owned range, whose
// keys are applied in input order, and nothing but updates and the clock sweeps: so refusals do not
// depend on how a batch is split. A spilled block keeps its entries of the line, and takes others.
// Without a limit it leaves them to blocks that need nothing else: more of them are decided then.
//
// *Sweeps.* What expires stays where it is until its place is needed: for an insertion into the
// block, or for the whole group when a bucket is too young for a stamp, or when a limit has no
// space. SweepOneGroup frees memory of the side table earlier.
//
// Thread safety: updates, and all that reads the side table, under the lock of the digest's range,
// one of 2^lock_bits() or a part of one; Query and MayContain beside them.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_STAMPED_STORE_H_
#define TROMMEL_ENGINE_SRC_WINDOW_STAMPED_STORE_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/src/base/block_memory.h"
#include "engine/src/blocks/store.h"
#include "engine/src/sync/range_locks.h"
#include "engine/src/sync/range_versions.h"
#include "engine/src/sync/running_figure.h"
#include "engine/src/window/bucket_keys.h"
#include "engine/src/window/side_copies.h"
#include "engine/src/window/stamped_line.h"
#include "kernels/stamped_layout.h"
#include "kernels/targets.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

// Which buckets count in a call: first_kept <= first_live <= bucket.
struct StampedSpan {
  uint64_t bucket = 0;  // into which keys are inserted, from which they are erased
  uint64_t first_live = 0;
  uint64_t first_kept = 0;
};

struct StampedFigures {
  uint64_t num_overflowing = 0;  // blocks with keys that are in no slot
  uint64_t num_undecided = 0;    // blocks with keys in the side table alone
  uint64_t side_table_bytes = 0;
  uint64_t num_interrupted_queries = 0;
  uint64_t num_refused_inserts = 0;  // by a limit, since Clear
};

class StampedStore {
 public:
  // An empty store. `geometry` is of kFingerprints16 with 12 bits (slots of 16 bits) or 16 bits
  // (slots of 24). Fails as Validate does, or with kOutOfMemory over limit_bytes (0: physical
  // memory).
  static Result<StampedStore> Create(const Geometry& geometry, bool is_erasable,
                                     uint64_t limit_bytes);
  StampedStore(StampedStore&& other) noexcept;
  StampedStore& operator=(StampedStore&& other) noexcept;
  ~StampedStore() = default;

  // --- Updates. kInsert, kInsertIfAbsent and kErase, as KeyStore's. Requires that bucket -
  // first_kept is at most max_stamp() for insertions, and an erasable store for erasures.
  // Apply sets the bits in `refused` of the keys whose insertion a limit refused, unless it is
  // null, and returns how many there are.
  uint64_t Apply(Update update, const StampedSpan& span, const uint64_t* digests,
                 const kernels::DigestRange& range, uint64_t* answers, uint64_t* refused = nullptr);
  Fate UpdateOne(Update update, const StampedSpan& span, uint64_t digest);
  void FetchAhead(std::span<const uint64_t> digests) const;

  // --- Queries.
  size_t Query(uint64_t first_live, std::span<const uint64_t> digests,
               uint64_t* maybe_present) const;
  bool MayContain(uint64_t first_live, uint64_t digest) const noexcept;
  uint64_t CountEstimate(uint64_t first_live, uint64_t digest) const;
  // Notes which of the ascending digests could not be erased from the bucket if all of them were
  // (blocks/shortfalls.h). Requires the digests' lock, a bucket that is kept, and an erasable
  // store. May throw std::bad_alloc.
  void FindMissing(uint64_t bucket, std::span<const uint64_t> digests,
                   Shortfalls& shortfalls) const;

  // --- Whole groups and blocks.
  // Frees what came before first_kept.
  void SweepOneGroup(uint64_t group_idx, uint64_t first_kept);
  // What the block holds of first_kept and later.
  StampedContents ReadContents(uint64_t block_idx, uint64_t first_kept) const;
  // Requires buckets within the group's stamps.
  void StoreContents(uint64_t block_idx, const StampedContents& contents, uint64_t first_kept);

  // --- Whole stores; exclusive.
  // Divides so many bytes equally over the owned ranges and reserves them for what is of first_live
  // and later; 0: no limit from now on. Fails with kInvalidArgument if they are too few, and with
  // kOutOfMemory if what is in needs more, or the system refuses memory; the limit stays as it is
  // then.
  Status LimitSideMemory(uint64_t limit_bytes, uint64_t first_live);
  bool has_side_limit() const { return ranges_.front().side.is_limited(); }
  // Adds the other's copies of buckets from first_live on. Requires equal geometries and kinds, and
  // no limit here.
  void Merge(const StampedStore& other, uint64_t first_live);
  // Empties the store; all groups begin with first_bucket.
  void Clear(uint64_t first_bucket);
  // Copies the owned range. Requires the same geometry and kind, and that this one's is new.
  void CopyOwnedRange(const StampedStore& from, uint64_t range_idx);
  // Brings all groups into the one form of their live contents, which a file has.
  void MakeCanonical(uint64_t first_live);
  // Is it in that form, and of as many buckets as `held` has? If not, `bad_block` is where. Adds
  // the copies of each bucket to `held`. Requires AdoptGroups.
  bool IsCanonical(uint64_t first_live, std::span<uint64_t> held, uint64_t& bad_block) const;
  // Takes what a file has, whose blocks and lines are in place already: entries of the side table,
  // and what follows from all. A bucket beyond all stamps becomes the last one, which no canonical
  // store has.
  void AdoptSide(uint64_t block_idx, const BucketKey& copies, uint64_t first_bucket);
  void AdoptGroups(uint64_t first_bucket);

  const Geometry& geometry() const { return geometry_; }
  bool is_erasable() const { return is_erasable_; }
  const kernels::StampedShape& shape() const { return shape_; }
  uint64_t max_stamp() const { return shape_.max_stamp; }
  uint32_t owned_range_bits() const {
    return std::min(geometry_.shard_bits, KeyStore::kMaxOwnedRangeBits);
  }
  uint32_t lock_bits() const { return lock_bits_; }
  size_t num_owned_ranges() const { return size_t{1} << owned_range_bits(); }
  uint64_t num_groups() const { return groups_.size(); }
  uint64_t num_bytes() const {
    return blocks_.num_bytes() + lines_.num_bytes() +
           groups_.size() * sizeof(kernels::StampedGroup);
  }
  uint64_t huge_page_bytes() const { return blocks_.HugePageBytes() + lines_.HugePageBytes(); }
  StampedFigures Figures() const;
  const RangeVersions& versions() const { return versions_; }
  const BlockMemory& blocks() const { return blocks_; }
  const BlockMemory& lines() const { return lines_; }
  StampedContents SideOf(uint64_t block_idx) const;
  std::vector<uint64_t> BlocksWithSide() const;

 private:
  struct alignas(64) OwnedRange {  // no two ranges write to one cache line
    explicit OwnedRange(uint32_t fingerprint_bits) : side(fingerprint_bits) {}

    SideCopies side;
    RunningFigure num_overflowing;
    RunningFigure num_undecided;
    RunningFigure side_table_bytes;
    RunningFigure num_refused;
    uint64_t swept_before = 0;  // first_kept of the last SweepForSpace
  };
  class FiguresOfChange;
  // A key to be updated, with the buckets of its span as stamps of its group; those may be beyond
  // what a slot can have.
  struct UpdatedKey {
    uint64_t block_idx;
    uint32_t fingerprint;
    uint64_t stamp;  // of its bucket
    uint64_t live;   // of first_live
    uint64_t kept;   // of first_kept
  };
  // Where a block shows a fingerprint.
  struct Shown {
    bool is_in_line;
    size_t idx;  // of the slot or the line's entry
    uint32_t stamp;
  };

  StampedStore() = default;

  const kernels::StampedKernels& Kernels() const {
    const kernels::KernelTable& table = kernels::ChosenKernels();
    return shape_ == kernels::kStampedShape16 ? table.stamped16 : table.stamped24;
  }
  kernels::StampedBlocks View(const StampedSpan& span) const {
    return {blocks_.data(), geometry_.num_blocks, groups_data_,
            span.bucket,    span.first_live,      span.first_kept};
  }
  kernels::FingerprintPlace PlaceOf(uint64_t digest) const {
    return kernels::FingerprintPlaceOf(digest, geometry_.num_blocks);
  }
  uint32_t FingerprintOf(uint64_t rest) const {
    return kernels::StampedFingerprint(rest, shape_.fingerprint_bits);
  }
  uint32_t* BlockAt(uint64_t block_idx) const {
    return blocks_.data() + block_idx * kernels::kFingerprintBlockWords;
  }
  StampedLine LineOf(uint64_t block_idx) const {
    return StampedLine(lines_.data() + block_idx / kernels::kGroupBlocks * kStampedLineWords);
  }
  kernels::StampedGroup& GroupOf(uint64_t block_idx) const {
    return groups_data_[block_idx / kernels::kGroupBlocks];
  }
  static uint64_t BitOf(uint64_t block_idx) {
    return uint64_t{1} << block_idx % kernels::kGroupBlocks;
  }
  uint64_t BlocksPerOwnedRange() const { return geometry_.num_blocks >> owned_range_bits(); }
  OwnedRange& RangeOf(uint64_t block_idx) { return ranges_[block_idx / BlocksPerOwnedRange()]; }
  const OwnedRange& RangeOf(uint64_t block_idx) const {
    return ranges_[block_idx / BlocksPerOwnedRange()];
  }
  // IsCanonical of a block that has no more than its slots.
  bool HoldsPlain(uint64_t block_idx, uint64_t num_live, std::span<uint64_t> held) const;
  uint64_t GroupEnd(uint64_t block_idx) const;  // one past the last block of its group

  kernels::OneFate ApplyKernel(Update update, const StampedSpan& span, uint64_t digest) const;
  // For keys that the kernel left: those of full blocks, copies, and of buckets without a stamp.
  [[gnu::noinline]] Fate Finish(Update update, const StampedSpan& span, uint64_t digest);
  // One try. Requires that no group is being changed.
  Fate TryFinish(Update update, const StampedSpan& span, uint64_t digest);
  Fate FinishKey(Update update, const UpdatedKey& key);
  // Of a fingerprint that the block does not show, and has no place for, or which only the side
  // table may have.
  Fate InsertSpilled(Update update, const UpdatedKey& key);
  // Sweeps the groups of the block's owned range that have entries of the side table.
  void SweepForSpace(uint64_t block_idx, uint64_t first_kept);
  bool IsSpilled(uint64_t block_idx) const {
    return (LineOf(block_idx).spilled() & BitOf(block_idx)) != 0;
  }
  // Brings what only the side table has of a block into places that are usable.
  void Unspill(uint64_t block_idx, uint64_t kept);
  // Where the block could show one fingerprint more; nothing if nowhere.
  std::optional<Shown> UsablePlace(uint64_t block_idx, uint64_t kept) const;
  std::optional<Shown> FindShown(uint64_t block_idx, uint32_t fingerprint) const;
  void StoreShown(uint64_t block_idx, const Shown& shown, const kernels::StampedSlot& slot);
  Fate InsertShown(const UpdatedKey& key, const Shown& shown);
  Fate EraseShown(const UpdatedKey& key, const Shown& shown);
  // The first slot that is free, or whose stamp is below `kept`; num_slots if there is none.
  size_t UsableSlot(uint64_t block_idx, uint64_t kept) const;
  void ReturnFromLine(uint64_t block_idx, uint64_t kept);
  void SweepGroup(uint64_t group_idx, uint64_t first_kept);
  bool HoldsBesideUpdates(uint64_t first_live, uint64_t digest) const;
  void SetBit(uint64_t block_idx, bool is_set, uint64_t kernels::StampedGroup::*word);

  Geometry geometry_;
  kernels::StampedShape shape_ = kernels::kStampedShape16;
  bool is_erasable_ = true;
  uint32_t lock_bits_ = 0;
  BlockMemory blocks_;
  BlockMemory lines_;
  std::vector<kernels::StampedGroup> groups_;
  kernels::StampedGroup* groups_data_ = nullptr;
  std::vector<OwnedRange> ranges_;
  RangeVersions versions_{0};  // of lock ranges
  mutable std::atomic<uint64_t> num_interrupted_queries_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_STAMPED_STORE_H_
