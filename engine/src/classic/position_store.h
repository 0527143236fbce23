// What a classic filter holds: its positions in memory, and how many of each slice are present.
// Knows digests, not keys; every operation but Insert works in the calling thread.
#ifndef TROMMEL_ENGINE_SRC_CLASSIC_POSITION_STORE_H_
#define TROMMEL_ENGINE_SRC_CLASSIC_POSITION_STORE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/base/block_memory.h"
#include "kernels/classic_array.h"
#include "trommel/classic/geometry.h"
#include "trommel/executor.h"
#include "trommel/result.h"

namespace trommel::classic {

class PositionStore {
 public:
  // Empty. Fails as Validate does, and with kOutOfMemory; 0: the machine's memory.
  static Result<PositionStore> Create(const ArrayGeometry& geometry, uint64_t limit_bytes);

  // --- Batches. Bitmaps must have room for a bit per digest; all their words are written.

  // Hash by hash; with an executor and slices, one task per slice.
  void Insert(std::span<const uint64_t> digests, Executor* executor = nullptr);
  // Key by key, in order. Return how many bits they set.
  uint64_t InsertIfAbsent(std::span<const uint64_t> digests, uint64_t* inserted);
  uint64_t Erase(std::span<const uint64_t> digests, uint64_t* erased);

  size_t Query(std::span<const uint64_t> digests, uint32_t num_probes,
               uint64_t* maybe_present) const;
  void CountEstimates(std::span<const uint64_t> digests, std::span<uint64_t> counts) const;
  bool MayContain(uint64_t digest) const;

  // --- Whole stores (position_store_combine.cc). The others' geometry must be equal.
  void Merge(const PositionStore& other);
  bool CanSubtract(const PositionStore& other) const;
  void Subtract(const PositionStore& other);                 // only if it can
  Result<PositionStore> Folded(uint64_t limit_bytes) const;  // num_positions must be even
  Result<PositionStore> FirstSlices(uint32_t num_slices, uint64_t limit_bytes) const;
  void Clear();

  // How many fields of the slice hold 0, 1, .. max_count: entry c for c.
  std::vector<uint64_t> Histogram(size_t slice_idx) const;

  // Anew from memory that was written from outside: how many positions are present.
  void Recount();

  // --- What it is.
  const ArrayGeometry& geometry() const { return geometry_; }
  uint64_t num_present(size_t slice_idx) const { return num_present_[slice_idx]; }
  double Fill(size_t slice_idx) const;
  // The product of the fills that the first num_probes hashes fall into.
  double FillProduct(uint32_t num_probes) const;
  uint64_t num_lost() const { return num_lost_; }  // increments, on counters at their maximum
  std::span<const std::byte> bytes() const { return memory_.bytes(); }
  std::span<std::byte> writable_bytes();

 private:
  PositionStore() = default;

  struct Added {
    uint64_t num_filled = 0;  // from zero to one
    uint64_t num_lost = 0;
  };
  Added AddHash(std::span<const uint64_t> digests, size_t hash_idx);

  // Where in num_present_ hash i counts.
  size_t SliceOf(size_t hash_idx) const { return geometry_.num_slices() == 1 ? 0 : hash_idx; }
  // One position of hash i of a key.
  void AddOne(size_t hash_idx, uint32_t position);
  bool TryTakeOne(size_t hash_idx, uint32_t position);  // false: zero, nothing changes
  void PutBack(size_t hash_idx, uint32_t position);     // undoes it

  // Calls visit(i, positions) for each digest in order; hash h of it falls on positions[h *
  // kGroup].
  template <class Visit>
  void ForEachKey(std::span<const uint64_t> digests, const Visit& visit) const;

  ArrayGeometry geometry_;
  BlockMemory memory_;
  kernels::ClassicArray array_ = {};
  std::vector<uint64_t> num_present_;  // per slice
  uint64_t num_lost_ = 0;
};

}  // namespace trommel::classic

#endif  // TROMMEL_ENGINE_SRC_CLASSIC_POSITION_STORE_H_
