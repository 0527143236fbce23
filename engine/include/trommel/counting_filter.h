// CountingFilter: an approximate multiset that inserts, erases and queries keys in batches.
//
// Answers are "absent" (certain) or "maybe present" (a non-member gets it with predicted_fpr). A
// key that is in is never answered "absent". Counts are exact: nothing saturates, wraps or sticks.
//
// One key touches one block, one bit in each of its slices: the split counting Bloom filter of
// Huang, Fang and Zhang ("Split Counting Bloom Filter and its Application in Hbase Secondary
// Index"), cut to the size of a cache line. Queries read presence bits only; see kernels/layout.h.
//
// Threads: const members may run in any number of threads at once as long as no other member runs.
// Everything else needs the filter to itself (ConcurrentFilter does not). With an executor, large
// batches are spread over its threads; the result is the same, byte for byte.
#ifndef TROMMEL_COUNTING_FILTER_H_
#define TROMMEL_COUNTING_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/sizing.h"

namespace trommel {

struct CountingConfig {
  // Distinct keys to size for; required. More may go in: false-positive rate and side table grow.
  // Runs should be sized for the peak: at twice their capacity nearly all blocks are promoted, and
  // the filter takes more memory and several times the time of planes.
  uint64_t capacity = 0;
  double target_fpr = 0.01;  // false-positive rate at capacity
  DigestPolicy digest = {};
  uint32_t num_slices = 0;  // one of the encoding's (see Geometry) or 0: chosen by sizing
  // Runs take half the memory of planes, and beyond the caches they are no slower to update. Planes
  // are faster to update in cache, on CPUs without a fast bit deposit, and beyond their capacity
  // (see the README).
  Encoding encoding = Encoding::kRuns;
  bool power_of_two_blocks = false;  // for many folds; Parquet's blocks want num_slices = 8, too
  // Creating, folding and loading refuse to take more; 0: the machine's physical memory. The side
  // table grows beyond it: 8 bytes a slice and about 30 more for a promoted block (see
  // predicted_promoted_share), about 0.1 KB for 8 slices; for one of more than 63 keys a byte a
  // position on top, or 2, 4 or 8 as its counts need. Load counts the side table, too.
  uint64_t memory_limit_bytes = 0;
  // Batches of updates, queries and first touching the memory are spread over its threads; whole
  // filters are not. null: the calling thread does all the work.
  std::shared_ptr<Executor> executor = nullptr;
  Route route = Route::kAutomatic;  // the others are for measurements; bytes are the same
};

class CountingFilter {
 public:
  // An empty filter for config.capacity keys. Fails with kInvalidArgument as SizeFor does, and with
  // kOutOfMemory over the limit or when the system refuses.
  static Result<CountingFilter> Create(const CountingConfig& config);

  // An empty filter of exactly this geometry. Fails as Validate and Create do.
  static Result<CountingFilter> CreateWithGeometry(const Geometry& geometry,
                                                   const DigestPolicy& digest,
                                                   uint64_t memory_limit_bytes = 0);

  CountingFilter(CountingFilter&&) noexcept;
  CountingFilter& operator=(CountingFilter&&) noexcept;
  ~CountingFilter();  // A moved-from filter may only be destroyed or assigned to:
                      // anything else aborts with a message.

  // --- Batches. Same result for any split of a batch and on any target. Bitmaps hold key i's
  // answer in bit i % 64 of word i / 64 and must have BitmapWords(keys.size()) words, selections
  // keys.size() entries: another size is a programmer's mistake (message and abort). So is an
  // output that overlaps the array of keys; nor may it overlap the characters that strings and
  // views point at, which is not checked. Unused high bits of a bitmap are zero. Running out of
  // memory for the side table, or for handing work to threads, ends the program.

  static constexpr size_t BitmapWords(size_t num_keys) noexcept { return (num_keys + 63) / 64; }

  // Adds one to every key's counters. About one block a key (3 cache lines with planes, 1 or 2 with
  // runs); a key of a promoted block takes several times as long.
  void Insert(Keys keys) noexcept;

  // In input order: a key that answers "maybe present" is left alone; any other is inserted and its
  // bit in `inserted` set. Returns how many were inserted. After "maybe present" nothing was
  // inserted, so nothing may be erased for that key.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;

  // In input order: takes one from every key's counters, or refuses a key that is certainly absent
  // and changes nothing for it. A caller may erase a key as often as it was inserted. Erasing a key
  // that never came in goes undetected with the filter's false-positive rate, and then takes counts
  // of other keys: a key of the same block that is alone at one of the erased positions becomes
  // absent (at most one such key a slice, and its duplicates), and can no longer be erased.
  EraseOutcome Erase(Keys keys) noexcept;
  // The same; key i's bit in `erased` says whether it was erased (1) or refused (0).
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;

