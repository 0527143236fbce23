// WindowFilter: a set of the keys seen lately, over a window of time that slides in buckets.
//
// Time is the caller's: a number of ticks of any unit, which Advance moves on and nothing moves
// back. Keys enter the bucket of the present; a bucket that has left the window goes as a whole.
//
//     bucket    5       6       7       8       9      num_buckets = 4: the window is as long as
//           |.......|-------|-------|-------|---|      four buckets, and there are up to five
//            gone    oldest                  now       live ones
//
// Buckets are as long as window / num_buckets; where that is no whole number, lengths differ by one
// tick, so that num_buckets of them are the window. Bucket i is the ticks t with
// floor(t * num_buckets / window) = i. The guarantee, to the tick: of a key inserted at time t
//
//   now < t + window                     every query says "maybe present", unless it was erased
//   now >= t + window + bucket_ticks()   it is gone: "absent", but for a false positive
//   between                              either: it goes when its bucket ends
//
// bucket_ticks() is the longest bucket's length, window / num_buckets rounded up. Time runs from 0
// to 2^64 - 1; sums beyond that never come.
//
// Keys that are to live on are inserted again: InsertIfAbsent leaves a key where it is, in a bucket
// that goes when its time comes. Each Insert lasts a window of its own.
//
// The contract for threads. Any may call any of these at any time:
//
//   operation                        promise
//   -------------------------------  -------------------------------------------------------------
//   Query, Select, MayContain        Take no lock and never wait. If a key was inserted at time t
//                                    before, no erasure that could match it has begun, and no
//                                    Advance to t + window or later has begun: "maybe present",
//                                    always.
//   Insert, InsertIfAbsent           All keys of a call enter one bucket: that of a time t, now()
//                                    at some moment of the call, which the call returns.
//   Insert, InsertIfAbsent, Erase,   Linearizable for each key; a batch as a whole is not. Keys of
//   CountEstimate(s)                 one batch and one block are handled in input order.
//   InsertIfAbsent                   Its answers are of the time t that the call returns, for a
//                                    batch of any size: a key inserted at s is not "new" while
//                                    t < s + window, unless an erasure could match it. Of n racing
//                                    callers with one absent key exactly one is told "new" (none,
//                                    if other keys come to cover it meanwhile), also when the time
//                                    advances between them. Of duplicates in one batch: the first.
//   Advance                          One after another. now() moves at once; entering a new bucket
//                                    then waits for the chunks (2048 keys; 2^17 of updates spread
//                                    over an executor) and for the whole InsertIfAbsent calls that
//                                    others are working on, so not from within such a call. While
//                                    it waits, other Advances, GetStats, Save and Serialize do,
//                                    too; inserts, erases and queries go on. An Insert or Erase
//                                    whose bucket leaves the window while it runs is over: what is
//                                    left of it would be gone already.
//   num_keys, GetStats, Save,        Of each bucket and lock some moment's state, between
//   Serialize                        operations; of different ones different moments. Buckets that
//                                    leave the window meanwhile are left out.
//   Merge, Clear, UseExecutor,       Need the filter to themselves: the caller's duty. Debug builds
//   move, destruction                abort when they see another operation running.
//
// "Happened before" is C++'s, as in concurrent_filter.h, which also says what fork forbids.
//
// A bucket that has left the window is unpublished at once; its memory is cleared by and by, in
// steps of a thousandth of it (or up to 1 MB, where that is more), by the inserts and advances that
// follow: twice as fast as inserts at capacity need. So no pause grows with the filter, as long as
// buckets take their inserts. An Advance that needs memory which is not cleared yet finishes one
// bucket's first: that is the cost of a clock that leaps from bucket to bucket without inserts
// between (measured: 4 ms for a bucket of 12 MB, on a busy machine).
//
// Memory is that of num_buckets + 2 stores of one geometry: the live ones, and one to be cleared.
// It is reserved from the start, and used as buckets are. A query asks every live bucket that has
// held a key: about one cache line each. The argument why all this holds stands in
// engine/src/window/window_filter.cc.
#ifndef TROMMEL_WINDOW_FILTER_H_
#define TROMMEL_WINDOW_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
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

