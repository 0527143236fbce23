/// @file
/// WindowFilter, a set of the keys inserted during a sliding window of time.
#ifndef TROMMEL_WINDOW_FILTER_H_
#define TROMMEL_WINDOW_FILTER_H_

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
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/sizing.h"

namespace trommel {

/// What WindowFilter::Create makes.
struct WindowConfig {
  uint64_t window = 0;  ///< Length of the window in ticks; required.
  /// 1 to kMaxBuckets, and at most the ticks of the window. More than 12 take slots of 24 bits.
  uint32_t num_buckets = 8;
  /// Distinct keys inserted within any span of window + bucket_ticks(); required. The rate is kept
  /// for any pattern of arrival of so many. Of more, updates take longer, with the logarithm of the
  /// excess.
  uint64_t capacity = 0;
  /// False-positive rate of a query over all live buckets: WindowFilter::kMinTargetFpr to
  /// kMaxTargetFpr. With up to 12 buckets rates from 0.55 % take about 24.7 bits per key; rates
  /// from 0.03 % take 41.2, and lower ones 524 bits / (65,536 * rate).
  double target_fpr = 0.01;
  DigestPolicy digest = {};  ///< How keys become digests.
  /// Whether keys can be erased. A filter that need not erase keeps one bucket per key, the
  /// youngest, and an insertion of a key that is in is one store; one that erases keeps each
  /// insertion of a key, the further ones in its side table.
  bool is_erasable = true;
  /// Limit on the bytes of the store; 0: the machine's memory. Without side_memory_limit_bytes
  /// the side table may grow beyond it.
  uint64_t memory_limit_bytes = 0;
  /// The most bytes of side memory; 0: no limit. With a limit they are reserved at creation, an
  /// insertion that finds no space is refused and changes nothing, and neither erasures nor time
  /// need memory. Counts as memory of the filter.
  ///
  /// It is divided equally over the ranges of blocks, and each further insertion of a key takes up
  /// to 50 bytes. What has expired makes space for what comes. Requires 56 bytes per range, of
  /// which there are at most 1,024.
  uint64_t side_memory_limit_bytes = 0;
  /// Spreads large batches over its threads, except those of InsertIfAbsent. Null: the calling
  /// thread only.
  std::shared_ptr<Executor> executor = nullptr;
};

/// What a batch of insertions at a time of the caller's did.
struct WindowInsertOutcome {
  uint64_t num_inserted = 0;  ///< Keys that were inserted.
  /// Keys of a bucket that does not take any, for it has expired or lies in the future; and those
  /// without space:
  uint64_t num_refused = 0;
  /// Keys that the limit of side memory had no space for; 0 without one.
  uint64_t num_without_space = 0;

