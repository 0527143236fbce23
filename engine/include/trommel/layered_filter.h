/// @file
/// LayeredFilter, a large counting filter behind a small one that fits a cache.
#ifndef TROMMEL_LAYERED_FILTER_H_
#define TROMMEL_LAYERED_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/export.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/sizing.h"

namespace trommel {

/// What LayeredFilter::Create makes.
struct LayeredConfig {
  uint64_t capacity = 0;     ///< Distinct keys to size for; required.
  double target_fpr = 0.01;  ///< False-positive rate of the large layer, and so of the filter.
  /// Upper limit on the fraction of non-members that the first layer passes at capacity. Because
  /// layers nest, the large one has a whole number of blocks per block of the first one, and what
  /// passes is that limit or well below it: 11 % for a limit of 20 or 30 %, at a target_fpr of 1 %.
  /// LayeredStats::pass_rate has the true value.
  double first_fpr = 0.2;
  /// If not 0: the most bytes over which queries of the first layer may spread, for example part of
  /// a cache, instead of first_fpr. The first layer becomes as large as that allows. Its counters
  /// come on top; queries do not read those of planes.
  uint64_t first_query_bytes = 0;
  DigestPolicy digest = {};  ///< How keys become digests.
  /// Slices of the large layer. 0: 8, or for planes what sizing chooses. With 8 or 16 slices the
  /// first layer has planes of 8 slices; with 4, 5 or 10 it has runs of 4, whose queries read
  /// counters, too: about twice the bytes.
  uint32_t num_slices = 0;
  Encoding encoding = Encoding::kRuns;  ///< How the large layer stores counts.
  uint64_t memory_limit_bytes = 0;      ///< Of both layers together; 0: the machine's memory.
  /// The most bytes of side memory of both layers together, divided between them as their blocks'
  /// bytes are; 0: no limit. As CountingConfig::side_memory_limit_bytes.
  uint64_t side_memory_limit_bytes = 0;
  std::shared_ptr<Executor> executor = nullptr;  ///< As CountingConfig::executor.
};

/// Statistics of a LayeredFilter.
struct LayeredStats {
  Stats first;                      ///< Of the first layer.
  Stats large;                      ///< Of the large layer.
  uint64_t num_keys = 0;            ///< Insertions less erasures; duplicates count.
  uint64_t num_bytes = 0;           ///< Of both layers.
  uint64_t first_query_bytes = 0;   ///< Bytes over which queries of the first layer spread.
  uint64_t num_refused_erases = 0;  ///< Since creation or clear.
  /// The same of insertions that one layer's side memory had no space for.
  uint64_t num_refused_inserts = 0;
  double predicted_fpr = 0;  ///< That of the large layer.
};

/// What a pass over a LayeredFilter measures.
struct LayeredFill {
  BlockFill first;         ///< Of the first layer.
  BlockFill large;         ///< Of the large layer.
  double current_fpr = 0;  ///< That of the large layer.
  double pass_rate = 0;  ///< Fraction of non-members that the first layer passes: its current_fpr.
};

/// A large counting filter behind a small one that fits a cache.
///
/// The first layer turns most non-members away, so that they read no cache line of the large layer;
/// keys that are in the filter read a line of each. This pays where the large layer is beyond the
/// caches and most queries are for non-members. The idea of a small coarse layer before a large one
/// is that of an article on the space efficiency of HBase's Bloom filters (section 3, layered Bloom
/// filter), which hopes to take less space by it: reproduce_claims shows that it takes more.
/// @code{.unparsed}
///   key --> first layer (small, in cache) --maybe--> large layer --maybe--> maybe present
///                  | absent                                | absent
/// @endcode
/// Both layers hold all keys, and one digest serves both. The layers are nested: each block of the
/// first one corresponds to a fixed number of blocks of the large one, and its slices are the first
/// slices of the large one, with the same positions. So the first layer shows whatever the large
/// one shows:
/// - False positives are exactly those of the large layer. The rate is its rate, never the product
///   of both.
/// - Every answer and outcome is that of a CountingFilter with the large layer's geometry. The
///   first layer changes the cost of an answer only.
///
/// Thread safety: const members may run in any number of threads at once, as long as no other
/// member runs; all other members are exclusive. With an executor, large batches are spread over
/// its threads.
class TROMMEL_API LayeredFilter {
 public:
  /// Creates an empty filter for config.capacity keys. Fails with kInvalidArgument as SizeFor does,
  /// for a first_fpr outside SizeFor's range or below target_fpr, and for first_query_bytes so few
  /// that more than half of all non-members would pass; with kOutOfMemory as CountingFilter::Create
  /// does.
  static Result<LayeredFilter> Create(const LayeredConfig& config);

  /// Makes a filter of these two layers, which must hold the same keys. Fails with kMismatch if
  /// digest policies or numbers of keys differ, if the geometries are not nested, if the first
  /// layer's presence bits are not those of the large layer's keys, and if its counters are not the
  /// sums of the large layer's. Limits of their side memory stay. Cost: one pass over all counters.
  static Result<LayeredFilter> FromLayers(CountingFilter first, CountingFilter large);

