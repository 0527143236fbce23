// GrowingStore: dense blocks that become more and fewer by themselves, a shard at a time, in steps
// of at most 65,536 keys, or of all digests of a shard.
//
//   digest   | shard (6) | value: value_bits | not used |
//
// *Shards* are 64, whatever the machine: a shard is an owned range and a lock range (RangeLocks of
// shard_bits bits). All of a shard changes under its lock alone; queries take no lock. A store that
// is small, one of many, has one shard of all keys: its digests are shifted to the right, so that
// they begin with six zeros.
//
// *Values.* All that a shard keeps of a key is its value (kernels/growing_layout.h), at any size.
// So the store is a multiset of values: a key may be in iff its value is, an erasure takes one from
// the value's count, and a change of size loses nothing. The rate is the number of distinct values
// times 2^-(6 + value_bits), whatever came and went, and however the store came to its size. To
// merge is to add up counts.
//
// *When* a shard changes its size is a function of its *entries*: its keys, without copies that are
// counted (a copy has a slot of its own where its block has space). A level takes as many as its
// ladder says (growth_ladder.h):
//
//   0.97 .. 1 of a level's capacity          its segments are moved up, one by one
//   0.85 .. 0.8 of that of the level below   they are moved down, in reverse order
//   1.3                                      insertions are refused (if growth is refused before)
//
// An update makes one step; several are due only after loading, merging and refusals. A step may
// change the number of entries: copies that were counted get slots where blocks have space for
// them, or the other way round.
//
// *Small shards* keep whole digests in a table (digest_table.h), as many as the ladder says; then
// they have segments. A shard that has been emptied is as new.
//
// *Growth* is refused by limit_bytes (each shard has a 64th, so that refusals do not depend on
// threads), by the limit of memory that several stores have, by max_capacity, or by the system. The
// store works on: blocks become fuller, and what they cannot keep is in more overflow lines. A
// limit of side memory (LimitSideMemory) bounds these and records of copies; an insertion for which
// it leaves no space is refused. No erasure needs any.
//
// Why queries beside steps are right stands in growing_shard.h; growing_directory.h draws how a
// query finds its block.
#ifndef TROMMEL_ENGINE_SRC_GROWING_GROWING_STORE_H_
#define TROMMEL_ENGINE_SRC_GROWING_GROWING_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/src/blocks/store.h"
#include "engine/src/growing/growth_ladder.h"
#include "engine/src/growing/segment.h"
#include "engine/src/growing/shard_contents.h"
#include "engine/src/sync/range_versions.h"
#include "kernels/growing_layout.h"
#include "kernels/kernels.h"
#include "trommel/result.h"

namespace trommel {

class GrowingDirectory;
class GrowingMemory;
class GrowingShard;
struct GrowthLimits;

struct GrowingOptions {
  // Of a shard, at most kernels::kMaxValueBits.
  uint32_t value_bits = 31;
  // 6; or 0: one shard. Requires digests that begin with six zeros, then.
  uint32_t shard_bits = kernels::kGrowingShardBits;
  // Keys that the store holds at first, and after it has grown as far as it may.
  uint64_t first_capacity = 0;
  uint64_t max_capacity = 1'000'000'000;
  // Of the memory that num_bytes() counts and that a limit of side memory reserves; 0: the
  // machine's memory.
  uint64_t limit_bytes = 0;

  size_t num_shards() const { return size_t{1} << shard_bits; }
};

// What a store keeps account of.
struct GrowingFigures {
  uint64_t num_entries = 0;        // see above
  uint64_t num_blocks = 0;         // 0 for shards that keep digests
  uint64_t num_digest_shards = 0;  // shards that keep digests
  uint64_t num_marked = 0;         // blocks with keys in overflow lines, or with counts
  // Bins of which a query beside writers answers "maybe present", and all.
  uint64_t undecided_bins = 0;
  uint64_t num_bins = 0;
  uint64_t num_slots = 0;
  uint64_t block_bytes = 0;       // num_bytes()
  uint64_t side_table_bytes = 0;  // further lines, counts, hidden keys
  size_t level = 0;               // of the ladder, the least of those shards that have blocks
  size_t most_level = 0;
  uint64_t num_refused_inserts = 0;
  uint64_t num_refused_by_side = 0;  // those of these for which side memory had no space
  uint64_t num_refused_by_size = 0;  // those for which the last size was full
  uint64_t num_refused_growths = 0;  // each counts again when it is tried again
  uint64_t num_interrupted_queries = 0;
};

class GrowingStore final : public KeyStore {
 public:
  static constexpr uint32_t kShardBits = kernels::kGrowingShardBits;
  static constexpr size_t kNumShards = kernels::kGrowingShards;
  // What a shard takes beside num_bytes(), about: itself, its lock and its version.
  static constexpr uint64_t kBytesPerShard = 640;
  // The ladder of a store with these options.
  static GrowthLadder LadderOf(const GrowingOptions& options);

  // An empty store. Fails with kInvalidArgument for options beyond these bounds, and with
  // kOutOfMemory over limit_bytes or if the system refuses the first memory.
  // Without has_first_size it has no segments yet, whatever first_capacity: for contents of a file.
  // `memory` is that of several stores together, which may have a limit; null: its own.
  static Result<std::unique_ptr<GrowingStore>> Create(
      const GrowingOptions& options, bool has_first_size = true,
      std::shared_ptr<GrowingMemory> memory = nullptr);
  ~GrowingStore() override;

