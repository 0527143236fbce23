// KeyStore: counted keys behind one interface, however they are kept. What is here is what batches
// of updates and queries need. Stores of a fixed number of blocks are in store.h; one that grows is
// in growing/growing_store.h.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_KEY_STORE_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_KEY_STORE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernels.h"
#include "trommel/sizing.h"

namespace trommel {

enum class Update : uint8_t {
  kInsert,
  kInsertIfAbsent,
  kInsertIfPresent,  // only keys that answer "maybe present": no key becomes present
  kErase,
};

// What tells whether a batch of updates is faster split by range.
struct UpdateCost {
  uint32_t range_bits = 0;  // 0: there is nothing to split by
  uint64_t num_blocks = 0;
  uint64_t num_bytes = 0;
  bool has_many_lines = false;  // an update changes more than one cache line

  static UpdateCost Of(const Geometry& geometry) {
    return {.range_bits = geometry.shard_bits,
            .num_blocks = geometry.num_blocks,
            .num_bytes = geometry.num_bytes(),
            .has_many_lines = geometry.encoding == Encoding::kPlanes};
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
  // inserted or erased; the range's bits must be zero before. Not used for kInsert. Returns how
  // many keys a limit refused.
  virtual uint64_t Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                         uint64_t* answers) = 0;
  // One key; returns whether it was inserted or erased. (Limits may refuse insertions: see
  // FingerprintStore.)
  virtual bool UpdateOne(Update update, uint64_t digest) = 0;
  // The same for the updates that most calls are, without a look at which one it is.
  virtual bool InsertOne(uint64_t digest) noexcept = 0;
  virtual bool EraseOne(uint64_t digest) = 0;
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

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_KEY_STORE_H_