  /// Moves the filter. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message.
  /// @{
  LayeredFilter(LayeredFilter&&) noexcept;
  LayeredFilter& operator=(LayeredFilter&&) noexcept;
  ~LayeredFilter();
  /// @}

  /// @name Batches
  /// Contracts, results and shapes are those of CountingFilter.
  /// @{

  /// Returns the words of a bitmap for `num_keys` keys.
  static constexpr size_t BitmapWords(size_t num_keys) noexcept { return (num_keys + 63) / 64; }

  /// As CountingFilter::Insert. Where a layer's side memory has a limit, a key that either layer
  /// refuses is in neither, and each key is inserted by itself, on the calling thread.
  InsertOutcome Insert(Keys keys) noexcept;
  /// As above; also sets the bits in `inserted` of the keys that were inserted and clears the
  /// others.
  InsertOutcome Insert(Keys keys, std::span<uint64_t> inserted) noexcept;
  /// As CountingFilter::InsertIfAbsent.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;
  EraseOutcome Erase(Keys keys) noexcept;  ///< As CountingFilter::Erase.
  /// As above; also sets the bits in `erased` of the keys that were erased and clears the others.
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;
  /// As CountingFilter::Query.
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;
  /// As CountingFilter::Select.
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;
  /// As CountingFilter::CountEstimates, from the large layer.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  /// @}

  /// @name One key
  /// Batches of one.
  /// @{
  bool Insert(Key key) noexcept;            ///< Returns false if the insertion was refused.
  bool InsertIfAbsent(Key key) noexcept;    ///< Returns true if the key was absent and is now in.
  bool Erase(Key key) noexcept;             ///< Returns false if the erasure was refused.
  bool MayContain(Key key) const noexcept;  ///< Returns false if the key is certainly absent.
  uint64_t CountEstimate(Key key) const noexcept;  ///< Returns what CountEstimates writes.
  /// As CountingFilter::Prefetch. Of both layers.
  Key Prefetch(Key key) const noexcept;
  /// @}

  /// @name Whole filters
  /// @{

  /// As CountingFilter::Merge; the geometries of both layers must agree.
  Status Merge(const LayeredFilter& other);
  /// As CountingFilter::Subtract; the geometries of both layers must agree.
  Status Subtract(const LayeredFilter& other);
  void Clear() noexcept;  ///< As CountingFilter::Clear.
  /// Spreads batches over the executor's threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;
  /// @}

  /// @name Properties
  /// @{
  static constexpr size_t kNumLayers = 2;  ///< The number of layers.
  /// Returns a layer; 0: the first, small one; 1: the large one. Requires layer_idx < kNumLayers.
  const CountingFilter& layer(size_t layer_idx) const noexcept;
  const DigestPolicy& digest_policy() const noexcept;  ///< Returns how keys become digests.
  /// Returns the configured value; 0 from FromLayers of filters without one.
  uint64_t capacity() const noexcept;
  /// Returns the configured value; 0 from FromLayers of filters without one.
  double target_fpr() const noexcept;
  uint64_t num_keys() const noexcept;  ///< Returns insertions less erasures.
  /// Returns statistics that are kept as running figures. Cost: as CountingFilter::GetStats, twice.
  LayeredStats GetStats() const noexcept;
  /// Measures how full the blocks are. Cost: one pass over the blocks of both layers.
  LayeredFill MeasureFill() const noexcept;
  /// @}

  /// @name Files
  /// Snapshots are canonical: layers with the same counts give the same bytes.
  /// @{

  /// As CountingFilter::Save.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  /// As CountingFilter::Load. Fails with kCorrupt, too, for layers that do not hold the same keys:
  /// counters are compared.
  static Result<LayeredFilter> Load(const std::filesystem::path& path,
                                    uint64_t memory_limit_bytes = 0,
                                    const DigestKey& digest_key = {});
  /// As CountingFilter::Serialize.
  std::vector<std::byte> Serialize() const;
  /// As CountingFilter::Deserialize.
  static Result<LayeredFilter> Deserialize(std::span<const std::byte> bytes,
                                           uint64_t memory_limit_bytes = 0,
                                           const DigestKey& digest_key = {});
  /// As CountingFilter::SaveTo.
  Status SaveTo(ByteSink& sink) const;
  /// As CountingFilter::LoadFrom.
  static Result<LayeredFilter> LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes = 0,
                                        const DigestKey& digest_key = {});
  /// Returns a copy with the same executor and limit of side memory: otherwise what loading a
  /// snapshot of it returns. Fails with kOutOfMemory; `memory_limit_bytes` as for Load. Cost: a
  /// snapshot in memory, and loading it.
  Result<LayeredFilter> Clone(uint64_t memory_limit_bytes = 0) const;
  /// As CountingFilter's: whether Serialize returns the same bytes.
  friend TROMMEL_API bool operator==(const LayeredFilter& a, const LayeredFilter& b);

  /// @}

 private:
  friend struct FilterFiles;
  struct Impl;
  explicit LayeredFilter(std::unique_ptr<Impl> impl) noexcept;
  static Result<LayeredFilter> ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                        const DigestKey& digest_key);
  Status WriteTo(ByteSink& sink) const;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_LAYERED_FILTER_H_
