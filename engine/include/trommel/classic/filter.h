// classic::Filter: the published Bloom filters, whose positions lie all over memory, in one class
// of three kinds. For reproduction, teaching and comparison: a query reads up to k cache lines
// where CountingFilter reads one.
//
//   kind            positions                        keys can be erased
//   kBloom          M bits, k hashes over all        no
//   kCountingBloom  M counters, k hashes over all    yes
//   kSplitCounting  k slices of m counters, hash i   yes
//                   falls into slice i
//
// A counter that reaches its maximum sticks there, as published: it neither rises nor falls any
// more. No key is answered "absent" because of that; but what stuck counters counted is lost, and
// keys over them may stay "maybe present" after all keys were erased.
//
// In an array without slices two hashes of a key may fall on one counter, which then rises and
// falls by two. That is harmless while no counter sticks, but the counter sticks sooner, and the
// least of a key's counters is then no sharper bound of its count. With slices it cannot happen:
//
//   slice 0    | . . 1 . . 2 . . |      a key touches one counter in each slice, and slices
//   slice 1    | 1 . . . 1 . . 1 |      never interact: a batch is inserted slice by slice, in as
//     ...      |                 |      many tasks, and the false-positive rate is exactly the
//   slice k-1  | . 2 . 1 . . . . |      product of the slices' fills
//
// Because slices do not interact, the first j of them are a filter of their own: exactly the one
// with k = j and the same m. Slices that will never be needed can be given back (DropSlices), but
// none can be added: hashes added after keys were inserted would make these absent.
//
// Thread safety: const members may run in any number of threads at once as long as no other member
// runs. With an executor, Query and CountEstimates are spread over its threads, as are the hashing
// of large batches that are inserted, and insertions into slices, one task per slice; the result is
// the same, byte for byte. All else runs in the calling thread.
#ifndef TROMMEL_CLASSIC_FILTER_H_
#define TROMMEL_CLASSIC_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trommel/classic/geometry.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"

namespace trommel::classic {

struct Config {
  Kind kind = Kind::kSplitCounting;
  uint64_t capacity = 0;     // distinct keys to size for; required
  double target_fpr = 0.01;  // false-positive rate at capacity
  DigestPolicy digest = {};
  uint32_t num_hashes = 0;    // 0: chosen by sizing
  uint32_t counter_bits = 4;  // kBloom takes 1, whatever this says
  Hashing hashing = Hashing::kDouble;
  // Creating, folding and loading refuse to take more; 0: the machine's physical memory.
  uint64_t memory_limit_bytes = 0;
  std::shared_ptr<Executor> executor = nullptr;  // null: the calling thread does all the work
};

struct Stats {
  uint64_t num_keys = 0;            // insertions less erasures; see Filter::num_keys
  uint64_t num_bytes = 0;           // positions and the gaps up to whole cache lines
  std::vector<double> slice_fills;  // share of positions present, slice by slice (one: no slices)
  double fill_ratio = 0;            // the mean of these
  double current_fpr = 0;           // the product over hashes of the fills they fall into
  double predicted_fpr = 0;         // the model's, if num_keys distinct keys are in the filter
  uint64_t num_stuck = 0;           // counters at their maximum; 0 for kBloom
  // Since creation, load or clear:
  uint64_t num_lost_increments = 0;  // that fell on counters at their maximum; 0 for kBloom
  uint64_t num_refused_erases = 0;
};

class Filter {
 public:
  // Returns an empty filter for config.capacity keys. Fails with kInvalidArgument as SizeFor does,
  // and with kOutOfMemory over the limit or when the system refuses.
  static Result<Filter> Create(const Config& config);

  // Returns an empty filter of exactly this geometry. Fails as Validate and Create do.
  static Result<Filter> CreateWithGeometry(const ArrayGeometry& geometry,
                                           const DigestPolicy& digest = {},
                                           uint64_t memory_limit_bytes = 0);

  // A moved-from filter may only be destroyed or assigned to: anything else aborts with a message.
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  ~Filter();

  // --- Batches. Same result for any split of a batch and on any target. Bitmaps hold key i's
  // answer in bit i % 64 of word i / 64 and must have BitmapWords(keys.size()) words. Another size
  // is a programmer's mistake (message and abort), and so is an output that overlaps the array of
  // keys; nor may it overlap the characters that strings and views point at, which is not checked.
  // Unused high bits are zero.

  static constexpr size_t BitmapWords(size_t num_keys) noexcept { return (num_keys + 63) / 64; }

  // Marks the k positions of every key: adds one to its counters, or sets its bits. In an array
  // without slices a key may fall on one position twice, and then adds two. One slice (or hash)
  // after the other for up to 2^16 keys: a slice that fits a cache is updated there.
  void Insert(Keys keys) noexcept;

  // In input order: a key that answers "maybe present" is left alone; any other is inserted and its
  // bit in `inserted` set. Returns how many were inserted. Key by key, all hashes of each.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;

