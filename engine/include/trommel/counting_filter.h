/// @file
/// CountingFilter, an approximate multiset of keys.
#ifndef TROMMEL_COUNTING_FILTER_H_
#define TROMMEL_COUNTING_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/export.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/one_key.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/sizing.h"

namespace trommel {

/// What CountingFilter::Create and ConcurrentFilter::Create make.
struct CountingConfig {
  /// Distinct keys to size for; required. More may be inserted: the false-positive rate and the
  /// side table then grow. Size runs for the peak: at twice their capacity nearly all blocks are
  /// promoted, and the filter takes more memory and several times the time of planes.
  uint64_t capacity = 0;
  double target_fpr = 0.01;  ///< False-positive rate at capacity.
  DigestPolicy digest = {};  ///< How keys become digests.
  uint32_t num_slices = 0;  ///< One of the encoding's (Geometry::num_slices), or 0: sizing chooses.
  /// Runs take half the memory of planes, and beyond the caches their updates are no slower. Planes
  /// have faster updates in cache, on CPUs without a fast bit deposit, and beyond their capacity
  /// (GUIDE.md). Fingerprints have the fastest updates (16 bits) or the least memory (dense).
  ///
  /// Runs are the default, for both types of filters, because they serve best what is not foreseen:
  /// with 1.9 times the capacity, beside writers, runs sized for 0.3 % answer 3 % of non-members
  /// "maybe present" and fingerprints16 83 % (PredictedUndecidedShare).
  Encoding encoding = Encoding::kRuns;
  /// Of Encoding::kAutomatic; of kDense, kSpeed; else not used.
  Preference preference = Preference::kMemory;
  /// Round num_blocks up to a power of two: for repeated folding, and for Parquet's blocks with
  /// num_slices = 8.
  bool power_of_two_blocks = false;
  /// Creating, folding and loading fail rather than take more bytes; 0: the machine's memory, which
  /// is its physical memory, or less where a control group (of a container, a service) limits the
  /// process (Linux, versions 1 and 2; read once). The side table may grow beyond it. A promoted
  /// block (see Sizing::predicted_promoted_share) takes 8 bytes per slice and about 30 more, about
  /// 0.1 KB with 8 slices; one of more than 63 keys takes another byte per position, or as many
  /// as its largest count has. Loading counts the side table, too.
  uint64_t memory_limit_bytes = 0;
  /// The most bytes of side memory, which holds what full blocks have no place for; 0: no limit.
  /// With a limit these bytes are reserved at creation and divided equally over the shards (at most
  /// 1,024 parts), and no later insertion or erasure allocates side memory. An insertion that finds
  /// no space is refused and changes nothing (CountingFilter::Insert).
  ///
  /// With planes and runs a promoted block takes 8 bytes per slice and 13 to 19 more, and one with
  /// more than 63 keys takes another byte per position, or as many as its largest count has. Runs
  /// of 5, 8 and 10 slices keep about a fifth of the bytes for the latter, the others most of them.
  /// Nothing else is refused: a hot key counts as far as there are bytes for its digits. Three
  /// times Sizing::predicted_side_table_bytes, but at least 2 KiB per part, suffices for keys that
  /// differ.
  ///
  /// With slots of 16 bits it takes 53 to 64 bytes, and hides at most 8 keys that differ, each up
  /// to 65,535 times. More is refused, whatever the limit: copies of a hot key beyond about 65,536,
  /// and in a filter filled to its capacity with keys that differ about 1 key in 4,000,000; with
  /// nine tenths of them, none. Twice the predicted bytes, but at least 1 KiB per part, suffices.
  ///
  /// With dense blocks half of the bytes are for further overflow lines, the rest for counts of
  /// further copies, 24 bytes or more for a block that has some. A key is refused if the lines near
  /// its block have no place for it, or for those that it displaces. Four times the predicted
  /// bytes, but at least 4 KiB per part, suffices for keys that differ, also if they are replaced.
  ///
  /// Requires at least what one promoted block takes per part: 64 bytes with slots of 16 bits, up
  /// to 700 with planes and runs; with dense blocks 12, and 12 for each 64 blocks. Counts as memory
  /// of the filter (memory_limit_bytes).
  uint64_t side_memory_limit_bytes = 0;
  /// Spreads batches of updates and queries, and the first touch of the memory, over its threads;
  /// operations on whole filters use one thread. Null: the calling thread does all the work.
  std::shared_ptr<Executor> executor = nullptr;
};

/// An approximate multiset with insertions, erasures and queries of batches of keys.
///
/// Answers are "absent", which is certain, or "maybe present", which a non-member gets with the
/// false-positive rate. A key that is in the filter is never answered "absent". Counts are exact:
/// they neither saturate nor wrap.
///
/// A key touches one block. With planes and runs it touches one bit per slice of that block: the
/// split counting Bloom filter of Huang, Fang and Zhang ("Split Counting Bloom Filter and its
/// Application in Hbase Secondary Index"), cut to the size of a cache line. Queries read presence
/// bits only. With fingerprints a key takes one slot of the block (ARCHITECTURE.md, Layouts of
/// blocks).
///
/// Thread safety: const members may run in any number of threads at once, as long as no other
/// member runs; all other members are exclusive (ConcurrentFilter lifts this). With an executor,
/// large batches are spread over its threads; the result is the same, byte for byte.
class TROMMEL_API CountingFilter {
 public:
  /// Creates an empty filter for config.capacity keys. Fails with kInvalidArgument as SizeFor does,
  /// and with kOutOfMemory if the filter exceeds the limit or the system refuses memory.
  static Result<CountingFilter> Create(const CountingConfig& config);