  /// Memberwise equality.
  friend bool operator==(const WindowInsertOutcome&, const WindowInsertOutcome&) = default;
};

/// A live bucket that holds keys, or is the current one.
struct WindowBucket {
  uint64_t first_tick = 0;   ///< First tick of the bucket.
  uint64_t last_tick = 0;    ///< Last tick of the bucket.
  uint64_t num_keys = 0;     ///< Insertions less erasures.
  double predicted_fpr = 0;  ///< As Stats::predicted_fpr, of this bucket's keys alone.
};

/// Statistics of a WindowFilter.
struct WindowStats {
  uint64_t now = 0;                 ///< As WindowFilter::now.
  uint64_t num_keys = 0;            ///< Insertions less erasures of live buckets.
  uint64_t num_bytes = 0;           ///< The store with its side table.
  Stats slots;                      ///< Of the store, which holds all buckets.
  uint64_t num_refused_erases = 0;  ///< Of absent keys; since creation, load or clear.
  uint64_t num_expired_erases = 0;  ///< Of keys of no live bucket; since creation, load or clear.
  /// As PredictedFpr(num_keys). If keys are in several buckets the true rate is lower.
  double predicted_fpr = 0;
  /// Of keys of no live bucket, and those without space; since creation, load or clear.
  uint64_t num_refused_inserts = 0;
  /// Of keys that the limit of side memory had no space for; since creation, load or clear.
  uint64_t num_without_space = 0;
  /// Keys beyond capacity() in all live buckets. While there are any, the rate may exceed
  /// target_fpr.
  uint64_t num_excess_keys = 0;
  std::vector<WindowBucket> buckets;  ///< Oldest first; the last one is the current bucket.
};

/// A set of the keys inserted during a sliding window of time.
///
/// *Time* is the caller's: a number of ticks of any unit, from 0 to 2^64 - 1, which Advance sets
/// and which never decreases. The window slides in buckets: keys enter the current bucket, and a
/// bucket expires as a whole when it has left the window.
/// @code{.unparsed}
///     bucket    5       6       7       8       9      num_buckets = 4: the window is as long as
///           |.......|-------|-------|-------|---|      four buckets, and there are up to five
///           expired  oldest                  now       live ones
/// @endcode
/// Buckets are window / num_buckets ticks long; where that is not a whole number, their lengths
/// differ by one tick, so that num_buckets of them are the window: tick t is in bucket floor(t *
/// num_buckets / window). bucket_ticks() is the length of the longest.
///
/// *Guarantee*, for a key inserted at time t (t + window does not wrap around):
/// @code{.unparsed}
///   now < t + window                     every query answers "maybe present", unless it was erased
///   now >= t + window + bucket_ticks()   expired: "absent", but for false positives
///   between                              either: it expires with its bucket
/// @endcode
/// Every Insert lasts for one window. To keep a key alive, insert it again with Insert:
/// InsertIfAbsent leaves a key in its old bucket, which expires at its time.
///
/// *Threads.* Any thread may use the filter at any time:
/// @code{.unparsed}
///   operation                        promise
///   -------------------------------  -----------------------------------------------------------
///   Query, Select, MayContain        Take no lock and never wait. If an insertion of the key at
///                                    time t happened before the query, no erasure that could
///                                    match it has begun, and no Advance to t + window or later
///                                    has begun, the answer is "maybe present".
///   Insert                           All keys of a call enter one bucket: that of a time t, now()
///                                    at some moment of the call, which the call returns; or that
///                                    of the time that the caller gives.
///   Insert, InsertIfAbsent, Erase,   Linearizable for each key; a batch as a whole is not. Keys
///   EraseAll, CountEstimate(s)       of one batch and one block are handled in input order.
///   InsertIfAbsent                   Each chunk of kChunkKeys keys enters the bucket of a time t,
///                                    now() at some moment of the chunk, which the call returns.
///                                    The chunk's answers are those of t: a key inserted at s is
///                                    not inserted again while t < s + window, unless an erasure
///                                    could match it. Of n callers that race with one absent key,
///                                    exactly one inserts it (none, if other keys cover it
///                                    meanwhile), also when the time advances between them. Of
///                                    duplicates in one batch, the first is inserted.
///   Advance                          Calls run one after another. now() changes at once; entering
///                                    a new bucket then waits for chunks that other threads are
///                                    working on (2,048 keys; 2^17 keys of updates spread over an
///                                    executor), so Advance must not be called from within one.
///                                    Meanwhile other Advance, GetStats, Save and Serialize calls
///                                    wait, too; queries do not, and updates only after a leap of
///                                    several buckets. An Insert or Erase whose bucket expires
///                                    while it runs ends: its remaining keys would be expired.
///   num_keys, GetStats, Save,        For each bucket and lock range the state at some moment
///   Serialize                        between operations; the moments differ. Buckets that expire
///                                    meanwhile are left out.
///   Merge, Clear, UseExecutor,       Exclusive. Debug builds abort if they find another operation
///   move, destruction                running.
/// @endcode
/// "Happened before", and what fork forbids, are as in ConcurrentFilter. Why all this holds is in
/// ARCHITECTURE.md, Why queries beside writers are right.
///
/// *Memory.* One array holds the keys of all buckets, in 64 bytes for about 20 of them,
/// with 2.4 % more for what blocks share. Expired keys stay where they are until their place is
/// needed: by an insertion into their block, which takes it as a free one, or by the 64 blocks
/// around it, which are swept when a bucket comes that is too young for them (4 KB, under their
/// lock). So no pause grows with the filter, however far the clock leaps.
///
/// An erasable filter keeps the further insertions of a key in its side table, which takes about 40
/// bytes for each. Queries, which do not read it, answer "maybe present" for any key of a block
/// with keys that are there alone: WindowStats::slots has their share as undecided_share. Sizing
/// keeps rate and share together within target_fpr.
class TROMMEL_API WindowFilter {
 public:
  /// Most buckets of a window.
  static constexpr uint32_t kMaxBuckets = 64;
  /// Lowest rate that a window can be sized for: fingerprints have at most 16 bits.
  static constexpr double kMinTargetFpr = 1.6e-5;
  /// Keys of a batch that are handled as one: those of an InsertIfAbsent have one time.
  static constexpr size_t kChunkKeys = 2048;
  /// Returns how many chunks a batch of `num_keys` keys has.
  static constexpr size_t NumChunks(size_t num_keys) noexcept {
    return (num_keys + kChunkKeys - 1) / kChunkKeys;
  }