  // In input order: takes one from every one of the key's counters that is not stuck, or refuses a
  // key that is certainly absent and changes nothing for it. (Certainly absent: some counter is
  // zero, or one, and two of the key's hashes fall on it.) A caller may erase a key as often as it
  // was inserted. Erasing a key that was never inserted goes undetected with the false-positive
  // rate, and may make keys absent that are in the filter. Key by key, all hashes of each.
  // Requires counters: on a filter of kBloom a programmer's mistake (message and abort).
  EraseOutcome Erase(Keys keys) noexcept;
  // The same; key i's bit in `erased` says whether it was erased (1) or refused (0).
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;

  // Key i's bit in `maybe_present` is its answer. Returns how many are set. Probes slice after
  // slice, each for the keys that all slices before it show.
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;

  // Query, probing the first num_probes hashes only: "maybe present" for every key in the filter,
  // and for more others. Requires 1 <= num_probes <= num_hashes: else message and abort.
  size_t QueryFirst(Keys keys, uint32_t num_probes,
                    std::span<uint64_t> maybe_present) const noexcept;

  // The least of each key's counters: an upper bound of how often the key is in the filter, unless
  // it is the geometry's max_count(): then the counters are stuck, and say neither more nor less. 0
  // means certainly absent. counts.size() must equal keys.size(), else abort. Requires counters, as
  // Erase.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  // --- One key: batches of one.
  void Insert(Key key) noexcept;
  bool InsertIfAbsent(Key key) noexcept;    // true: it was absent, and was inserted
  bool Erase(Key key) noexcept;             // false: refused
  bool MayContain(Key key) const noexcept;  // false: certainly absent
  uint64_t CountEstimate(Key key) const noexcept;

  // --- Whole filters.

  // Adds the other's counts, each up to the maximum, or joins its bits: as if its keys had been
  // inserted here. Fails with kMismatch, naming the field, when geometry or digest policy differ,
  // and with kInvalidArgument when both hold more than 2^62 keys; nothing is changed then.
  Status Merge(const Filter& other);

  // Takes the other's counts away; stuck counters stay. Fails with kMismatch as Merge does, and
  // with kInvalidArgument for filters of kBloom and when some counter would fall below zero;
  // nothing is changed then.
  Status Subtract(const Filter& other);

  // Halves num_positions. The filter is then exactly what it would be had it been built so, unless
  // a counter was stuck before or has become so: the sum of two counters, one of them stuck, is
  // stuck. Fails with kInvalidArgument, and changes nothing, when num_positions is odd, and with
  // kOutOfMemory. capacity() and target_fpr() stay what was asked for.
  Status Fold();

  // Keeps the first num_slices slices and gives the memory of the others back. One-way: the filter
  // is then exactly one built with num_hashes = num_slices. It merges with such filters only, and
  // its snapshot is theirs. Never a false negative; more false positives (PredictedFpr). Fails with
  // kInvalidArgument for a filter without slices and unless 1 <= num_slices <= num_hashes, and with
  // kOutOfMemory (needs memory for both sizes while it runs); nothing is changed then. capacity()
  // and target_fpr() stay what was asked for.
  Status DropSlices(uint32_t num_slices);

  // Forgets all keys and the wear statistics.
  void Clear() noexcept;

  // Spreads work over these threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;

  // --- What it is.
  const ArrayGeometry& geometry() const noexcept;
  const DigestPolicy& digest_policy() const noexcept;
  uint64_t capacity() const noexcept;  // as asked for; 0 from CreateWithGeometry
  double target_fpr() const noexcept;  // as asked for; 0 from CreateWithGeometry
  // Insertions less erasures. Exact while one slice has no stuck counter: where all have, erasing
  // keys that were never inserted may go on without end, and the number stops at zero.
  uint64_t num_keys() const noexcept;
  Stats GetStats() const;  // one pass over all counters

  // Entry c: how many counters (or bits) hold c, from 0 to the geometry's max_count(). One pass.
  std::vector<uint64_t> CounterHistogram() const;

  // The fewest probes, first hashes first, whose present fills multiply to target_fpr or less; all
  // where none do. At least 1. Fills are those of this moment (not of a model): duplicates,
  // non-members and stuck counters are in them. Cost: microseconds.
  uint32_t ProbesFor(double target_fpr) const noexcept;

  // --- On disk. The same geometry and counts give the same bytes, and there is one form for each
  // state.

  // Writes path atomically (a temporary file beside it, flushed, then renamed). Fails with kIo,
  // kExists and what options.check returns: the path is then as it was. Fails with kNotFlushed,
  // too, when the file is in place.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;

  // Reads a snapshot. Fails with kIo, kVersion, kOutOfMemory, kMismatch (of another type of filter)
  // or kCorrupt (naming what is wrong where); never crashes, whatever the bytes. `digest_key` as
  // for CountingFilter::Load.
  static Result<Filter> Load(const std::filesystem::path& path, uint64_t memory_limit_bytes = 0,
                             const DigestKey& digest_key = {});

  // The same to and from memory. Serialize throws std::bad_alloc where there is none.
  std::vector<std::byte> Serialize() const;
  static Result<Filter> Deserialize(std::span<const std::byte> bytes,
                                    uint64_t memory_limit_bytes = 0,
                                    const DigestKey& digest_key = {});

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