  /// Creates an empty filter of exactly this geometry. Fails as Validate and Create do.
  static Result<CountingFilter> CreateWithGeometry(const Geometry& geometry,
                                                   const DigestPolicy& digest,
                                                   uint64_t memory_limit_bytes = 0);

  /// Moves the filter. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message.
  /// @{
  CountingFilter(CountingFilter&&) noexcept;
  CountingFilter& operator=(CountingFilter&&) noexcept;
  ~CountingFilter();
  /// @}

  /// @name Batches
  /// The result is the same for any split of a batch and on any target.
  ///
  /// Shapes: a bitmap has BitmapWords(keys.size()) words and holds key i's answer in bit i % 64 of
  /// word i / 64; unused high bits are written as zero. A selection and an array of counts have
  /// keys.size() entries. Requires these sizes, and that no output overlaps the array of keys. Nor
  /// may an output overlap the characters of string keys, which is not checked.
  ///
  /// Without a limit of side memory (CountingConfig::side_memory_limit_bytes), an insertion for
  /// which the system refuses memory of the side table ends the program. Everything else is done
  /// without memory, by the calling thread if need be (ARCHITECTURE.md, Without memory).
  /// @{

  /// Returns the words of a bitmap for `num_keys` keys.
  static constexpr size_t BitmapWords(size_t num_keys) noexcept { return (num_keys + 63) / 64; }

  /// Increments the counters of every key. Cost: about one block per key (3 cache lines with
  /// planes, 1 or 2 with runs, 1 with fingerprints); several times as much for a key of a promoted
  /// block.
  ///
  /// With a limit of side memory, a key that finds no space is refused: nothing changes for it, and
  /// it must not be erased on account of this call. Which keys are refused depends on the order of
  /// all updates alone. Without a limit num_refused is 0.
  InsertOutcome Insert(Keys keys) noexcept;
  /// As above; also sets the bits in `inserted` of the keys that were inserted and clears the
  /// others. With a limit, the calling thread does all the work.
  InsertOutcome Insert(Keys keys, std::span<uint64_t> inserted) noexcept;

  /// In input order, inserts every key that is absent and sets its bit in `inserted`; a key that is
  /// maybe present is left alone and must not be erased on account of this call. Returns how many
  /// were inserted. With a limit of side memory, an absent key that is refused is not inserted
  /// either; the overload below tells it from a present one.
  ///
  /// Not for the puts of a table whose deletes are Erase: that loses keys, because a new key that
  /// looks present is not inserted, and its erasure takes what belongs to others. Upsert (upsert.h)
  /// is for these.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;
  /// As above; also sets the bits in `refused` of the absent keys that were refused, as Insert
  /// does, and clears the others. num_refused of the outcome is their number. With a limit, the
  /// calling thread does all the work.
  InsertOutcome InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                               std::span<uint64_t> refused) noexcept;

