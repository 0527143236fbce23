// LayeredFilter: a large counting filter behind a small one that fits a cache. Most non-members are
// turned away by the first layer, and cost no line of the large one; keys that are in cost a line
// of each. It pays where the large layer is beyond the caches and most keys asked for are
// non-members.
//
//   key --> first layer (small, in cache) --maybe--> large layer --maybe--> maybe present
//                  | absent                                | absent
//
// Both layers hold all keys, and one digest serves both. The layers are nested: the large one's
// blocks are the first one's, each divided into as many, and the first one's slices are the first
// of the large one's, with the same positions. So what the large layer shows the first one shows,
// too:
//
//   - false positives are the large layer's, all of them and only those. The rate is its rate, and
//     never the product of both.
//   - every answer and outcome is that of a CountingFilter with the large layer's geometry; the
//     first layer changes what an answer costs, nothing else.
//
// The idea of a first-level filter is Huang, Fang and Zhang's ("Split Counting Bloom Filter and its
// Application in Hbase Secondary Index").
//
// Threads: as CountingFilter. Const members may run in any number of threads at once as long as no
// other member runs.
#ifndef TROMMEL_LAYERED_FILTER_H_
#define TROMMEL_LAYERED_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/sizing.h"

namespace trommel {

struct LayeredConfig {
  uint64_t capacity = 0;     // distinct keys to size for; required
  double target_fpr = 0.01;  // of the large layer, which is the filter's
  // What the first layer may let pass of non-members at capacity. As layers nest, the large one has
  // a whole number of blocks for each of the first one's, and what passes is that or well below it:
  // 11 % for 20 or 30 % asked, at a target_fpr of 1 %. LayeredStats tells.
  double first_fpr = 0.2;
  // If not 0: the most bytes that queries of the first layer may spread over, instead of first_fpr;
  // say, a part of a cache. Its counters come on top, and are not touched by queries. The first
  // layer becomes as large as that allows.
  uint64_t first_query_bytes = 0;
  DigestPolicy digest = {};
  // The large layer's. 0: 8, or for planes what sizing chooses. The first layer has planes of 8
  // slices under 8 and 16, and runs of 4 under 4, 5 and 10 (whose queries read counters, too: about
  // twice the bytes).
  uint32_t num_slices = 0;
  Encoding encoding = Encoding::kRuns;
  uint64_t memory_limit_bytes = 0;  // of both layers together; 0: the machine's physical memory
  std::shared_ptr<Executor> executor = nullptr;  // null: the calling thread does all the work
};

struct LayeredStats {
  Stats first;
  Stats large;
  uint64_t num_keys = 0;            // insertions less erasures: duplicates count
  uint64_t num_bytes = 0;           // of both
  uint64_t first_query_bytes = 0;   // what queries of the first layer spread over
  uint64_t num_refused_erases = 0;  // since creation or clear
  double current_fpr = 0;           // the large layer's
  double predicted_fpr = 0;         // the large layer's
  double pass_rate = 0;             // non-members that the first layer lets pass: its current_fpr
};

class LayeredFilter {
 public:
  // An empty filter for config.capacity keys. Fails with kInvalidArgument as SizeFor does, for a
  // first_fpr out of SizeFor's range or below target_fpr, and for first_query_bytes so few that
  // more than half of all non-members would pass; with kOutOfMemory as CountingFilter does.
  static Result<LayeredFilter> Create(const LayeredConfig& config);

  // A filter of these two layers, which must hold the same keys: as if they had been inserted into
  // both. Fails with kMismatch when digest policies or numbers of keys differ, when the geometries
  // are not nested, when the first layer's presence bits are not those of the large one's keys, and
  // when its counters are not the sums of the large one's. One pass over all counters.
  static Result<LayeredFilter> FromLayers(CountingFilter first, CountingFilter large);

  LayeredFilter(LayeredFilter&&) noexcept;
  LayeredFilter& operator=(LayeredFilter&&) noexcept;
  ~LayeredFilter();  // A moved-from filter may only be destroyed or assigned to:
                     // anything else aborts with a message.

  // --- Batches: contracts, results and shapes of bitmaps and selections as CountingFilter's. No
  // output may overlap the keys.

  static constexpr size_t BitmapWords(size_t num_keys) noexcept { return (num_keys + 63) / 64; }

  void Insert(Keys keys) noexcept;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;
  EraseOutcome Erase(Keys keys) noexcept;
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;  // the large layer's

  // --- One key: batches of one.
  void Insert(Key key) noexcept;
  bool InsertIfAbsent(Key key) noexcept;
  bool Erase(Key key) noexcept;
  bool MayContain(Key key) const noexcept;
  uint64_t CountEstimate(Key key) const noexcept;

  // --- Whole filters: as CountingFilter's. Geometries of both layers must match for the first two.
  Status Merge(const LayeredFilter& other);
  Status Subtract(const LayeredFilter& other);
  void Clear() noexcept;

  // Spreads batches over these threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;

  // --- What it is.
  static constexpr size_t kNumLayers = 2;
  // 0: the first, small one; 1: the large one. Another index is a programmer's mistake.
  const CountingFilter& layer(size_t layer_idx) const noexcept;
  const DigestPolicy& digest_policy() const noexcept;
  uint64_t capacity() const noexcept;      // as asked for; 0 from FromLayers of filters without one
  double target_fpr() const noexcept;      // the same
  uint64_t num_keys() const noexcept;      // insertions less erasures
  LayeredStats GetStats() const noexcept;  // one pass over all blocks

  // --- On disk. The canonical snapshot: layers with the same counts give the same bytes.

  // As CountingFilter::Save.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  // Fails, and takes `digest_key`, as CountingFilter::Load, with kMismatch for another type's
  // snapshot, and with kCorrupt for layers that do not hold the same keys: counters are compared,
  // too.
  static Result<LayeredFilter> Load(const std::filesystem::path& path,
                                    uint64_t memory_limit_bytes = 0,
                                    const DigestKey& digest_key = {});
  std::vector<std::byte> Serialize() const;
  static Result<LayeredFilter> Deserialize(std::span<const std::byte> bytes,
                                           uint64_t memory_limit_bytes = 0,
                                           const DigestKey& digest_key = {});

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