  /// Creates an empty filter at time 0, with slots of 16 or of 24 bits, whichever need fewer bytes.
  /// Fails with kInvalidArgument for numbers out of range, and with kOutOfMemory if the filter
  /// exceeds the limit or the system refuses memory.
  static Result<WindowFilter> Create(const WindowConfig& config);

  /// Moves the filter. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message. Exclusive.
  /// @{
  WindowFilter(WindowFilter&&) noexcept;
  WindowFilter& operator=(WindowFilter&&) noexcept;
  ~WindowFilter();
  /// @}

  /// @name Time
  /// @{

  /// Sets the time to `now`; buckets that have left the window expire. Returns false, and changes
  /// nothing, if `now` is before now(). An advance over any number of buckets is one step.
  bool Advance(uint64_t now) noexcept;
  /// Returns the time of the last Advance that has taken effect; 0 at first.
  uint64_t now() const noexcept;

  /// @}

  /// @name Batches
  /// Outputs have the shapes of CountingFilter's and must not overlap the keys.
  /// @{

  /// Inserts every key into the current bucket. Returns the time of insertion, which Erase needs.
  /// With a limit of side memory some may be refused: the overload below tells which.
  uint64_t Insert(Keys keys) noexcept;
  /// As above; also sets the bits in `inserted` of the keys that are in and clears those of the
  /// keys that were refused. `inserted_at`, if not null, receives the time.
  WindowInsertOutcome Insert(Keys keys, std::span<uint64_t> inserted,
                             uint64_t* inserted_at = nullptr) noexcept;

  /// Inserts every key into the bucket of `time`, any tick of it, also when that is late: events
  /// that arrive after later ones. Refuses all keys if the bucket has expired or time > now(). A
  /// key that is in a filter that is not erasable keeps the later of its two buckets.
  WindowInsertOutcome Insert(Keys keys, uint64_t time) noexcept;
  /// As above, with a bitmap.
  WindowInsertOutcome Insert(Keys keys, uint64_t time, std::span<uint64_t> inserted) noexcept;

  /// In input order, inserts every key that is absent from all live buckets into the current one,
  /// and sets its bit in `inserted`; a key that is maybe present is left alone, in its old bucket.
  /// Returns how many were inserted. A key without space is not: WindowStats::num_without_space
  /// counts it.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;
  /// As above. times[c] receives the time of the keys from c * kChunkKeys on, kChunkKeys of them:
  /// those that were inserted were inserted then, and those left alone were in the window then.
  /// Requires NumChunks(keys.size()) times.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                        std::span<uint64_t> times) noexcept;

