// What the three classic filters share: batches of keys against positions all over memory.
//
// They are here for reproduction, teaching and comparison. A query reads up to k cache lines where
// CountingFilter reads one, and a counter that reaches its maximum sticks there, as published: it
// neither rises nor falls any more. Nothing is ever answered "absent" because of that; but what
// stuck counters counted is lost, and keys over them may stay "maybe present" when all are gone.
//
// Threads: const members may run in any number of threads at once as long as no other member runs.
// With an executor, Query and CountEstimates are spread over its threads, the hashing of large
// batches that are inserted, and insertions into a split filter too, a task a slice; the result is
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
  uint64_t capacity = 0;     // distinct keys to size for; required
  double target_fpr = 0.01;  // false-positive rate at capacity
  DigestPolicy digest = {};
  uint32_t num_hashes = 0;    // 0: chosen by sizing
  uint32_t counter_bits = 4;  // of the counting filters
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
  double predicted_fpr = 0;         // the model's, if num_keys keys are in and all are distinct
  uint64_t num_stuck = 0;           // counters at their maximum; 0 for plain bits
  // Since creation, load or clear:
  uint64_t num_lost_increments = 0;  // that fell on counters at their maximum; 0 for plain bits
  uint64_t num_refused_erases = 0;
};

class Filter {
 public:
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

  // Key i's bit in `maybe_present` is its answer. Returns how many are set. Probes slice after
  // slice, each for the keys that all slices before it show.
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;

  // --- One key: batches of one.
  void Insert(Key key) noexcept;
  bool InsertIfAbsent(Key key) noexcept;    // true: it was absent, and is in now
  bool MayContain(Key key) const noexcept;  // false: certainly absent

  // --- Whole filters.

  // Adds the other's counts, each up to the maximum, or joins its bits: as if its keys had been
  // inserted here. Fails with kMismatch, naming the field, when geometry or digest policy differ,
  // and with kInvalidArgument when both hold more than 2^62 keys; nothing is changed then.
  Status Merge(const Filter& other);

  // Halves num_positions. The filter is then exactly what it would be had it been built so, unless
  // a counter was stuck before or has become so: the sum of two counters, one of them stuck, is
  // stuck. Fails with kInvalidArgument, and changes nothing, when num_positions is odd, and with
  // kOutOfMemory. capacity() and target_fpr() stay what was asked for.
  Status Fold();

  // Forgets all keys and the wear statistics.
  void Clear() noexcept;

  // Spreads work over these threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;

  // --- What it is.
  const Geometry& geometry() const noexcept;
  const DigestPolicy& digest_policy() const noexcept;
  uint64_t capacity() const noexcept;  // as asked for; 0 from CreateWithGeometry
  double target_fpr() const noexcept;  // as asked for; 0 from CreateWithGeometry
  // Insertions less erasures. Exact while one slice has no stuck counter: where all have, erasing
  // keys that never came in may go on without end, and the number stops at zero.
  uint64_t num_keys() const noexcept;
  Stats GetStats() const;  // one pass over all counters

  // Entry c: how many counters (or bits) hold c, from 0 to the geometry's max_count(). One pass.
  std::vector<uint64_t> CounterHistogram() const;

  // --- On disk. The same geometry and counts give the same bytes, and there is one form for each
  // state. CountingFilter and these refuse each other's snapshots.

  // Writes path atomically (a temporary file beside it, flushed, then renamed). Fails with kIo,
  // kExists and what options.check returns: the path is then as it was. Fails with kNotFlushed,
  // too, when the file is in place.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;

  // The same to memory. Throws std::bad_alloc where there is none.
  std::vector<std::byte> Serialize() const;

 protected:
  struct Impl;
  explicit Filter(std::unique_ptr<Impl> impl) noexcept;
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  ~Filter();  // A moved-from filter may only be destroyed or assigned to:
              // anything else aborts with a message.

  ImplPtr<Impl> impl_;
};

// A filter of counters: keys can be erased.
class CountedFilter : public Filter {
 public:
  // In input order: takes one from every of the key's counters that is not stuck, or refuses a key
  // that is certainly absent and changes nothing for it. (Certainly absent: some counter is zero,
  // or one, and two of the key's hashes fall on it.) A caller may erase a key as often as it was
  // inserted. Erasing a key that never came in goes undetected with the false-positive rate, and
  // may make keys that are in absent. Key by key, all hashes of each.
  EraseOutcome Erase(Keys keys) noexcept;
  // The same; key i's bit in `erased` says whether it was erased (1) or refused (0).
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;
  bool Erase(Key key) noexcept;  // false: refused

  // The least of each key's counters: an upper bound of how often the key is in, unless it is the
  // geometry's max_count(), which means "this often, or more or less: the counters are stuck". 0
  // means certainly absent. counts.size() must equal keys.size(), else abort.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;
  uint64_t CountEstimate(Key key) const noexcept;

  // Takes the other's counts away; stuck counters stay. Fails with kMismatch as Merge does, and
  // with kInvalidArgument when some counter would fall below zero; nothing is changed then.
  Status Subtract(const CountedFilter& other);

 protected:
  explicit CountedFilter(std::unique_ptr<Impl> impl) noexcept;
  CountedFilter(CountedFilter&&) noexcept = default;
  CountedFilter& operator=(CountedFilter&&) noexcept = default;
  ~CountedFilter() = default;
};

}  // namespace trommel::classic

#endif  // TROMMEL_CLASSIC_FILTER_H_
