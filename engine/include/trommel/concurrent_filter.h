// ConcurrentFilter: a CountingFilter that any thread may use at any time.
//
// The contract ("key" means a key with its duplicates; a batch is a sequence of single operations):
//
//   operation                        promise
//   -------------------------------  -------------------------------------------------------------
//   Query, Select, MayContain        Take no lock and never wait. If an insertion of the key
//                                    happened before, and no erasure that could match it has begun:
//                                    "maybe present", always.
//   Insert, InsertIfAbsent, Erase,   Linearizable for each key; a batch as a whole is not: others
//   CountEstimate(s)                 may see a part of it. Keys of one batch and one block are
//                                    handled in input order.
//   InsertIfAbsent                   Of n racing callers with one absent key exactly one is told
//                                    "new" (none, if other keys come to cover it meanwhile); of
//                                    duplicates in one batch: the first.
//   num_keys, GetStats, Save,        Of each shard some moment's state, between operations; of
//   Serialize                        different shards different moments.
//   Merge, Clear, TakeExclusive,     Need the filter to themselves: the caller's duty. Debug builds
//   move, destruction                abort when they see another operation running.
//
// "Happened before" is C++'s: what one thread did and another thread learned of by any
// synchronization (a join, a mutex, an atomic with release and acquire).
//
// What a caller may erase: a key, as often as it was inserted: once for each Insert, once for each
// InsertIfAbsent that answered "new". After "maybe present" nothing was inserted and nothing may be
// erased.
//
// Once all threads have joined, the bytes of a snapshot are those of a CountingFilter after the
// same operations, if these commute (inserts do, erases of keys that are in do).
//
// Writers hold one of many locks, each over a range of blocks, and only while the keys of one batch
// that fall into that range are applied. Batches cost little more than a CountingFilter's from
// about 2048 keys on; a single key costs a lock more. Large batches may be spread over an
// executor's threads. A child made by fork must not use filters that its parent's other threads
// were changing. The argument why all this holds stands in
// engine/src/counting/concurrent_filter.cc; what it needs of the machine, in
// kernels/presence_words.h.
#ifndef TROMMEL_CONCURRENT_FILTER_H_
#define TROMMEL_CONCURRENT_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trommel/counting_filter.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/result.h"
#include "trommel/save_options.h"

namespace trommel {

class ConcurrentFilter {
 public:
  // As CountingFilter::Create. With config.executor one caller's large batches use many threads,
  // too.
  static Result<ConcurrentFilter> Create(const CountingConfig& config);

  // Takes over a filter, its keys and its executor.
  explicit ConcurrentFilter(CountingFilter&& filter);

  ConcurrentFilter(ConcurrentFilter&&) noexcept;
  ConcurrentFilter& operator=(ConcurrentFilter&&) noexcept;
  ~ConcurrentFilter();  // A moved-from filter may only be destroyed or assigned to:
                        // anything else aborts with a message.

  // --- Batches, as CountingFilter's: outputs of the same sizes, which must not overlap the keys.
  void Insert(Keys keys) noexcept;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;
  EraseOutcome Erase(Keys keys) noexcept;
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  // --- One key.
  void Insert(Key key) noexcept;
  bool InsertIfAbsent(Key key) noexcept;
  bool Erase(Key key) noexcept;
  bool MayContain(Key key) const noexcept;
  uint64_t CountEstimate(Key key) const noexcept;

  // --- What it is.
  const Geometry& geometry() const noexcept;
  const DigestPolicy& digest_policy() const noexcept;
  uint64_t capacity() const noexcept;
  double target_fpr() const noexcept;
  uint64_t num_keys() const noexcept;
  Stats GetStats() const noexcept;  // One pass over all blocks, a lock at a time.

  // --- On disk: CountingFilter's snapshots. The filter is copied first, a shard at a time, so that
  // no writer waits for the disk: needs the filter's memory once more; kOutOfMemory where there is
  // none. Serialize throws std::bad_alloc instead.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  std::vector<std::byte> Serialize() const;
  // For an executor: CountingFilter::Load, UseExecutor, and the constructor above.
  static Result<ConcurrentFilter> Load(const std::filesystem::path& path,
                                       uint64_t memory_limit_bytes = 0,
                                       const DigestKey& digest_key = {});

  // --- Exclusive.
  Status Merge(const CountingFilter& other);  // as CountingFilter::Merge
  void Clear() noexcept;
  // Gives the filter back, for everything else that only a CountingFilter does.
  CountingFilter TakeExclusive() &&;

 private:
  friend struct FilterFiles;
  struct Impl;
  Status WriteTo(ByteSink& sink) const;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_CONCURRENT_FILTER_H_