  /// In input order, takes every key out of the bucket of `inserted_at` (any tick of it), or
  /// refuses a key that is certainly absent from that bucket and changes nothing for it. Refuses
  /// all keys if that bucket has expired or inserted_at > now(): they count as expired. Refuses all
  /// keys if the filter is not erasable: they count as refused.
  ///
  /// A key may be erased as often as it was inserted at that time. Erasing any other has, in that
  /// bucket, the effect that CountingFilter::Erase describes. (Without the time, a late erasure
  /// would find its key by false positives in other buckets, and take it from other keys.)
  EraseOutcome Erase(Keys keys, uint64_t inserted_at) noexcept;
  /// As above; also sets the bits in `erased` of the keys that were erased and clears the others.
  EraseOutcome Erase(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased) noexcept;

  /// Erases every key, or changes nothing, as CountingFilter::EraseAll, and beside other threads as
  /// ConcurrentFilter::EraseAll. Each key is looked up in the bucket of its time and counts there:
  /// `inserted_at` has a time for each key, or one for all. Keys of buckets that are not live count
  /// as expired: they keep nothing from being erased, and are not marked as missing. Refuses all
  /// keys if the filter is not erasable.
  ///
  /// Requires inserted_at.size() to be keys.size() or 1.
  Result<EraseOutcome> EraseAll(Keys keys, std::span<const uint64_t> inserted_at,
                                std::span<uint64_t> missing = {});

  /// As CountingFilter::Query, over all live buckets: one cache line per key. Within a batch, time
  /// may advance from chunk to chunk.
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;
  /// As CountingFilter::Select. Within a batch, time may advance from chunk to chunk.
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;

  /// Writes an upper bound of how often each key is in all live buckets together: the sum of
  /// theirs. Of a filter that is not erasable: 0 or 1.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  /// @}

  /// @name One key
  /// Batches of one.
  /// @{
  /// Inserts the key. Returns the time of insertion.
  uint64_t Insert(Key key) noexcept { return InsertDigest(DigestOf(key)); }
  /// Returns false if the insertion was refused.
  bool Insert(Key key, uint64_t time) noexcept;
  /// Returns true if the key was absent and is now in. `inserted_at`, if not null, receives the
  /// time.
  bool InsertIfAbsent(Key key, uint64_t* inserted_at = nullptr) noexcept {
    return InsertAbsentDigest(DigestOf(key), inserted_at);
  }
  /// Returns false if the erasure was refused, for either reason.
  bool Erase(Key key, uint64_t inserted_at) noexcept {
    return EraseDigest(DigestOf(key), inserted_at);
  }
  /// Returns false if the key is certainly absent.
  bool MayContain(Key key) const noexcept { return HasDigest(DigestOf(key)); }
  uint64_t CountEstimate(Key key) const noexcept;  ///< Returns what CountEstimates writes.
  Key Prefetch(Key key) const noexcept;            ///< As CountingFilter::Prefetch.
  /// @}

  /// @name Whole filters
  /// Exclusive.
  /// @{

  /// Adds the other filter's counts bucket by bucket, as if its keys had been inserted here at
  /// their times. Both filters must be in the same bucket; now() becomes the later of the two
  /// times.
  ///
  /// Fails with kMismatch, naming the field, if window, num_buckets, is_erasable, geometry, digest
  /// policy or the current bucket differ, and with kInvalidArgument if both together hold more than
  /// 2^62 keys, or if this filter has a limit of side memory. If the system refuses memory the
  /// program ends. Requires that `other` does not change meanwhile. Cost: one pass over all blocks.
  Status Merge(const WindowFilter& other);

  /// Removes all keys and resets the counts of refusals and excess keys; the time stays.
  /// Writes all memory that was used.
  void Clear() noexcept;

  /// Spreads batches over the executor's threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;

  /// Limits side memory from now on, as WindowConfig::side_memory_limit_bytes, which is not part of
  /// files; 0: no limit. Fails with kInvalidArgument below the least value, and with
  /// kOutOfMemory if what is in needs more, if the filter would exceed its memory limit, or if the
  /// system refuses memory; the limit stays as it is then. What was loaded may need a few entries
  /// more than what was saved.
  Status LimitSideMemory(uint64_t limit_bytes);