struct WindowConfig {
  uint64_t window = 0;       // ticks; required
  uint32_t num_buckets = 8;  // 1 .. kMaxBuckets, and no more than ticks of the window
  // Distinct keys that may come in within any span of window + bucket_ticks(); required.
  uint64_t capacity = 0;
  // How many of them may come within one bucket's span; at most capacity. 0, or anything below
  // capacity / (num_buckets + 1): that many, rounded up, which is even arrival. As long as all live
  // buckets hold at most capacity keys and each at most this many, the rate is kept. A burst beyond
  // raises the rate until its bucket goes; GetStats says to what, and by how many keys. With
  // bucket_capacity = capacity no arrival of that many keys breaks the rate. The price: every store
  // is sized for the burst. At 1 % and 8 buckets even arrival takes 33 bits per key of capacity,
  // any arrival 188.
  uint64_t bucket_capacity = 0;
  // The false-positive rate of a query, which asks all live buckets.
  // Between (num_buckets + 1) * kMinTargetFpr and kMaxTargetFpr.
  double target_fpr = 0.01;
  DigestPolicy digest = {};
  uint32_t num_slices = 0;  // as in CountingConfig
  Encoding encoding = Encoding::kRuns;
  // Of all stores together; 0: the machine's physical memory. The side tables grow beyond it.
  uint64_t memory_limit_bytes = 0;
  // Large batches are spread over its threads, but InsertIfAbsent's. null: the caller's only.
  std::shared_ptr<Executor> executor = nullptr;
};

struct WindowEraseOutcome {
  uint64_t num_erased = 0;
  uint64_t num_refused = 0;  // certainly absent from that bucket: nothing changed for them
  uint64_t num_expired = 0;  // no such bucket: it has gone, or its time has not come

  friend bool operator==(const WindowEraseOutcome&, const WindowEraseOutcome&) = default;
};

// A live bucket that was the present one at some time.
struct WindowBucket {
  uint64_t first_tick = 0;  // the bucket is the ticks first_tick .. last_tick
  uint64_t last_tick = 0;
  Stats stats;  // of this bucket alone; its refused erases are counted in WindowStats
};

struct WindowStats {
  uint64_t now = 0;
  uint64_t num_keys = 0;             // insertions less erasures of live buckets
  uint64_t num_bytes = 0;            // all stores with their side tables
  uint64_t num_uncleared_bytes = 0;  // of these, of buckets that have gone, still to be cleared
  uint64_t num_refused_erases = 0;   // of absent keys; since creation, load or clear
  uint64_t num_expired_erases = 0;   // of keys of no live bucket; since then, too
  double current_fpr = 0;            // 1 - prod(1 - f) over the buckets' current_fpr: for keys that
                                     // are in several buckets the true rate is lower
  double predicted_fpr = 0;          // the same of their predicted_fpr
  // Keys beyond bucket_capacity() in live buckets, and in others when they left the window (a key
  // inserted twice counts twice); since creation, load or clear. While a bucket holds such keys the
  // rate may exceed target_fpr.
  uint64_t num_excess_keys = 0;
  std::vector<WindowBucket> buckets;  // oldest first; the last one is the present's
};

class WindowFilter {
 public:
  static constexpr uint32_t kMaxBuckets = 64;

  // An empty filter at time 0. Fails with kInvalidArgument for numbers out of range and as SizeFor
  // does, and with kOutOfMemory over the limit or when the system refuses.
  static Result<WindowFilter> Create(const WindowConfig& config);

  WindowFilter(WindowFilter&&) noexcept;
  WindowFilter& operator=(WindowFilter&&) noexcept;
  ~WindowFilter();  // A moved-from filter may only be destroyed or assigned to:
                    // anything else aborts with a message.

  // --- Time.

  // Moves the time on to `now`; buckets that have left the window go. False, and nothing is
  // changed, if `now` lies before now(). Any leap is one step.
  bool Advance(uint64_t now) noexcept;
  uint64_t now() const noexcept;  // what the last Advance that has taken effect said; 0 at first

  // --- Batches. Bitmaps and selections as CountingFilter's: BitmapWords. No output
  // may overlap the keys.

  // Inserts into the present bucket. Returns the time of insertion, for Erase.
  uint64_t Insert(Keys keys) noexcept;

