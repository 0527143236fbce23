// What keeps counted keys, behind interfaces: KeyStore, what batches of updates and queries need of
// any store, and Store, blocks of a fixed number, what a CountingFilter needs beyond that.
//
//   KeyStore <-- GrowingStore (growing/), StampedView (window/)
//      ^
//      +-- Store <-- BlockStore: presence bits and counters; WideStore and DenseStore
//      (fingerprints/)
//
// A query or update of one key, or of a chunk of a batch, is one call of the store's class.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_STORE_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_STORE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/src/blocks/block_contents.h"
#include "engine/src/blocks/shortfalls.h"
#include "kernels/kernels.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

enum class Update : uint8_t {
  kInsert,
  kInsertIfAbsent,
  kErase,
};

// What became of an update of one key.
enum class Fate : uint8_t {
  kUnchanged,  // not inserted because of what was in, or not erased because absent
  kChanged,    // inserted or erased
  kRefused,    // not inserted, because a limit left no space
};

// Sets the bits of key key_idx, as KeyStore::Apply does. Returns 1 if it was refused, else 0.
inline uint64_t NoteFate(Fate fate, Update update, size_t key_idx, uint64_t* answers,
                         uint64_t* refused) {
  const uint64_t is_changed{fate == Fate::kChanged};
  const uint64_t is_refused{fate == Fate::kRefused};
  if (update != Update::kInsert) answers[key_idx / 64] |= is_changed << (key_idx % 64);
  if (refused != nullptr) refused[key_idx / 64] |= is_refused << (key_idx % 64);
  return is_refused;
}

// Calls find(i), fetch(i) and use(i) for i in 0 .. count - 1, each in this order: fetch(i) when the
// lines that find(i) has prefetched should be there, and use(i) when those of fetch(i) should. For
// keys that kernels leave over: what they need lies in hash maps, each access of which may be a
// miss of caches and TLB that depends on the one before.
template <class Find, class Fetch, class Use>
void UseInSteps(size_t count, const Find& find, const Fetch& fetch, const Use& use) {
  if (count == 0) return;       // as in most batches
  constexpr size_t kStep = 16;  // a few more than the misses that one core can wait for
  for (size_t i = 0; i < count + 2 * kStep; ++i) {
    if (i < count) find(i);
    if (i >= kStep && i - kStep < count) fetch(i - kStep);
    if (i >= 2 * kStep) use(i - 2 * kStep);
  }
}

// Applies an update by kernel calls, each of a chunk of the range. Keys that a kernel spills come
// to finish(key_idx) behind the others of their chunk, in order, after find(digest) and
// fetch(digest) as UseInSteps says; one at which it stops comes there at once.
template <class Kernels, class Blocks, class Find, class Fetch, class Finish>
void UpdateByKernels(const Kernels& kernels, const Blocks& blocks, Update update,
                     const uint64_t* digests, const kernels::DigestRange& range, uint64_t* answers,
                     const Find& find, const Fetch& fetch, const Finish& finish) {
  std::array<uint32_t, kernels::kMaxChunkKeys> spilled;
  const size_t fetch_end = std::max(range.end, range.fetch_end);
  size_t fetched = range.fetched;
  for (size_t begin = range.begin; begin < range.end;) {
    const size_t end = std::min(range.end, begin + kernels::kMaxChunkKeys);
    const kernels::DigestRange keys{begin, end, fetched, fetch_end};
    kernels::UpdateProgress progress;
    if (update == Update::kInsert) {
      progress = kernels.insert(digests, keys, blocks, spilled.data());
    } else {
      const auto kernel = update == Update::kErase ? kernels.erase : kernels.insert_if_absent;
      progress = kernel(digests, keys, blocks, answers, spilled.data());
    }
    UseInSteps(
        progress.num_spilled, [&](size_t i) { find(digests[spilled[i]]); },
        [&](size_t i) { fetch(digests[spilled[i]]); }, [&](size_t i) { finish(spilled[i]); });
    begin = progress.end;
    fetched = begin + kernels::kUpdateDistance;
    if (begin < end) finish(begin++);
  }
}

// What tells whether a batch of updates is faster split by range.
struct UpdateCost {
  uint32_t range_bits = 0;  // 0: there is nothing to split by
  uint64_t num_blocks = 0;
  // An update changes more than one cache line, or takes so long that the prefetches of the next
  // ones do not overlap.
  bool has_many_lines = false;
  uint64_t num_bytes = 0;  // only where it does

  static UpdateCost Of(const Geometry& geometry) {
    const bool has_many_lines = geometry.encoding == Encoding::kPlanes;
    return {.range_bits = geometry.shard_bits,
            .num_blocks = geometry.num_blocks,
            .has_many_lines = has_many_lines,
            .num_bytes = has_many_lines ? geometry.num_bytes() : 0};
  }
};