  /// In input order, decrements the counters of every key, or refuses a key that is certainly
  /// absent and changes nothing for it.
  ///
  /// A key may be erased as often as it was inserted. Erasing a non-member goes undetected with the
  /// filter's false-positive rate, and then takes counts of other keys: a key of the same block
  /// that is alone at one of the erased positions becomes absent (at most one such key per slice,
  /// with its duplicates) and can no longer be erased. With fingerprints it takes one copy of an
  /// equal fingerprint of that block: a key that is in once becomes absent.
  EraseOutcome Erase(Keys keys) noexcept;
  /// As above; also sets the bits in `erased` of the keys that were erased and clears the others.
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;

  /// Erases every key, or changes nothing: all keys are looked up first, and if one is certainly
  /// absent, or counted less often than the batch has it, none is erased. Use it for a list that
  /// may be erased a second time, by a job that is retried: with Erase, the keys of the list that
  /// look present by then take counts from others.
  ///
  /// Keys that share counters are looked up together, so that a batch is refused if and only if
  /// Erase would refuse one of its keys. num_refused is how many keys are missing, so that the
  /// others could all be erased; `missing`, if it is not empty, gets their bits: of the copies of
  /// one key the last ones. A batch of non-members that all look present is erased, as by Erase.
  ///
  /// Fails with kOutOfMemory, and has changed nothing then. Needs 8 bytes per key; a batch that is
  /// refused, 16 more per missing key. Cost: sorting the digests, a CountEstimate per key, and
  /// Erase.
  Result<EraseOutcome> EraseAll(Keys keys, std::span<uint64_t> missing = {});

  /// Sets the bits in `maybe_present` of the keys that are maybe present and clears the others.
  /// Returns how many are set. Cost: one cache line per key (two with 10 slices).
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;

  /// Writes the indices of the keys with the given answer to the front of `selection`, ascending,
  /// and returns how many there are. Requires at most 2^32 - 1 keys.
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;

  /// Writes an upper bound of how often each key is in the filter, the least of its counters or,
  /// with fingerprints, the copies of its fingerprint, to `counts`. 0 means certainly absent.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  /// @}

  /// @name One key
  /// Batches of one.
  /// @{
  bool Insert(Key key) noexcept;            ///< Returns false if the insertion was refused.
  bool InsertIfAbsent(Key key) noexcept;    ///< Returns true if the key was absent and is now in.
  bool Erase(Key key) noexcept;             ///< Returns false if the erasure was refused.
  bool MayContain(Key key) const noexcept;  ///< Returns false if the key is certainly absent.
  /// Returns what CountEstimates writes.
  uint64_t CountEstimate(Key key) const noexcept { return CountOf(impl_.one().DigestOf(key)); }

  /// Begins to fetch the cache lines that an operation on the key reads, and returns the key as its
  /// digest, so that it is hashed once. For callers who interleave operations on one key with other
  /// work, and so cannot pass batches, which prefetch by themselves:
  /// @code
  /// const Key key = filter.Prefetch(customer);
  /// ...  // a few hundred nanoseconds of other work
  /// if (filter.MayContain(key)) ...
  /// @endcode
  /// Cost: hashing, and one prefetch per cache line of a block.
  Key Prefetch(Key key) const noexcept;
  /// @}

  /// @name Whole filters
  /// @{

  /// Adds the other filter's counts, as if its keys had been inserted here.
  ///
  /// Fails with kMismatch, naming the field, if geometry or digest policy differ, and with
  /// kInvalidArgument if both together hold more than 2^62 keys. With a limit of side memory it
  /// fails with kOutOfMemory if the result would exceed it, and changes no contents; with
  /// fingerprints this takes one more pass. Without a limit, running out of memory for the side
  /// table fails in the same way, and ends the program with slots of 16 bits.
  /// Subtract, and a Merge that fails, need no memory with planes and runs. Digest keys are
  /// compared by their check values; this filter keeps its own, or stays without. Cost: one pass
  /// over both.
  Status Merge(const CountingFilter& other);

  /// Subtracts the other filter's counts, as if its keys had been erased here. Fails with kMismatch
  /// as Merge does, and with kInvalidArgument if any counter would fall below zero.
  Status Subtract(const CountingFilter& other);

