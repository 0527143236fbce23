// GrowingStore: fingerprints with lengths (kernels/growing_layout.h) in a store that doubles and
// halves by itself, a shard at a time, in steps of at most 4,096 blocks.
//
//   digest   | shard (6) | y (58)                                        |
//   y        | block of the shard (depth d) | code: the next 15 bits | ... |
//
// *Shards* are 64, whatever the machine: a shard is an owned range and a lock range (RangeLocks of
// kShardBits bits). All of a shard changes under its lock alone; queries take no lock.
//
// *Strings.* A shard holds strings, the bits of y that are known of keys, each with a count. *No
// string begins another one*, so at most one begins the y of a key; there all copies of the key are
// counted, and those of other keys that it begins. An insertion adds to that string's count; if
// there is none, the key becomes a string of its first d + 15 bits, where its block has depth d. No
// string of the block is longer, so this one begins none. An erasure takes from the count. It is
// exact: whatever is erased of what was inserted, a string's count is that of the keys that are in
// and begin with it. To double is to move a bit of each string from its code to its block: the
// string stays what it is. To halve a shard (fold) moves a bit back, and takes the last bit of
// strings of d + 15 bits: those that become equal add up. A string that began one of the shorter
// ones would have begun what that one was. To merge is to unite the strings; what another one
// begins is counted there.
//
// *The rate* is no higher for copies or for what they do to strings. Squeezed strings match the
// keys that they matched before. A key that is counted at a string with fewer bits than it would
// come in with keeps that string in when the first key has gone; but strings of at most D + 15 bits
// are made at depths up to D alone, so that above D there are never more of them than there were
// entries when the depth was last D: what the model counts (scalable/doubling_plan.h).
//
// *When* a shard doubles is a function of its number of *entries* alone, that is of the keys and
// their order: an entry is a string, whatever its count. So copies weigh nothing. An update is done
// at the exact key however batches are split, so one caller leaves the same contents for any batch
// split and number of threads.
//
//   entries per block   20 .. 21.5   the shard's segments double, one by one, in order of prefix
//                       8 .. 7.5     of doubled ones: they fold, in reverse order
//                       28           insertions are refused (only if growth is refused before)
//
// *Small shards* of stores with the least first size keep whole digests in a table
// (digest_table.h), up to 832; then they have 2^7 blocks, which take less memory from there on. A
// shard that has been emptied is as new.
//
// *Growth* is refused by limit_bytes (each shard has a 64th, so that refusals do not depend on
// threads), by a budget, by most_doublings, or by the system. The store works on: blocks become
// fuller, and what they cannot keep goes to overflow lines and to the side table of the shard,
// which also counts copies: an entry for each string with a count above 1. An insertion for which
// the side table has no memory is refused: that of a limit (LimitSideMemory), or of the system. No
// erasure needs any.
//
// Why queries beside doublings are right stands in growing_shard.h; growing_directory.h draws how a
// query finds its block.
#ifndef TROMMEL_ENGINE_SRC_GROWING_GROWING_STORE_H_
#define TROMMEL_ENGINE_SRC_GROWING_GROWING_STORE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/src/base/memory_budget.h"
#include "engine/src/blocks/store.h"
#include "engine/src/growing/shard_contents.h"
#include "engine/src/sync/range_versions.h"
#include "kernels/kernels.h"
#include "trommel/result.h"

namespace trommel {

class GrowingDirectory;
class GrowingMemory;
class GrowingShard;
struct GrowthLimits;

struct GrowingOptions {
  uint32_t first_bits = 7;       // a shard has 2^first_bits blocks at first, and never fewer
  uint32_t most_doublings = 14;  // of a shard
  // Of the memory that num_bytes() counts and that a limit of side memory reserves; 0: the
  // machine's memory.
  uint64_t limit_bytes = 0;
};

// What a store keeps account of.
struct GrowingFigures {
  uint64_t num_entries = 0;        // see above
  uint64_t num_blocks = 0;         // 0 for shards that keep digests
  uint64_t num_digest_shards = 0;  // shards that keep digests
  uint64_t num_marked = 0;         // blocks with keys in overflow lines or the side table
  uint64_t num_undecided = 0;      // those for which a query beside writers answers "maybe present"
  uint64_t block_bytes = 0;        // num_bytes()
  uint64_t side_table_bytes = 0;   // estimated: the system's allocator adds to it
  uint64_t num_refused_inserts = 0;
  uint64_t num_refused_by_side = 0;  // those of these for which side tables had no memory
  uint64_t num_refused_growths = 0;  // each counts again when it is tried again
  uint64_t num_interrupted_queries = 0;
};

class GrowingStore final : public KeyStore {
 public:
  static constexpr uint32_t kShardBits = 6;
  static constexpr size_t kNumShards = size_t{1} << kShardBits;
  static constexpr uint32_t kLeastFirstBits = 7;
  static constexpr uint32_t kMostFirstBits = 26;
  static constexpr uint32_t kMostDoublings = 14;
  // Entries per block when the last of a shard's segments doubles.
  static constexpr double kFullLoad = 21.5;