// A digest's top bits name its *owned range*. The blocks of an owned range belong to one task at a
// time; a lock range is a whole number of them.
class KeyStore {
 public:
  static constexpr size_t kBitmapWords = kernels::kMaxChunkKeys / 64;
  // More would make nothing faster, and a file may have any shard_bits.
  static constexpr uint32_t kMaxOwnedRangeBits = 10;

  virtual ~KeyStore() = default;

  // Applies the update to the range's keys, in order. Bit i of `answers` says whether key i was
  // inserted or erased; not used for kInsert. Bit i of `refused` says whether a limit refused to
  // insert key i, unless it is null. The range's bits must be zero before. Returns how many keys a
  // limit refused.
  virtual uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                         uint64_t* answers, uint64_t* refused) = 0;
  virtual Fate UpdateOne(Update update, uint64_t digest) = 0;
  // Return whether the key was inserted or erased.
  bool InsertOne(uint64_t digest) { return UpdateOne(Update::kInsert, digest) == Fate::kChanged; }
  bool EraseOne(uint64_t digest) { return UpdateOne(Update::kErase, digest) == Fate::kChanged; }
  // Prefetches the digests' blocks for an update.
  virtual void FetchAhead(std::span<const uint64_t> digests) const = 0;

  // For any number of digests.
  virtual size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const = 0;
  // Writes first_idx plus the index of each digest that is answered so; `selection` has room for
  // all. Returns how many. By Query, unless a store has something faster.
  virtual size_t Select(std::span<const uint64_t> digests, bool maybe_present, uint32_t first_idx,
                        uint32_t* selection) const;
  virtual bool MayContain(uint64_t digest) const noexcept = 0;
  virtual uint64_t CountEstimate(uint64_t digest) const = 0;

  virtual uint32_t owned_range_bits() const = 0;
  // Thread safety: beside updates; what it says may be of a moment ago.
  virtual UpdateCost update_cost() const = 0;

 protected:
  KeyStore() = default;
  KeyStore(KeyStore&&) = default;
  KeyStore& operator=(KeyStore&&) = default;
};

// What a store keeps account of: reading it needs no pass over the blocks.
struct StoreFigures {
  uint64_t num_promoted = 0;
  uint64_t side_table_bytes = 0;
  uint64_t num_refused_inserts = 0;  // by a limit of side memory
  uint64_t version_bytes = 0;        // of fingerprints beside writers
  // 64ths of blocks for which queries beside writers answer "maybe present" to any key that is not
  // shown.
  uint64_t num_undecided = 0;
  uint64_t num_interrupted_queries = 0;

  StoreFigures& operator+=(const StoreFigures& other) {
    num_promoted += other.num_promoted;
    side_table_bytes += other.side_table_bytes;
    num_refused_inserts += other.num_refused_inserts;
    version_bytes += other.version_bytes;
    num_undecided += other.num_undecided;
    num_interrupted_queries += other.num_interrupted_queries;
    return *this;
  }
};

// A limit of side memory that a store is to take, with all that it needs: nothing can fail any
// more. So several stores take theirs when each of them has one. Requires that its store is not
// changed meanwhile.
class SideLimitChange {
 public:
  virtual ~SideLimitChange() = default;
  virtual void Apply() noexcept = 0;
  virtual uint64_t side_table_bytes() const = 0;  // of the store, once it is applied

 protected:
  SideLimitChange() = default;
  SideLimitChange(const SideLimitChange&) = default;
  SideLimitChange& operator=(const SideLimitChange&) = default;
};

// The blocks are divided three ways, each into equal ranges named by a digest's top bits:
//
//   shards: shard_bits (geometry)  >=  owned ranges: at most 10 bits  >=  lock ranges: lock_bits
//
// The blocks of an owned range belong to one task at a time, and have a side table of their own.
class Store : public KeyStore {
 public:
  // Divides so many bytes equally over the owned ranges and reserves them; 0: no limit from now on,
  // and what is reserved is freed as blocks return. Fails with kInvalidArgument if they are too
  // few, and with kOutOfMemory if what is in needs more, or the system refuses them. The limit
  // stays as it is until the change is applied; keys may be placed anew.
  virtual Result<std::unique_ptr<SideLimitChange>> PrepareSideLimit(uint64_t limit_bytes) = 0;
  // The same, applied.
  Status LimitSideMemory(uint64_t limit_bytes);
  uint64_t side_memory_limit_bytes() const { return side_limit_bytes_; }

  // Notes which of the ascending digests could not be erased if all of them were (shortfalls.h).
  // Changes nothing. Requires that no other thread updates their blocks. May throw std::bad_alloc.
  virtual void FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const = 0;

