/// @file
/// ConcurrentFilter, a CountingFilter that any thread may use at any time.
#ifndef TROMMEL_CONCURRENT_FILTER_H_
#define TROMMEL_CONCURRENT_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trommel/counting_filter.h"
#include "trommel/export.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/result.h"
#include "trommel/save_options.h"

namespace trommel {

/// A CountingFilter that any thread may use at any time.
///
/// The contract ("key" includes its duplicates; a batch is a sequence of single operations):
/// @code{.unparsed}
///   operation                        promise
///   -------------------------------  ------------------------------------------------------------
///   Query, Select, MayContain        Take no lock and never wait. If an insertion of the key
///                                    happened before the query, and no erasure that could match it
///                                    has begun, the answer is "maybe present".
///   Insert, InsertIfAbsent, Erase,   Linearizable for each key. A batch as a whole is not: other
///   EraseAll, CountEstimate(s)       threads may see part of it. Keys of one batch and one block
///                                    are handled in input order.
///   InsertIfAbsent                   Of n callers that race with one absent key, exactly one
///                                    inserts it (none, if other keys cover it meanwhile); of
///                                    duplicates in one batch, the first.
///   num_keys, GetStats               Take no lock and never wait. For each shard and figure the
///                                    value at some moment; the moments differ.
///   MeasureFill, Save, Serialize     For each shard the state at some moment between operations;
///                                    the moments of different shards differ, unless
///                                    SaveOptions::point_in_time asks for one.
///   Merge, Clear, LimitSideMemory,   Exclusive. Debug builds abort if they find another operation
///   TakeExclusive, move, destruction running, a MayContain excepted.
/// @endcode
/// "Happened before" is that of C++: one thread's call ended, and another thread learned of it by
/// some synchronization (a join, a mutex, an atomic with release and acquire).
///
/// A key may be erased as often as it was inserted: once for each Insert, and once for each
/// InsertIfAbsent that inserted it. When all threads have joined, a file has the bytes of a
/// CountingFilter after the same operations, if these commute (insertions without a limit of side
/// memory do, and erasures of keys that are in the filter).
///
/// With fingerprints, Query, Select and MayContain answer "maybe present" more often than those of
/// a CountingFilter, with or without writers: for keys that only the side table could decide
/// (sizing.h, *Undecided*), and for keys whose 64 blocks writers changed at each of several
/// attempts (Stats::num_interrupted_queries). Their false-positive rate is Stats::predicted_fpr +
/// Stats::undecided_share, and what was interrupted.
///
/// Cost: a writer holds one lock at a time, that of a range of blocks, while it applies the keys of
/// one batch that fall into that range. From about 2,048 keys on, batches cost little more than
/// those of a CountingFilter; a single key costs one lock more. A child process made by fork must
/// not use filters that other threads of its parent were changing.
///
/// Why all this holds, and what it needs of the machine, is in ARCHITECTURE.md, Why queries beside
/// writers are right.
class TROMMEL_API ConcurrentFilter {
 public:
  /// Creates an empty filter, and fails, as CountingFilter::Create and Adopt. With config.executor,
  /// large batches of one caller are spread over its threads.
  static Result<ConcurrentFilter> Create(const CountingConfig& config);

  /// Takes over a filter, with its keys and its executor. With fingerprints it makes the versions
  /// of 64 blocks each that queries beside writers need (8 bytes each, 0.2 % of the memory, and
  /// with dense blocks one more for each shard). Fails with kOutOfMemory, and leaves the filter
  /// as it is, if these exceed its memory limit or the system refuses memory. Cost: the locks (up
  /// to 32 KiB) and the versions; no pass over the blocks.
  static Result<ConcurrentFilter> Adopt(CountingFilter&& filter);

  /// The same. Failing ends the program with a message.
  explicit ConcurrentFilter(CountingFilter&& filter);

  /// Moves the filter. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message. Exclusive.
  /// @{
  ConcurrentFilter(ConcurrentFilter&&) noexcept;
  ConcurrentFilter& operator=(ConcurrentFilter&&) noexcept;
  ~ConcurrentFilter();
  /// @}

  /// @name Batches
  /// Each does what the CountingFilter's does, with outputs of the same shapes. Queries of
  /// fingerprints answer as above.
  /// @{
  InsertOutcome Insert(Keys keys) noexcept;  ///< As CountingFilter::Insert.
  /// As CountingFilter::Insert. With a limit of side memory each key takes its lock by itself.
  InsertOutcome Insert(Keys keys, std::span<uint64_t> inserted) noexcept;
  /// As CountingFilter::InsertIfAbsent; what that says of a table's puts and deletes holds here.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;
  /// As CountingFilter::InsertIfAbsent. With a limit of side memory each key takes its lock by
  /// itself.
  InsertOutcome InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                               std::span<uint64_t> refused) noexcept;
  EraseOutcome Erase(Keys keys) noexcept;  ///< As CountingFilter::Erase.
  /// As above; also sets the bits in `erased` of the keys that were erased and clears the others.
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;
  /// As CountingFilter::EraseAll, if no other thread erases the same keys meanwhile, or keys that
  /// are not in: what the look-up has found may be gone then, and num_erased and num_refused are
  /// both above 0. Other insertions and erasures may run. The erasure is not one moment: queries
  /// beside it see some keys that are erased and some that are not yet, but none of a batch that is
  /// refused is ever absent. A lock is held while the keys of its range are looked up.
  Result<EraseOutcome> EraseAll(Keys keys, std::span<uint64_t> missing = {});
  /// As CountingFilter::Query.
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;
  /// As CountingFilter::Select.
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;
  /// As CountingFilter::CountEstimates.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;
  /// @}

