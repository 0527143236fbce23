// The specification of filters of fingerprint blocks with slots of 16 bits: a multiset of keys per
// block, one key at a time. Kernels and engine are right iff they leave what this does. Slow.
#ifndef TROMMEL_KERNELS_FINGERPRINT_REFERENCE_H_
#define TROMMEL_KERNELS_FINGERPRINT_REFERENCE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace trommel::kernels {

class FingerprintReference {
 public:
  // A key within its block and how often it is there.
  using Contents = std::vector<std::pair<uint32_t, uint64_t>>;

  // Requires at least one block, and bits that slots have (fingerprint_layout.h).
  FingerprintReference(uint64_t num_blocks, uint32_t fingerprint_bits);

  void Insert(uint64_t digest);
  // Returns whether the key was erased: one copy of it.
  bool Erase(uint64_t digest);

  // Ascending by key.
  Contents ContentsOf(uint64_t block_idx) const;

 private:
  using Place = std::pair<uint64_t, uint32_t>;  // block, key

  Place PlaceOf(uint64_t digest) const;

  uint64_t num_blocks_;
  uint32_t fingerprint_bits_;
  std::map<Place, uint64_t> counts_;  // none is 0
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_FINGERPRINT_REFERENCE_H_