  // What a block holds, and setting it.
  virtual BlockContents ReadContents(uint64_t block_idx) const = 0;
  // Returns false, and changes nothing, if a limit leaves no space.
  [[nodiscard]] virtual bool WriteContents(uint64_t block_idx, const BlockContents& contents) = 0;

  // Requires equal geometries, and so stores of one class. Merge returns false, and changes no
  // contents, if a limit leaves no space. Without a limit, running out of memory for the side table
  // makes it return false as well, and ends the program with slots of 16 bits.
  [[nodiscard]] virtual bool Merge(const Store& other) noexcept = 0;
  // Returns false, and changes nothing, if a count would fall below zero.
  [[nodiscard]] virtual bool Subtract(const Store& other) noexcept = 0;
  // A store of half the blocks, or with fingerprints of twice as many. Requires an even num_blocks,
  // or a bit to spare.
  virtual Result<std::unique_ptr<Store>> HalfSize(uint64_t limit_bytes) const = 0;
  virtual Result<std::unique_ptr<Store>> DoubleSize(uint64_t limit_bytes) const = 0;
  virtual void Clear() = 0;
  // Copies the owned range from a store of the same geometry. Requires that this one's is new. May
  // throw std::bad_alloc.
  virtual void CopyOwnedRange(const Store& from, uint64_t range_idx) = 0;

  // Prefetches what MayContain reads for each digest.
  virtual void FetchForQuery(std::span<const uint64_t> digests) const noexcept = 0;

  // From now on queries may run beside updates, or no longer; presence bits need nothing for that.
  // Fails with kOutOfMemory over limit_bytes (0: the machine's memory) or if the system refuses
  // memory. Exclusive.
  virtual Status ServeQueries(uint64_t /*limit_bytes*/) { return Ok(); }
  virtual void StopServingQueries() {}

  // Touches the owned range's memory, so that it is allocated on the calling thread's NUMA node.
  // Requires a new store.
  virtual void TouchOwnedRange(uint64_t range_idx) = 0;
  // Cost: a few loads per owned range. Thread safety: beside any update of it; each figure of each
  // range is then that of some moment.
  virtual StoreFigures Figures() const = 0;
  // By a pass over the owned range's blocks.
  virtual kernels::Tally TallyOf(uint64_t range_idx) const = 0;
  virtual uint64_t num_bytes() const = 0;
  virtual uint64_t huge_page_bytes() const = 0;  // of blocks, on huge pages now

  // By the kernel of one key, and what that leaves by FinishUpdate.
  Fate UpdateOne(Update update, uint64_t digest) final;
  // The kernels of one key of the target that is in use now, and what they work on.
  struct OneKeyCalls {
    const void* blocks;
    kernels::OneKeyKernel query;
    kernels::OneKeyKernel insert;
    kernels::OneKeyKernel erase;
    kernels::OneKeyKernel insert_if_absent;
  };
  // They hold as long as the store stays where it is and has or lacks versions for readers as now.
  virtual OneKeyCalls CallsOfOneKey() const = 0;
  // What a kernel of one key leaves: kSpill or kStop. FinishQuery returns whether the key may be
  // in.
  virtual Fate FinishUpdate(Update update, uint64_t digest) = 0;
  virtual bool FinishQuery(uint64_t digest) const = 0;

  const Geometry& geometry() const { return geometry_; }
  static uint32_t OwnedRangeBits(const Geometry& geometry) {
    return std::min(geometry.shard_bits, kMaxOwnedRangeBits);
  }
  uint32_t owned_range_bits() const final { return OwnedRangeBits(geometry_); }
  size_t num_owned_ranges() const { return size_t{1} << owned_range_bits(); }
  UpdateCost update_cost() const final { return UpdateCost::Of(geometry_); }
  uint64_t blocks_per_owned_range() const { return geometry_.num_blocks >> owned_range_bits(); }

 protected:
  // Of BlockKernels or FingerprintKernels.
  template <class Kernels>
  static OneKeyCalls CallsOf(const Kernels& kernels, const void* blocks) {
    return {blocks, kernels.query_one, kernels.insert_one, kernels.erase_one,
            kernels.insert_if_absent_one};
  }

  // For a store that is to hold this one's keys at another size. A limit of side memory is reserved
  // there as well: CheckResized says beforehand whether it fits, and the new store takes it when
  // the keys are in. Both fail with kOutOfMemory.
  Status CheckResized(const Geometry& geometry, uint64_t limit_bytes) const;
  Status TakeLimitOf(const Store& resized);

  Store() = default;
  Store(Store&&) = default;
  Store& operator=(Store&&) = default;

  Geometry geometry_;
  uint64_t side_limit_bytes_ = 0;  // 0: no limit
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_STORE_H_
