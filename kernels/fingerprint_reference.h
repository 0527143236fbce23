// The specification of filters of fingerprint blocks: a multiset of keys per block, one
// key at a time. Kernels and engine are right iff they leave and find what this does. Slow.
#ifndef TROMMEL_KERNELS_FINGERPRINT_REFERENCE_H_
#define TROMMEL_KERNELS_FINGERPRINT_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/dense_layout.h"

namespace trommel::kernels {

class FingerprintReference {
 public:
  // A key within its block and how often it is there.
  using Contents = std::vector<std::pair<uint32_t, uint64_t>>;

  // Of slots of 16 bits, or of dense blocks of this shape. Requires at least one block, and bits
  // that these have (fingerprint_layout.h, dense_layout.h).
  FingerprintReference(std::optional<DenseShape> dense, uint64_t num_blocks,
                       uint32_t fingerprint_bits);

  void Insert(uint64_t digest);
  // Returns whether the key was inserted.
  bool InsertIfAbsent(uint64_t digest);
  // Returns whether the key was erased: one copy of it.
  bool Erase(uint64_t digest);
  bool MayContain(uint64_t digest) const { return CountEstimate(digest) > 0; }
  uint64_t CountEstimate(uint64_t digest) const;

  // Both require the same blocks and bits.
  void Merge(const FingerprintReference& other);
  // Returns whether `other` is contained; changes nothing otherwise.
  bool Subtract(const FingerprintReference& other);
  // Half the blocks. Requires an even number of blocks.
  FingerprintReference Folded() const;
  // Twice the blocks and one bit less. Requires a bit to spare.
  FingerprintReference Doubled() const;

  // Ascending by key.
  Contents ContentsOf(uint64_t block_idx) const;
  uint64_t num_blocks() const { return num_blocks_; }
  uint32_t fingerprint_bits() const { return fingerprint_bits_; }

  friend bool operator==(const FingerprintReference&, const FingerprintReference&) = default;

 private:
  using Place = std::pair<uint64_t, uint32_t>;  // block, key

  Place PlaceOf(uint64_t digest) const;
  uint32_t MaxBits() const;
  uint64_t NumValues() const;
  uint32_t Unreserved(uint64_t key) const;

  std::optional<DenseShape> dense_;
  uint64_t num_blocks_;
  uint32_t fingerprint_bits_;
  std::map<Place, uint64_t> counts_;  // none is 0
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_FINGERPRINT_REFERENCE_H_
