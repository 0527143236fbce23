/// @file
/// ScalableFilter, a counting filter that grows with its keys and shrinks when they are erased.
#ifndef TROMMEL_SCALABLE_FILTER_H_
#define TROMMEL_SCALABLE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/export.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/sizing.h"

namespace trommel {

/// What ScalableFilter::Create makes.
struct ScalableConfig {
  /// Keys that the filter holds before it grows for the first time, in blocks for so many, below
  /// which it never shrinks. 0, or as few as take whole digests: it begins without blocks. Each of
  /// the 64 parts then keeps whole digests at first, without false positives, in 12 bytes per key
  /// as they come and 12,288 bytes in all: 800 keys per part, or more where P is so large that
  /// blocks would take more.
  uint64_t first_capacity = 0;
  /// False-positive rate that the whole filter keeps up to largest_capacity(), whatever came and
  /// went; it is below it in proportion while it is smaller.
  double target_fpr = 0.01;
  /// Distinct keys that the filter must be able to hold, at least first_capacity, and beyond which
  /// it may refuse to grow: a part of the last size is filled up. 0: 10^9, or first_capacity. A
  /// filter far below it takes about 1.25 bits per key more for each factor of two.
  uint64_t max_capacity = 0;
  DigestPolicy digest = {};  ///< How keys become digests.
  /// Limit on the bytes of blocks and side tables: growth that would exceed it is refused. 0: the
  /// machine's memory.
  uint64_t memory_limit_bytes = 0;
  /// The most bytes of side memory, which has further copies of keys and keys without a slot; 0: no
  /// limit. With a limit they are reserved and count as memory of the filter, an insertion that
  /// finds no space is refused and changes nothing, and no erasure needs memory.
  ///
  /// It is all that the filter ever has, at least 32,768, divided equally over 64 parts. Half is
  /// for copies of whole digests, 64 bytes for each key with further copies; half for overflow
  /// lines and records of copies of a part's blocks. A step of growth that finds no space is tried
  /// again later.
  uint64_t side_memory_limit_bytes = 0;
  std::shared_ptr<Executor> executor = nullptr;  ///< As CountingConfig::executor.
};

/// Statistics of a ScalableFilter. The sizes of its blocks are those of a ladder, whose steps are
/// factors of 1.41 or 2.
struct ScalableStats {
  uint64_t num_keys = 0;             ///< Insertions less erasures; duplicates count.
  uint64_t num_bytes = 0;            ///< Blocks, digests and side tables.
  uint64_t num_refused_erases = 0;   ///< Since creation, load or clear.
  uint64_t num_refused_inserts = 0;  ///< Since creation, load or clear.
  /// By the entries in blocks, so an upper bound: the rate where no key is in twice.
  double predicted_fpr = 0;
  uint64_t num_blocks = 0;  ///< Blocks of 64 bytes; 0 while all parts keep whole digests.
  /// Parts, of 64, that keep whole digests: the fewest keys. They have no false positives.
  uint32_t num_small_parts = 0;
  uint32_t least_doublings = 0;  ///< Half of the steps from the first size of the smallest part.
  uint32_t most_doublings = 0;   ///< Half of those of the largest part.
  /// Keys with their copies, but for copies in records: a copy takes a slot where its block has
  /// space. Growth follows it.
  uint64_t num_entries = 0;
  double load = 0;  ///< Entries per block.
  /// Share of non-members that could be hidden keys, which have no place in overflow lines: part of
  /// predicted_fpr.
  double undecided_share = 0;
  /// Part of num_bytes: overflow lines beyond the least number, records of copies, hidden keys, and
  /// 64 for each whole digest with further copies.
  uint64_t side_table_bytes = 0;
  /// Steps, up and down, that a limit or the system refused, since creation, load or clear. Blocks
  /// are filled further, or stay.
  uint64_t num_refused_steps = 0;
  /// Queries answered "maybe present" because writers changed their 64 blocks at each of several
  /// attempts; since creation, load or clear.
  uint64_t num_interrupted_queries = 0;
};

/// What a pass over a ScalableFilter measures.
struct ScalableFill {
  double fill_ratio = 0;         ///< Distinct values of blocks over their slots.
  double current_fpr = 0;        ///< Of distinct values, and of bins that hidden keys could be in.
  uint64_t huge_page_bytes = 0;  ///< Of blocks.
};

/// A counting filter that grows with its keys, and shrinks when they are erased.
///
/// *Growing.* An array of dense blocks in 64 parts, each named by the top 6 bits of a digest, each
/// of which grows at its own time as its keys come, and shrinks as they go, down to its first size.
/// The filter keeps the first P bits of each key's digest at any size, P = log2(max_capacity /
/// min(target_fpr, 1.1 %)) rounded up: behind the part's 6 bits its *value*. The block and the bin
/// say the more of it the more blocks there are, and the slot's remainder has the rest. (Quotient
/// filters, Bender et al., 2012, double in the same way.) A part is a multiset of values, so with n
/// distinct keys the rate is n / 2^P, whatever came and went and however often each key is in;
/// erasing is exact, and shrinking, growing again and merging lose nothing. P is at most 50. Sizes
/// are factors of 2 apart, or of 1.41 where many keys have long remainders; a step moves at most
/// 65,536 keys, or a part's digests. Memory follows from the number of keys, target_fpr and
/// max_capacity (FINGERPRINTS.md, section 5). Copies never raise the rate: many of a key are a
/// count in a record. A query reads one cache line at any size, and two more for 3 % of the keys.
///
/// *Threads.* Any thread may use the filter at any time, also while it grows:
/// @code{.unparsed}
///   operation                        promise
///   -------------------------------  -----------------------------------------------------------
///   Query, Select, MayContain        Take no lock and never wait. If an insertion of the key
///                                    happened before the query, and no erasure that could match
///                                    it has begun, the answer is "maybe present", also while
///                                    blocks become more and fewer.
///   Insert, InsertIfAbsent, Erase,   Linearizable for each key. They wait for each other at a
///   EraseAll, CountEstimate(s)       lock for a range of keys. A step of growth is done under that
///                                    lock, and moves at most 65,536 keys, or a part's digests.
///   num_keys, GetStats               Take no lock and never wait. Each figure is that of some
///                                    moment; the moments differ.
///   MeasureFill, Save, Serialize     For each range of keys the state at some moment.
///   Merge, Clear, UseExecutor,       Exclusive.
///   move, destruction
/// @endcode
/// "Happened before" is as in ConcurrentFilter. Why all this holds is in ARCHITECTURE.md, Why
/// queries beside writers are right.
///
/// The batches of a single caller leave the same bytes, for any number of threads and any split of
/// the batches; and grow the filter at the same key, unless keys come that are in. So do callers
/// that race, if they only insert and nothing is refused.
class TROMMEL_API ScalableFilter {
 public:
  /// Creates an empty filter. Fails with kInvalidArgument for numbers out of range (as SizeFor
  /// does), and where target_fpr and max_capacity take more than 50 bits of a digest, naming what
  /// is possible; with kOutOfMemory as CountingFilter::Create does.
  static Result<ScalableFilter> Create(const ScalableConfig& config);

