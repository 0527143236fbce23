/// @file
/// classic::Filter, the published Bloom filters over one large array.
#ifndef TROMMEL_CLASSIC_FILTER_H_
#define TROMMEL_CLASSIC_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/classic/geometry.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/export.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"

namespace trommel::classic {

/// What Filter::Create makes.
struct Config {
  Kind kind = Kind::kSplitCounting;    ///< Which filter.
  uint64_t capacity = 0;               ///< Distinct keys to size for; required.
  double target_fpr = 0.01;            ///< False-positive rate at capacity.
  DigestPolicy digest = {};            ///< How keys become digests.
  uint32_t num_hashes = 0;             ///< 0: sizing chooses.
  uint32_t counter_bits = 4;           ///< 1 to kMaxCounterBits; ignored for kBloom, which takes 1.
  Hashing hashing = Hashing::kDouble;  ///< How hashes become positions.
  /// Creating, folding and loading fail rather than take more bytes; 0: the machine's physical
  /// memory.
  uint64_t memory_limit_bytes = 0;
  std::shared_ptr<Executor> executor = nullptr;  ///< Null: the calling thread does all the work.
};

/// Statistics of a Filter.
struct Stats {
  uint64_t num_keys = 0;            ///< As Filter::num_keys.
  uint64_t num_bytes = 0;           ///< Positions, and the gaps up to whole cache lines.
  std::vector<double> slice_fills;  ///< Fraction of present positions per slice; one if no slices.
  double fill_ratio = 0;            ///< The mean of slice_fills.
  double current_fpr = 0;           ///< The product over hashes of the fills they fall into.
  double predicted_fpr = 0;         ///< The model's for num_keys distinct keys.
  uint64_t num_stuck = 0;           ///< Counters at their maximum; 0 for kBloom.
  /// Increments of counters at their maximum, since creation, load or clear; 0 for kBloom.
  uint64_t num_lost_increments = 0;
  uint64_t num_refused_erases = 0;  ///< Since creation, load or clear.
};

/// The published Bloom filters, whose positions lie all over memory, in one class of three kinds.
///
/// For reproduction, teaching and comparison: a query reads up to k cache lines where
/// CountingFilter reads one.
/// @code{.unparsed}
///   kind            positions                        keys can be erased
///   kBloom          M bits, k hashes over all        no
///   kCountingBloom  M counters, k hashes over all    yes
///   kSplitCounting  k slices of m counters, hash i   yes
///                   falls into slice i
/// @endcode
/// A counter that reaches its maximum sticks there, as published: it neither rises nor falls any
/// more. No key becomes absent because of that, but what stuck counters counted is lost, and their
/// keys may stay maybe present after all keys were erased.
///
/// In an array without slices two hashes of a key may fall on one counter, which then rises and
/// falls by two. That is harmless while no counter sticks, but the counter sticks sooner, and the
/// least of a key's counters is then a less sharp bound of its count. With slices it cannot happen:
/// @code{.unparsed}
///   slice 0    | . . 1 . . 2 . . |      a key touches one counter in each slice, and slices
///   slice 1    | 1 . . . 1 . . 1 |      never interact: a batch is inserted slice by slice, in as
///     ...      |                 |      many tasks, and the false-positive rate is exactly the
///   slice k-1  | . 2 . 1 . . . . |      product of the slices' fills
/// @endcode
/// Because slices do not interact, the first j of them are a filter of their own: exactly the one
/// with k = j and the same m. Slices that will not be needed can be dropped (DropSlices), but none
/// can be added: the keys inserted before would be absent from them.
///
/// Thread safety: const members may run in any number of threads at once, as long as no other
/// member runs; all other members are exclusive. With an executor, its threads share Query,
/// CountEstimates, the hashing of large batches that are inserted, and insertions into slices, one
/// task per slice; the result is the same, byte for byte. The calling thread does the rest.
class TROMMEL_API Filter {
 public:
  /// Creates an empty filter for config.capacity keys. Fails with kInvalidArgument as SizeFor does,
  /// and with kOutOfMemory if the filter exceeds the limit or the system refuses memory.
  static Result<Filter> Create(const Config& config);