  // --- Updates. Thread safety: under the lock of the shard, or exclusive. A range may have digests
  // of several shards (exclusive only); it is fast where digests of a shard stand together.
  uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                 uint64_t* answers, uint64_t* refused) override;
  Fate UpdateOne(Update update, uint64_t digest) override;
  void FetchAhead(std::span<const uint64_t> digests) const override;

  // --- Queries. Thread safety: beside any update; they never wait, and a key that is in is never
  // missed.
  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const override;
  bool MayContain(uint64_t digest) const noexcept override;
  // The same, and FetchAhead, of one digest. Require a reader of the memory.
  bool MayContainInside(uint64_t digest) const noexcept;
  void PrefetchInside(uint64_t digest) const noexcept;
  // Could a query answer "maybe present" for want of a look at hidden keys?
  bool has_undecided() const;
  // Returns the count of the digest's value: at least the key's number of copies. Thread safety:
  // under the shard's lock, or while nothing changes.
  uint64_t CountEstimate(uint64_t digest) const override;
  // Notes which of the ascending digests of one shard could not be erased if all of them were
  // (blocks/shortfalls.h). Thread safety: under the shard's lock. May throw std::bad_alloc.
  void FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const;

  uint32_t owned_range_bits() const override { return kShardBits; }
  UpdateCost update_cost() const override;

  // --- Whole stores.
  // As new, figures of refusals and of interrupted queries included. Waits for queries under way.
  // Exclusive, but for queries.
  void Clear() noexcept;
  // Adds what the other one holds, itself perhaps. Fails with kOutOfMemory, and has changed
  // nothing, if a limit or the system refuses a part of it. Requires equal value_bits.
  // Exclusive, both. Cost: the merged store is made beside this one, so there are both for a
  // while.
  Status Merge(const GrowingStore& other);

  // --- Contents, for snapshots. Equal contents read equal, whatever led there.
  ShardContents ReadShard(size_t shard_idx) const;  // under the shard's lock
  // Requires that the shard is new. Fails with kCorrupt, naming the rule, if the contents are
  // not what ReadShard of a store with these options returns; with kOutOfMemory over the limit or
  // if the system refuses memory. The shard is as new then. Thread safety: as updates.
  Status WriteShard(size_t shard_idx, const ShardContents& contents);

  // --- Figures. Thread safety: beside updates; each shard's figures are those of some moment.
  GrowingFigures Figures() const;
  // Of one shard, without what only the whole store has: bytes of blocks, interrupted queries.
  GrowingFigures FiguresOf(size_t shard_idx) const;
  uint64_t num_entries() const;
  // Segments, digest tables, directories; freed memory that is kept for later use,
  // and what queries may still be reading. Of memory that several stores have, segments and tables.
  uint64_t num_bytes() const;
  uint64_t huge_page_bytes() const;  // 0 of memory that several stores have

  // Divides so many bytes equally over the shards' side memory and reserves them, half of them for
  // digests; 0: no limit from now on. Fails with kInvalidArgument if they are too few, and
  // with kOutOfMemory if what is in needs more, or the system refuses them; the limit stays as it
  // is then. Blocks may grow to what is left of limit_bytes. Exclusive.
  Status LimitSideMemory(uint64_t limit_bytes);
  uint64_t side_memory_limit_bytes() const { return side_limit_bytes_; }  // 0: none

  // What one more step of the smallest shard takes; 0: there is none.
  uint64_t NextBytes() const;
  // Waits for queries that may read replaced memory, and frees it. Updates do so by themselves,
  // without waiting, when they find it possible. Thread safety: any thread, without locks.
  void FreeReplaced() noexcept;

  const GrowingOptions& options() const { return options_; }
  const GrowthLadder& ladder() const { return *ladder_; }
  const RangeVersions& versions() const { return versions_; }

 private:
  GrowingStore(const GrowingOptions& options, std::shared_ptr<GrowingMemory> memory);

  GrowingShard& ShardOf(uint64_t digest) const { return *shards_[kernels::ShardOf(digest)]; }

  // So often a query reads a group that is changed meanwhile, before it answers "maybe present".
  static constexpr int kMaxReads = 4;

  // Queries a chunk of keys by kernels; `unsure` are those that they left undecided. Requires a
  // reader of memory_.
  size_t QueryChunk(std::span<const uint64_t> chunk, uint64_t* shown, uint32_t* unsure) const;
  // Of these unsure ones, sets the bits of those that digest tables have, and returns how many are
  // of shards with segments: they are moved to the front. While nothing changes.
  size_t AskTables(std::span<const uint64_t> chunk, uint64_t* shown, uint32_t* unsure,
                   size_t num_unsure) const;
  // Of a digest that the kernel left undecided. Require a reader of memory_.
  void FetchElsewhere(uint64_t digest) const;
  bool HoldsBesideUpdates(uint64_t digest) const;

  GrowingOptions options_;
  uint64_t side_limit_bytes_ = 0;  // 0: no limit
  std::unique_ptr<GrowthLimits> limits_;
  std::unique_ptr<const GrowthLadder> ladder_;
  const bool shares_memory_;
  std::shared_ptr<GrowingMemory> memory_;
  std::unique_ptr<GrowingDirectory> directory_;
  std::vector<std::unique_ptr<GrowingShard>> shards_;
  RangeVersions versions_;
  mutable std::atomic<uint64_t> num_interrupted_queries_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_GROWING_STORE_H_