  /// Moves the filter. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message. Exclusive.
  /// @{
  ScalableFilter(ScalableFilter&&) noexcept;
  ScalableFilter& operator=(ScalableFilter&&) noexcept;
  ~ScalableFilter();
  /// @}

  /// @name Batches
  /// Outputs have the shapes of CountingFilter's and must not overlap the keys.
  /// @{

  /// In input order, increments the counters of every key; grows where necessary. Cost: an update
  /// of one block per key.
  InsertOutcome Insert(Keys keys) noexcept;
  /// As above; also sets the bits in `inserted` of the keys that were inserted and clears those of
  /// the keys that were refused.
  InsertOutcome Insert(Keys keys, std::span<uint64_t> inserted) noexcept;
  /// In input order, inserts every key that is absent and sets its bit in `inserted`; a key that is
  /// maybe present is left alone. num_refused counts absent keys that the filter could not grow
  /// for.
  InsertOutcome InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;
  /// In input order, decrements the counters of every key, or refuses a key that is certainly
  /// absent. What CountingFilter::Erase says of non-members holds here.
  EraseOutcome Erase(Keys keys) noexcept;
  /// As above; also sets the bits in `erased` of the keys that were erased and clears the others.
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;
  /// As CountingFilter::EraseAll, and beside other threads as ConcurrentFilter::EraseAll.
  Result<EraseOutcome> EraseAll(Keys keys, std::span<uint64_t> missing = {});
  /// As CountingFilter::Query. Cost: about one cache line per key.
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;
  /// As CountingFilter::Select.
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;
  /// Writes an upper bound of how often each key is in the filter: the count of its value. 0 means
  /// certainly absent.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  /// @}

  /// @name One key
  /// Batches of one.
  /// @{
  /// Returns false if the insertion was refused.
  bool Insert(Key key) noexcept { return InsertDigest(DigestOf(key)); }
  /// Returns true if the key was absent and is now in.
  bool InsertIfAbsent(Key key) noexcept { return InsertAbsentDigest(DigestOf(key)); }
  /// Returns false if the erasure was refused.
  bool Erase(Key key) noexcept { return EraseDigest(DigestOf(key)); }
  /// Returns false if the key is certainly absent.
  bool MayContain(Key key) const noexcept { return HasDigest(DigestOf(key)); }
  uint64_t CountEstimate(Key key) const noexcept;  ///< Returns what CountEstimates writes.
  /// As CountingFilter::Prefetch.
  Key Prefetch(Key key) const noexcept;
  /// @}