  /// Creates an empty filter of exactly this geometry. Fails as Validate and Create do.
  static Result<Filter> CreateWithGeometry(const ArrayGeometry& geometry,
                                           const DigestPolicy& digest = {},
                                           uint64_t memory_limit_bytes = 0);

  /// Moves the filter. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message.
  /// @{
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  ~Filter();
  /// @}

  /// @name Batches
  /// The result is the same for any split of a batch and on any target. Outputs have the shapes of
  /// CountingFilter's and must not overlap the keys.
  /// @{

  /// Returns the words of a bitmap for `num_keys` keys.
  static constexpr size_t BitmapWords(size_t num_keys) noexcept { return (num_keys + 63) / 64; }

  /// Increments the k counters of every key, or sets its bits. In an array without slices two
  /// hashes of a key may fall on one counter, which is then incremented twice. Works on one slice
  /// (or hash) after the other for up to 2^16 keys, so that a slice that fits a cache is updated
  /// there.
  void Insert(Keys keys) noexcept;

  /// In input order, inserts every key that is absent and sets its bit in `inserted`; a key that is
  /// maybe present is left alone. Returns how many were inserted. Works key by key, all hashes of
  /// each.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;

  /// In input order, decrements all counters of every key that are not stuck, or refuses a key that
  /// is certainly absent (a counter is zero, or one and two of its hashes fall on it) and changes
  /// nothing for it. Requires a kind with counters. Works key by key, all hashes of each.
  ///
  /// A key may be erased as often as it was inserted. Erasing a non-member goes undetected with the
  /// false-positive rate, and may make keys absent that are in the filter.
  EraseOutcome Erase(Keys keys) noexcept;
  /// As above; also sets the bits in `erased` of the keys that were erased and clears the others.
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;

  /// Sets the bits in `maybe_present` of the keys that are maybe present and clears the others.
  /// Returns how many are set. Probes slice after slice, each for the keys that all slices before
  /// it show.
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;

  /// As Query, but probes only the first `num_probes` hashes, 1 to num_hashes: keys that are in are
  /// maybe present all the same, and more non-members are.
  size_t QueryFirst(Keys keys, uint32_t num_probes,
                    std::span<uint64_t> maybe_present) const noexcept;

  /// Writes the least of each key's counters to `counts`: an upper bound of how often the key is in
  /// the filter, unless it is the geometry's max_count(), where counters are stuck and bound
  /// nothing. 0 means certainly absent. Requires a kind with counters.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  /// @}

  /// @name One key
  /// Batches of one.
  /// @{
  void Insert(Key key) noexcept;            ///< Inserts the key.
  bool InsertIfAbsent(Key key) noexcept;    ///< Returns true if the key was absent and is now in.
  bool Erase(Key key) noexcept;             ///< Returns false if the erasure was refused.
  bool MayContain(Key key) const noexcept;  ///< Returns false if the key is certainly absent.
  uint64_t CountEstimate(Key key) const noexcept;  ///< Returns what CountEstimates writes.
  /// @}

  /// @name Whole filters
  /// @{

  /// Adds the other filter's counts, each up to the maximum, or joins its bits, as if its keys had
  /// been inserted here. Fails with kMismatch, naming the field, if geometry or digest policy
  /// differ, and with kInvalidArgument if both together hold more than 2^62 keys.
  Status Merge(const Filter& other);

  /// Subtracts the other filter's counts; stuck counters stay. Fails with kMismatch as Merge does,
  /// and with kInvalidArgument for kBloom and if any counter would fall below zero.
  Status Subtract(const Filter& other);