  /// Halves the number of blocks. The filter is then exactly what it would be had it been created
  /// with half the blocks (the block index comes from high bits, so neighbouring blocks add up).
  /// capacity() and target_fpr() stay as they are.
  ///
  /// Fails with kInvalidArgument if num_blocks is odd, and with kOutOfMemory: it needs memory for
  /// both sizes while it runs. With runs, most blocks of a filter near its capacity may be promoted
  /// afterwards, which costs memory and time: PredictedPromotedShare of half the blocks tells in
  /// advance.
  Status Fold();

  /// Doubles the number of blocks, with fingerprints. The filter is then exactly what it would be
  /// had it been created with twice the blocks and one bit less per fingerprint
  /// (Geometry::fingerprint_bits): half of the load, at about the same false-positive rate. Fold
  /// undoes it. capacity(), target_fpr() and the limit of side memory stay as they are; what the
  /// limit has no space for makes both fail with kOutOfMemory.
  ///
  /// Fails with kInvalidArgument without fingerprints, or if they have no bit to spare (8 doublings
  /// with slots of 16 bits, 7 to 20 with dense blocks) or num_blocks would exceed kMaxBlocks, and
  /// with kOutOfMemory: it needs memory for both sizes while it runs. Cost: one pass over all
  /// blocks.
  Status Grow();

  /// Limits side memory from now on, as CountingConfig::side_memory_limit_bytes, which is not part
  /// of files; 0: no limit, and what is reserved is freed as promoted blocks return. Fails with
  /// kInvalidArgument below the least value, and with kOutOfMemory if what is in needs more, if the
  /// filter would exceed its memory limit, or if the system refuses memory; there is no limit then,
  /// or the one that was. A filter takes the limit again after loading that it had before saving:
  /// where it is needed, keys are placed anew. With dense blocks that may fail for a filter that
  /// was filled to its limit, because a file puts keys in canonical order. Cost: what it
  /// reserves; one pass over all blocks where keys are placed anew.
  Status LimitSideMemory(uint64_t limit_bytes);

  /// Removes all keys and resets the counts of refusals. Keeps the memory and writes all of
  /// it.
  void Clear() noexcept;

  /// @}

  /// @name How it works
  /// These change speed, never contents or answers.
  /// @{

  /// Spreads batches over the executor's threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;

  /// @}

  /// @name Properties
  /// @{
  const Geometry& geometry() const noexcept;           ///< Returns the geometry of its blocks.
  const DigestPolicy& digest_policy() const noexcept;  ///< Returns how keys become digests.
  uint64_t capacity() const noexcept;  ///< Returns the configured value; 0 from CreateWithGeometry.
  double target_fpr() const noexcept;  ///< Returns the configured value; 0 from CreateWithGeometry.
  uint64_t num_keys() const noexcept;  ///< Returns insertions less erasures.
  /// Returns statistics that are kept as running figures. Cost: a few loads per shard, up to 1,024
  /// shards, and the arithmetic of PredictedFpr; nothing that depends on the number of blocks.
  Stats GetStats() const noexcept;
  /// Measures how full the blocks are. Cost: one pass over all blocks.
  BlockFill MeasureFill() const noexcept;
  /// @}

  /// @name Files
  /// Files are canonical: the same configuration and counts give the same bytes, whatever the
  /// target, the number of threads and the split of batches, and whatever operations led there.
  /// FORMAT.md describes every byte.
  /// @{

  /// Writes a file to `path` atomically: to a temporary file beside it, flushed, then renamed.
  /// Fails with kIo, kOutOfMemory, kExists (SaveOptions::replace) and the error of
  /// SaveOptions::check; the path is then unchanged. Fails with kNotFlushed if the file is in place
  /// but its folder could not be flushed.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;

  /// Reads a file. Fails with kIo, kVersion, kOutOfMemory, kMismatch (a file of another type)
  /// or kCorrupt, naming what is wrong and where; no bytes make it crash. `memory_limit_bytes` is
  /// CountingConfig::memory_limit_bytes.
  ///
  /// `digest_key` is the key of a file whose digest is kSipHash: fails with kInvalidArgument if it
  /// is another key, or if the file's digest takes none. Without it, such a file can be loaded for
  /// everything that hashes nothing: statistics, merging, folding, saving, and digests as keys.
  /// Other keys then break the requirement of DigestPolicy::can_hash().
  static Result<CountingFilter> Load(const std::filesystem::path& path,
                                     uint64_t memory_limit_bytes = 0,
                                     const DigestKey& digest_key = {});