  /// @name Properties
  /// @{
  const DigestPolicy& digest_policy() const noexcept;  ///< Returns how keys become digests.
  /// Returns the keys that the first size holds before it grows: no less than was asked for.
  uint64_t first_capacity() const noexcept;
  double target_fpr() const noexcept;  ///< Returns the configured value.
  /// Returns how many distinct keys the filter takes while it keeps its rate: max_capacity, or what
  /// is taken for it. A part refuses new keys when it has 1.3 times what its last size is for.
  uint64_t largest_capacity() const noexcept;
  /// Returns insertions less erasures. Beside writers it, and the statistics, may be too high by
  /// keys of calls in progress: keys not yet inserted, or erased already.
  uint64_t num_keys() const noexcept;
  /// Returns statistics that are kept as running figures. Beside writers as
  /// ConcurrentFilter::GetStats. Cost: as CountingFilter::GetStats.
  ScalableStats GetStats() const;
  /// Measures how full the blocks are. Cost: one pass over all blocks, one lock at a time.
  ScalableFill MeasureFill() const;
  /// Returns the bytes that the next step of growth adds; 0: there is none.
  uint64_t NextBytes() const;
  /// Returns the model's rate and memory of this filter when it is filled with so many distinct
  /// keys. Beyond largest_capacity() the figures are those of blocks that are filled further.
  GrowthForecast ForecastAt(uint64_t num_keys) const;
  /// @}

  /// @name Exclusive
  /// @{

  /// Spreads batches over the executor's threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;
  /// Limits side memory from now on, as ScalableConfig::side_memory_limit_bytes, which is not part
  /// of files; 0: no limit. Fails with kInvalidArgument below the least value, and with
  /// kOutOfMemory if what is in needs more, if the filter would exceed its memory limit, or if the
  /// system refuses memory; the limit stays as it is then. A filter that was filled to its limit
  /// may need more after loading, because a file puts keys in canonical order.
  Status LimitSideMemory(uint64_t limit_bytes);
  /// Makes the filter as new.
  void Clear();
  /// Adds the keys of `other`, which may be this filter, with their counts, growing as they need:
  /// as if they had been inserted here. Fails with kMismatch, changing nothing, unless both have
  /// one P, which follows from target_fpr and max_capacity, and one digest policy; with
  /// kInvalidArgument, changing nothing, if both together hold more than 2^62 keys; with
  /// kOutOfMemory, changing nothing, where max_capacity, the memory limit, the limit of side memory
  /// or the system leaves no room for all distinct keys. Cost: the merged filter is made beside
  /// this one, so that there are both for a while.
  Status Merge(const ScalableFilter& other);

  /// @}

  /// @name Files
  /// Canonical as CountingFilter's. The filter is copied first, so that no writer waits for the
  /// disk: this needs its memory once more.
  /// @{

  /// As CountingFilter::Save.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  /// As CountingFilter::Load.
  static Result<ScalableFilter> Load(const std::filesystem::path& path,
                                     uint64_t memory_limit_bytes = 0,
                                     const DigestKey& digest_key = {});
  /// As CountingFilter::Serialize.
  std::vector<std::byte> Serialize() const;
  /// As CountingFilter::Deserialize.
  static Result<ScalableFilter> Deserialize(std::span<const std::byte> bytes,
                                            uint64_t memory_limit_bytes = 0,
                                            const DigestKey& digest_key = {});
  /// As CountingFilter::SaveTo.
  Status SaveTo(ByteSink& sink, std::span<const std::byte> metadata = {}) const;
  /// As CountingFilter::LoadFrom.
  static Result<ScalableFilter> LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes = 0,
                                         const DigestKey& digest_key = {});
  /// Returns what loading a file of it returns, with the same executor and limit of side
  /// memory. Fails with kOutOfMemory, also where LimitSideMemory does; `memory_limit_bytes` as for
  /// Load. Cost: a file in memory, and loading it.
  Result<ScalableFilter> Clone(uint64_t memory_limit_bytes = 0) const;
  /// As CountingFilter's: whether Serialize returns the same bytes.
  friend TROMMEL_API bool operator==(const ScalableFilter& a, const ScalableFilter& b);

  /// @}

 private:
  friend struct FilterFiles;
  struct Impl;
  explicit ScalableFilter(std::unique_ptr<Impl> impl) noexcept;
  static Result<ScalableFilter> ReadFrom(FileReader& file, uint64_t limit_bytes,
                                         const DigestKey& digest_key);
  Status WriteTo(FileWriter& file) const;
  // One key.
  uint64_t DigestOf(const Key& key) const noexcept { return impl_.one().DigestOf(key); }
  bool InsertDigest(uint64_t digest) noexcept;
  bool InsertAbsentDigest(uint64_t digest) noexcept;
  bool EraseDigest(uint64_t digest) noexcept;
  bool HasDigest(uint64_t digest) const noexcept;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_SCALABLE_FILTER_H_