  // In input order: a key that answers "maybe present" in some live bucket is left alone, in its
  // old bucket; any other is inserted into the present one and its bit in `inserted` set. Returns
  // how many were inserted. The time of the call goes to `inserted_at`, if there is one: what was
  // inserted was inserted then, and what was left alone was in the window then. An Advance into a
  // new bucket returns after the call; where its thread must not wait so long, cut the batch.
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                        uint64_t* inserted_at = nullptr) noexcept;

  // In input order: takes one from every key's counters in the bucket of `inserted_at` (any tick of
  // it), or refuses a key that is certainly absent there and changes nothing for it. Refuses all
  // keys if that bucket has gone or inserted_at > now(). (Without the time, a late erase would find
  // its key by false positives elsewhere, and take it from others.) A caller may erase a key as
  // often as it was inserted at that time; erasing one that was not is CountingFilter::Erase's
  // mistake, in that bucket.
  WindowEraseOutcome Erase(Keys keys, uint64_t inserted_at) noexcept;
  // The same; key i's bit in `erased` says whether it was erased.
  WindowEraseOutcome Erase(Keys keys, uint64_t inserted_at, std::span<uint64_t> erased) noexcept;

  // As CountingFilter's. Within a batch, time may advance from chunk to chunk.
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;

  // An upper bound of how often each key is in, all live buckets together: the sum of theirs.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  // --- One key: batches of one.
  uint64_t Insert(Key key) noexcept;
  bool InsertIfAbsent(Key key, uint64_t* inserted_at = nullptr) noexcept;
  bool Erase(Key key, uint64_t inserted_at) noexcept;  // false: refused, for whichever reason
  bool MayContain(Key key) const noexcept;
  uint64_t CountEstimate(Key key) const noexcept;

  // --- Whole filters.

  // Adds the other's counts, bucket by bucket: as if its keys had been inserted here at their
  // times. Both must be in the same bucket; now() becomes the later of the two. Fails with
  // kMismatch, naming the field, when window, num_buckets, geometry, digest policy or the present
  // bucket differ, and with kInvalidArgument when both together hold more than 2^62 keys; nothing
  // is changed then. Nobody may change `other` meanwhile. Cost: one pass over all buckets.
  Status Merge(const WindowFilter& other);

  // Forgets all keys and the refused erases; time stays. Writes all memory that was used.
  void Clear() noexcept;

  // Spreads batches over these threads from now on; null: the calling thread only.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;

  // --- What it is.
  uint64_t window() const noexcept;
  uint32_t num_buckets() const noexcept;
  uint64_t bucket_ticks() const noexcept;     // of the longest bucket
  const Geometry& geometry() const noexcept;  // of one bucket; all have the same
  const DigestPolicy& digest_policy() const noexcept;
  uint64_t capacity() const noexcept;  // as asked for
  // How many keys one bucket may hold while the rate is kept, whatever the others hold within the
  // capacity: as asked for or slightly more, by the model (sizing.h) of the geometry. A loaded
  // filter's is the same.
  uint64_t bucket_capacity() const noexcept;
  double target_fpr() const noexcept;  // as asked for
  uint64_t num_keys() const noexcept;  // insertions less erasures of live buckets
  WindowStats GetStats() const;        // One pass over all live buckets, a lock at a time.

  // --- On disk. The canonical snapshot: the same configuration, time and counts give the same
  // bytes. A loaded filter goes on exactly where the saved one was. Buckets are copied first, so
  // that no writer waits for the disk: needs the memory of those that hold keys once more;
  // kOutOfMemory where there is none (Serialize throws std::bad_alloc).

  // As CountingFilter::Save.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  // Fails, and takes `digest_key`, as CountingFilter::Load, and with kMismatch for another type's
  // snapshot.
  static Result<WindowFilter> Load(const std::filesystem::path& path,
                                   uint64_t memory_limit_bytes = 0,
                                   const DigestKey& digest_key = {});
  std::vector<std::byte> Serialize() const;
  static Result<WindowFilter> Deserialize(std::span<const std::byte> bytes,
                                          uint64_t memory_limit_bytes = 0,
                                          const DigestKey& digest_key = {});

 private:
  friend struct FilterFiles;
  struct Impl;
  explicit WindowFilter(std::unique_ptr<Impl> impl) noexcept;
  static Result<WindowFilter> ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                       const DigestKey& digest_key);
  Status WriteTo(ByteSink& sink) const;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_WINDOW_FILTER_H_