  /// @name One key
  /// Batches of one.
  /// @{
  /// Returns true unless a limit of side memory refused the key.
  bool Insert(Key key) noexcept { return InsertDigest(impl_.one().DigestOf(key)); }
  /// Returns true if the key was absent and is now in.
  bool InsertIfAbsent(Key key) noexcept { return InsertAbsentDigest(impl_.one().DigestOf(key)); }
  /// Returns false if the erasure was refused.
  bool Erase(Key key) noexcept { return EraseDigest(impl_.one().DigestOf(key)); }
  bool MayContain(Key key) const noexcept;  ///< Returns false if the key is certainly absent.
  /// Returns what CountEstimates writes.
  uint64_t CountEstimate(Key key) const noexcept { return CountOf(impl_.one().DigestOf(key)); }
  Key Prefetch(Key key) const noexcept;  ///< As CountingFilter::Prefetch.
  /// @}

  /// @name Properties
  /// @{
  const Geometry& geometry() const noexcept;           ///< Returns the geometry of its blocks.
  const DigestPolicy& digest_policy() const noexcept;  ///< Returns how keys become digests.
  uint64_t capacity() const noexcept;                  ///< As CountingFilter::capacity.
  double target_fpr() const noexcept;                  ///< As CountingFilter::target_fpr.
  uint64_t num_keys() const noexcept;                  ///< Returns insertions less erasures.
  /// Returns statistics that are kept as running figures. Takes no lock and stops no writer. Beside
  /// writers each figure is, for each shard, that of some moment during the call, and the moments
  /// of different figures and shards differ; with no writer running all are exact. Cost: as
  /// CountingFilter::GetStats.
  Stats GetStats() const noexcept;
  /// As CountingFilter::MeasureFill: for each shard as it is at some moment. Cost: one pass over
  /// all blocks, one lock at a time.
  BlockFill MeasureFill() const noexcept;
  /// @}

  /// @name Files
  /// Files are those of CountingFilter. The filter is copied first, a shard at a time, so that
  /// no writer waits for the disk: this needs the filter's memory once more. With
  /// SaveOptions::point_in_time all writers wait until the whole copy is made.
  /// @{

  /// As CountingFilter::Save.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  /// As CountingFilter::Serialize.
  std::vector<std::byte> Serialize() const;
  /// As CountingFilter::Load and Adopt. For an executor: CountingFilter::Load, UseExecutor, and the
  /// constructor above.
  static Result<ConcurrentFilter> Load(const std::filesystem::path& path,
                                       uint64_t memory_limit_bytes = 0,
                                       const DigestKey& digest_key = {});
  /// As CountingFilter::Deserialize and Adopt.
  static Result<ConcurrentFilter> Deserialize(std::span<const std::byte> bytes,
                                              uint64_t memory_limit_bytes = 0,
                                              const DigestKey& digest_key = {});
  /// As CountingFilter::SaveTo. `point_in_time` as in SaveOptions.
  Status SaveTo(ByteSink& sink, std::span<const std::byte> metadata = {},
                bool point_in_time = false) const;
  /// As CountingFilter::LoadFrom and Adopt.
  static Result<ConcurrentFilter> LoadFrom(const ByteSource& source,
                                           uint64_t memory_limit_bytes = 0,
                                           const DigestKey& digest_key = {});
  /// As CountingFilter::Clone, beside any other call: each shard as it is at a moment of its own,
  /// or all at one moment, for which writers wait (`point_in_time`).
  Result<ConcurrentFilter> Clone(bool point_in_time = false) const;
  /// As CountingFilter's, of copies made as Serialize makes them.
  friend TROMMEL_API bool operator==(const ConcurrentFilter& a, const ConcurrentFilter& b);

  /// @}

  /// @name Exclusive
  /// @{
  Status Merge(const CountingFilter& other);  ///< As CountingFilter::Merge.
  void Clear() noexcept;                      ///< As CountingFilter::Clear.
  /// As CountingFilter::LimitSideMemory. Versions (see Adopt) count as memory of the filter, which
  /// its memory limit bounds.
  Status LimitSideMemory(uint64_t limit_bytes);
  /// Returns the filter, for everything that only a CountingFilter does: Subtract, Fold, Grow,
  /// estimates. Cost: no pass over the blocks; Adopt takes it back.
  CountingFilter TakeExclusive() &&;
  /// @}

 private:
  friend struct FilterFiles;
  struct Impl;
  explicit ConcurrentFilter(std::unique_ptr<Impl> impl) noexcept;
  Status WriteTo(FileWriter& file) const;
  Status WriteOneMomentTo(FileWriter& file) const;

  // One key, under its lock.
  bool InsertDigest(uint64_t digest) noexcept;
  bool InsertAbsentDigest(uint64_t digest) noexcept;
  bool EraseDigest(uint64_t digest) noexcept;
  uint64_t CountOf(uint64_t digest) const noexcept;
  bool FinishQuery(uint64_t digest) const noexcept;  // what the kernel has left to the store
  void FetchAhead(uint64_t digest) const noexcept;

  ImplPtr<Impl> impl_;
};

inline bool ConcurrentFilter::MayContain(Key key) const noexcept {
  const OneKey& one = impl_.one();
  return one.MayContain(one.DigestOf(key), [this](uint64_t digest) { return FinishQuery(digest); });
}

inline Key ConcurrentFilter::Prefetch(Key key) const noexcept {
  const uint64_t digest = impl_.one().DigestOf(key);
  FetchAhead(digest);
  return Key::Digest(digest);
}

}  // namespace trommel

#endif  // TROMMEL_CONCURRENT_FILTER_H_