  // Bytes of the blocks of a store whose shards all have 2^depth blocks. For depth kLeastFirstBits
  // that is more than a store takes at first, which has no blocks.
  static uint64_t BytesAt(uint32_t depth);
  // The distinct keys that a store takes before it has doubled so often, about: shards grow by
  // their own numbers.
  static uint64_t KeysBefore(uint32_t first_bits, uint32_t num_doublings);

  // An empty store. Fails with kInvalidArgument for options beyond these bounds, and with
  // kOutOfMemory over limit_bytes or if the system refuses the first memory.
  static Result<std::unique_ptr<GrowingStore>> Create(const GrowingOptions& options);
  ~GrowingStore() override;

  // --- Updates. Thread safety: under the lock of the shard, or exclusive. A range may have digests
  // of several shards (exclusive only); it is fast where digests of a shard stand together.
  uint64_t ApplyNoting(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                       uint64_t* answers, uint64_t* refused) override;
  Fate UpdateOne(Update update, uint64_t digest) override;
  void FetchAhead(std::span<const uint64_t> digests) const override;

  // --- Queries. Thread safety: beside any update; they never wait, and a key that is in is never
  // missed.
  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const override;
  bool MayContain(uint64_t digest) const noexcept override;
  // Returns the count of the string that begins the digest: at least the key's number of copies.
  // Thread safety: under the shard's lock.
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
  // Adds what the other one holds, itself perhaps, growing as needed. Where both have the same
  // depths, and the sum has, it is commutative. Fails with kOutOfMemory, and
  // has changed nothing, if a limit, the budget or the system refuses a part of it. Requires equal
  // first_bits. Exclusive, both. Cost: the merged store is made beside this one, so there are both
  // for a while.
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
  // Blocks, lines, versions, digest tables, directories; freed memory that is kept for later use,
  // and what queries may still be reading.
  uint64_t num_bytes() const;
  // By a pass over the shard: its entries by the number of known bits behind their block (0 .. 15;
  // of digests, [15]). Their non-members' rate is sum of tally[n] / 2^n / blocks. Under the lock.
  std::array<uint64_t, 16> TallyOf(size_t shard_idx) const;
  uint64_t huge_page_bytes() const;

  // Divides so many bytes equally over the shards' side tables and reserves them, half of them for
  // what steps move; 0: no limit from now on. Fails with kInvalidArgument if they are too few, and
  // with kOutOfMemory if what is in needs more, or the system refuses them; the limit stays as it
  // is then. Blocks may grow to what is left of limit_bytes. Exclusive.
  Status LimitSideMemory(uint64_t limit_bytes);
  uint64_t side_memory_limit_bytes() const { return side_limit_bytes_; }  // 0: none

  // From now on growth needs space in the budget, too. Returns false, and changes nothing, if what
  // is there does not fit. Exclusive.
  bool Join(std::shared_ptr<MemoryBudget> budget);
  // What one more doubling of the smallest shard takes; 0: there is none.
  uint64_t NextBytes() const;
  // Waits for queries that may read replaced memory, and frees it. Updates do so by themselves,
  // without waiting, when they find it possible. Thread safety: any thread, without locks.
  void FreeReplaced() noexcept;

  const GrowingOptions& options() const { return options_; }
  const RangeVersions& versions() const { return versions_; }

 private:
  explicit GrowingStore(const GrowingOptions& options);
  // Of the same contents, in the same blocks. Null if the budget or the system refuses memory.
  std::unique_ptr<GrowingStore> Copy() const;

  GrowingShard& ShardOf(uint64_t digest) const { return *shards_[digest >> (64 - kShardBits)]; }

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
  std::unique_ptr<GrowingMemory> memory_;
  std::unique_ptr<GrowingDirectory> directory_;
  std::array<std::unique_ptr<GrowingShard>, kNumShards> shards_;
  RangeVersions versions_{kShardBits};
  mutable std::atomic<uint64_t> num_interrupted_queries_{0};
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_GROWING_STORE_H_
