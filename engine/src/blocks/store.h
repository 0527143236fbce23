// Store: blocks of counted keys, of a fixed number, behind one interface. What is here is what a
// CountingFilter needs; BlockStore keeps presence bits and counters, FingerprintStore fingerprints.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_STORE_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_STORE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/src/blocks/block_contents.h"
#include "engine/src/blocks/key_store.h"
#include "engine/src/blocks/shortfalls.h"
#include "kernels/kernels.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

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
  // As Apply; also sets the bits in `refused` of the keys whose insertion a limit refused, unless
  // it is null.
  virtual uint64_t ApplyNoting(Update update, const uint64_t* digests,
                               const kernels::DigestRange& range, uint64_t* answers,
                               uint64_t* refused) = 0;

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
  // makes presence bits return false as well, and ends the program with fingerprints.
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

  // One key: by its kernel, and what that leaves by FinishUpdate.
  bool UpdateOne(Update update, uint64_t digest) final;
  bool InsertOne(uint64_t digest) noexcept final;
  bool EraseOne(uint64_t digest) final;
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
  // What a kernel of one key leaves: its fate is neither kDone nor kUnchanged. Return whether the
  // key was inserted or erased, and whether it may be in.
  virtual bool FinishUpdate(Update update, uint64_t digest, kernels::OneFate fate) = 0;
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

  Store() = default;
  Store(Store&&) = default;
  Store& operator=(Store&&) = default;

  Geometry geometry_;
  uint64_t side_limit_bytes_ = 0;  // 0: no limit

 private:
  bool Finish(Update update, uint64_t digest, kernels::OneFate fate) {
    if (fate == kernels::OneFate::kDone) [[likely]]
      return true;
    return fate != kernels::OneFate::kUnchanged && FinishUpdate(update, digest, fate);
  }
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_STORE_H_