  /// @}

  /// @name Properties
  /// @{
  uint64_t window() const noexcept;        ///< Returns the length of the window in ticks.
  uint32_t num_buckets() const noexcept;   ///< Returns the number of buckets per window.
  uint64_t bucket_ticks() const noexcept;  ///< Returns the length of the longest bucket.
  bool is_erasable() const noexcept;       ///< Returns the configured value.
  /// Returns the geometry of the blocks, of Encoding::kFingerprints16; fingerprint_bits are 12
  /// (slots of 16 bits) or 16 (24 bits).
  const Geometry& geometry() const noexcept;
  const DigestPolicy& digest_policy() const noexcept;  ///< Returns how keys become digests.
  uint64_t capacity() const noexcept;                  ///< Returns the configured value.
  double target_fpr() const noexcept;                  ///< Returns the configured value.
  /// Returns the rate for non-members when all live buckets together hold `num_keys` distinct keys,
  /// by the model.
  double PredictedFpr(uint64_t num_keys) const noexcept;
  uint64_t num_keys() const noexcept;  ///< Returns insertions less erasures of live buckets.
  /// Returns statistics that are kept as running figures. Takes no lock that an update needs;
  /// beside writers as ConcurrentFilter::GetStats. Cost: as CountingFilter::GetStats.
  WindowStats GetStats() const;
  /// Measures how full the blocks are of live keys. Cost: one pass over them, one lock at a time.
  BlockFill MeasureFill() const;
  /// @}

  /// @name Files
  /// Files are canonical: the same configuration, time and counts give the same bytes. A loaded
  /// filter continues exactly where the saved one was. The store is copied first, so that no writer
  /// waits for the disk: this needs its memory once more.
  /// @{

  /// As CountingFilter::Save.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  /// As CountingFilter::Load.
  static Result<WindowFilter> Load(const std::filesystem::path& path,
                                   uint64_t memory_limit_bytes = 0,
                                   const DigestKey& digest_key = {});
  /// As CountingFilter::Serialize.
  std::vector<std::byte> Serialize() const;
  /// As CountingFilter::Deserialize.
  static Result<WindowFilter> Deserialize(std::span<const std::byte> bytes,
                                          uint64_t memory_limit_bytes = 0,
                                          const DigestKey& digest_key = {});
  /// As CountingFilter::SaveTo.
  Status SaveTo(ByteSink& sink, std::span<const std::byte> metadata = {}) const;
  /// As CountingFilter::LoadFrom.
  static Result<WindowFilter> LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes = 0,
                                       const DigestKey& digest_key = {});
  /// Returns a copy with the same executor and limit of side memory: otherwise what loading a
  /// file of it returns. Fails with kOutOfMemory, also where LimitSideMemory does after Load;
  /// `memory_limit_bytes` as for Load. Cost: a file in memory, and loading it.
  Result<WindowFilter> Clone(uint64_t memory_limit_bytes = 0) const;
  /// As CountingFilter's: whether Serialize returns the same bytes.
  friend TROMMEL_API bool operator==(const WindowFilter& a, const WindowFilter& b);

  /// @}

 private:
  friend struct FilterFiles;
  struct Impl;
  explicit WindowFilter(std::unique_ptr<Impl> impl) noexcept;
  static Result<WindowFilter> ReadFrom(FileReader& file, uint64_t limit_bytes,
                                       const DigestKey& digest_key);
  Status WriteTo(FileWriter& file) const;
  // One key.
  uint64_t DigestOf(const Key& key) const noexcept { return impl_.one().DigestOf(key); }
  uint64_t InsertDigest(uint64_t digest) noexcept;
  bool InsertAbsentDigest(uint64_t digest, uint64_t* inserted_at) noexcept;
  bool EraseDigest(uint64_t digest, uint64_t inserted_at) noexcept;
  bool HasDigest(uint64_t digest) const noexcept;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_WINDOW_FILTER_H_