  /// Halves num_positions. The filter is then exactly what it would be had it been created so,
  /// unless a counter was or becomes stuck: the sum of two counters, one of them stuck, is stuck.
  /// capacity() and target_fpr() stay as they are. Fails with kInvalidArgument if num_positions is
  /// odd, and with kOutOfMemory.
  Status Fold();

  /// Keeps the first `num_slices` slices and frees the memory of the others, for good. The filter
  /// is then exactly one created with num_hashes = num_slices: it merges with such filters only,
  /// and its snapshot is theirs. There are no false negatives, but more false positives
  /// (PredictedFpr). capacity() and target_fpr() stay as they are. Fails with kInvalidArgument for
  /// a filter without slices and unless 1 <= num_slices <= num_hashes, and with kOutOfMemory: it
  /// needs memory for both sizes while it runs.
  Status DropSlices(uint32_t num_slices);

  /// Removes all keys and resets the counts of refused erasures and lost increments.
  void Clear() noexcept;

  /// Spreads batches over the executor's threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;

  /// @}

  /// @name Properties
  /// @{
  const ArrayGeometry& geometry() const noexcept;      ///< Returns the geometry.
  const DigestPolicy& digest_policy() const noexcept;  ///< Returns how keys become digests.
  uint64_t capacity() const noexcept;  ///< Returns the configured value; 0 from CreateWithGeometry.
  double target_fpr() const noexcept;  ///< Returns the configured value; 0 from CreateWithGeometry.
  /// Returns insertions less erasures. Exact while at least one slice has no stuck counter. If all
  /// have, non-members can be erased any number of times, and the number stops at zero.
  uint64_t num_keys() const noexcept;
  Stats GetStats() const;  ///< Returns statistics. Cost: one pass over all counters.

  /// Returns how many counters (or bits) hold c, for every c from 0 to the geometry's max_count().
  /// Cost: one pass over all counters.
  std::vector<uint64_t> CounterHistogram() const;

  /// Returns the fewest probes, first hashes first, whose fills multiply to `target_fpr` or less,
  /// or num_hashes if even all are not enough. At least 1. The fills are those of this moment, not
  /// a model's: duplicates, non-members and stuck counters are in them. Cost: microseconds.
  uint32_t ProbesFor(double target_fpr) const noexcept;

  /// @}

  /// @name Files
  /// Snapshots are canonical: the same geometry and counts give the same bytes. FORMAT.md describes
  /// every byte.
  /// @{

  /// As CountingFilter::Save.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  /// As CountingFilter::Load.
  static Result<Filter> Load(const std::filesystem::path& path, uint64_t memory_limit_bytes = 0,
                             const DigestKey& digest_key = {});
  /// As CountingFilter::Serialize.
  std::vector<std::byte> Serialize() const;
  /// As CountingFilter::Deserialize.
  static Result<Filter> Deserialize(std::span<const std::byte> bytes,
                                    uint64_t memory_limit_bytes = 0,
                                    const DigestKey& digest_key = {});
  /// As CountingFilter::SaveTo.
  Status SaveTo(ByteSink& sink) const;
  /// As CountingFilter::LoadFrom.
  static Result<Filter> LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes = 0,
                                 const DigestKey& digest_key = {});
  /// Returns a copy with the same executor: what loading a snapshot of it returns. Fails with
  /// kOutOfMemory; `memory_limit_bytes` as for Load. Cost: a snapshot in memory, and loading it.
  Result<Filter> Clone(uint64_t memory_limit_bytes = 0) const;
  /// As CountingFilter's: whether Serialize returns the same bytes.
  friend TROMMEL_API bool operator==(const Filter& a, const Filter& b);

  /// @}

 private:
  friend struct trommel::FilterFiles;
  struct Impl;
  explicit Filter(std::unique_ptr<Impl> impl) noexcept;
  static Result<Filter> ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                 const DigestKey& digest_key);
  Status WriteTo(ByteSink& sink) const;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel::classic

#endif  // TROMMEL_CLASSIC_FILTER_H_