  // Key i's bit in `maybe_present` is its answer. Returns how many are set. One cache line a key
  // (two with 10 slices).
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;

  // The same, but probes only the first num_probes slices, between 1 and num_slices: as exact about
  // keys that are in, with a false-positive rate of PredictedFpr(geometry(), num_keys(),
  // num_probes). ProbesFor tells how many a rate takes. It pays with 10 slices, where 8 probes or
  // fewer are one cache line instead of two; a block of one line costs as much with fewer probes.
  size_t Query(Keys keys, std::span<uint64_t> maybe_present, uint32_t num_probes) const noexcept;

  // Writes the ascending indices of the keys with the given answer to the front of `selection`, and
  // returns how many. At most 2^32 - 1 keys a call.
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;

  // An upper bound of how often each key is in: the least of its counters. 0 means certainly
  // absent.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  // --- One key: batches of one.
  void Insert(Key key) noexcept;
  bool InsertIfAbsent(Key key) noexcept;    // true: it was absent, and is in now
  bool Erase(Key key) noexcept;             // false: refused
  bool MayContain(Key key) const noexcept;  // false: certainly absent
  uint64_t CountEstimate(Key key) const noexcept;

  // --- Whole filters.

  // Adds the other's counts: as if its keys had been inserted here. Fails with kMismatch, naming
  // the field, when geometry or digest policy differ, and with kInvalidArgument when both together
  // hold more than 2^62 keys; nothing is changed then. Running out of memory for the side table
  // ends the program. Digest keys are compared by their check values; this filter keeps its own, or
  // stays without. Cost: one pass.
  Status Merge(const CountingFilter& other);

  // Takes the other's counts away: as if its keys had been erased here. Fails with kMismatch as
  // Merge does, and with kInvalidArgument when some counter would fall below zero; nothing is
  // changed then.
  Status Subtract(const CountingFilter& other);

  // Halves the filter to exactly what it would be had it been built with half the blocks (the block
  // index comes from high bits, so neighbours add up). Fails with kInvalidArgument, and changes
  // nothing, when num_blocks is odd, and with kOutOfMemory. Needs memory for both sizes while it
  // runs. capacity() and target_fpr() stay what was asked for. With runs most blocks of a filter
  // near its capacity may be promoted then, which takes memory and time: PredictedPromotedShare of
  // half the blocks tells beforehand.
  Status Fold();

  // Forgets all keys and the wear statistics. Keeps the memory and writes all of it.
  void Clear() noexcept;

  // --- How it works, not what it holds.

  // Spreads batches over these threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;
  void UseRoute(Route route) noexcept;

  // --- What it is.
  const Geometry& geometry() const noexcept;
  const DigestPolicy& digest_policy() const noexcept;
  uint64_t capacity() const noexcept;  // as asked for; 0 from CreateWithGeometry
  double target_fpr() const noexcept;  // as asked for; 0 from CreateWithGeometry
  uint64_t num_keys() const noexcept;  // insertions less erasures
  Stats GetStats() const noexcept;     // one pass over all blocks

  // --- On disk. The canonical snapshot: the same configuration and counts give the same bytes,
  // whatever the target, thread count or batch split, and whatever detours the filter took.

  // Writes path atomically (a temporary file beside it, flushed, then renamed). Fails with kIo,
  // kOutOfMemory, kExists and what options.check returns: the path is then as it was. Fails with
  // kNotFlushed, too, when the file is in place.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;

  // Reads a snapshot. Fails with kIo, kVersion, kOutOfMemory or kCorrupt (naming the byte offset);
  // never crashes, whatever the bytes. `digest_key` is that of a file whose digest is kSipHash:
  // fails with kInvalidArgument if it is another one, or if the file's digest takes none. Without
  // it such a file is loaded for all that hashes nothing: statistics, merging, folding, saving, and
  // digests as keys. To give it keys to hash is then a programmer's mistake: message and abort;
  // digest_policy().can_hash() tells.
  static Result<CountingFilter> Load(const std::filesystem::path& path,
                                     uint64_t memory_limit_bytes = 0,
                                     const DigestKey& digest_key = {});

  // The same from and to memory. Serialize throws std::bad_alloc where there is none.
  std::vector<std::byte> Serialize() const;
  static Result<CountingFilter> Deserialize(std::span<const std::byte> bytes,
                                            uint64_t memory_limit_bytes = 0,
                                            const DigestKey& digest_key = {});

 private:
  friend class ConcurrentFilter;
  friend class LayeredFilter;
  friend class PresencePair;  // of estimates.h
  friend struct FilterFiles;
  struct Impl;
  explicit CountingFilter(std::unique_ptr<Impl> impl) noexcept;
  static Result<CountingFilter> ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                         const DigestKey& digest_key);
  Status WriteTo(ByteSink& sink) const;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_COUNTING_FILTER_H_