  /// Returns the bytes that Save writes. Throws std::bad_alloc if there is no memory.
  std::vector<std::byte> Serialize() const;

  /// Reads what Serialize returned, as Load.
  static Result<CountingFilter> Deserialize(std::span<const std::byte> bytes,
                                            uint64_t memory_limit_bytes = 0,
                                            const DigestKey& digest_key = {});

  /// Writes the bytes that Save writes, with SaveOptions::metadata, to any destination. Fails with
  /// kOutOfMemory, with kInvalidArgument for too many metadata, before anything is written, and as
  /// the sink does.
  Status SaveTo(ByteSink& sink, std::span<const std::byte> metadata = {}) const;

  /// Reads what SaveTo wrote, as Load, from any source. Fails as Load and the source do.
  static Result<CountingFilter> LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes = 0,
                                         const DigestKey& digest_key = {});

  /// @}

  /// @name Copies
  /// @{

  /// Returns a copy, with the same executor and limits; its counts of refusals begin at 0.
  /// Fails with kOutOfMemory. Cost: one pass over all blocks.
  Result<CountingFilter> Clone() const;

  /// Returns whether both have the same geometry, digest policy, configured capacity and rate, and
  /// counts: whether Serialize returns the same bytes. Throws std::bad_alloc if there is no memory
  /// for one file. Cost: writing both files, the second as far as it is the same.
  friend TROMMEL_API bool operator==(const CountingFilter& a, const CountingFilter& b);

  /// @}

 private:
  friend class ConcurrentFilter;
  friend class PresencePair;  // of estimates.h
  friend struct FilterFiles;
  friend struct ForcedRoute;  // for measurements and tests
  struct Impl;
  explicit CountingFilter(std::unique_ptr<Impl> impl) noexcept;
  static Result<CountingFilter> ReadFrom(FileReader& file, uint64_t limit_bytes,
                                         const DigestKey& digest_key);
  Status WriteTo(FileWriter& file) const;

  // What kernels of one key have left to the store.
  bool FinishInsert(uint64_t digest, kernels::OneFate fate) noexcept;
  bool FinishInsertIfAbsent(uint64_t digest, kernels::OneFate fate) noexcept;
  bool FinishErase(uint64_t digest, kernels::OneFate fate) noexcept;
  bool FinishQuery(uint64_t digest) const noexcept;
  void FetchAhead(uint64_t digest) const noexcept;
  uint64_t CountOf(uint64_t digest) const noexcept;

  ImplPtr<Impl> impl_;
};

inline bool CountingFilter::Insert(Key key) noexcept {
  OneKey& one = impl_.one();
  const uint64_t digest = one.DigestOf(key);
  const kernels::OneFate fate = one.insert(digest, one.blocks);
  if (fate != OneKey::kDone) [[unlikely]]
    return FinishInsert(digest, fate);
  one.num_keys += 1;
  return true;
}

inline bool CountingFilter::InsertIfAbsent(Key key) noexcept {
  OneKey& one = impl_.one();
  const uint64_t digest = one.DigestOf(key);
  const kernels::OneFate fate = one.insert_if_absent(digest, one.blocks);
  if (fate > OneKey::kUnchanged) [[unlikely]]
    return FinishInsertIfAbsent(digest, fate);
  one.num_keys += uint64_t{fate == OneKey::kDone};
  return fate == OneKey::kDone;
}

inline bool CountingFilter::Erase(Key key) noexcept {
  OneKey& one = impl_.one();
  const uint64_t digest = one.DigestOf(key);
  const kernels::OneFate fate = one.erase(digest, one.blocks);
  if (fate > OneKey::kUnchanged) [[unlikely]]
    return FinishErase(digest, fate);
  const bool is_erased = fate == OneKey::kDone;
  one.num_keys -= uint64_t{is_erased};
  one.num_refused_erases += uint64_t{!is_erased};
  return is_erased;
}

inline bool CountingFilter::MayContain(Key key) const noexcept {
  const OneKey& one = impl_.one();
  return one.MayContain(one.DigestOf(key), [this](uint64_t digest) { return FinishQuery(digest); });
}

inline Key CountingFilter::Prefetch(Key key) const noexcept {
  const uint64_t digest = impl_.one().DigestOf(key);
  FetchAhead(digest);
  return Key::Digest(digest);
}

}  // namespace trommel

#endif  // TROMMEL_COUNTING_FILTER_H_
