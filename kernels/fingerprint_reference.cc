#include "kernels/fingerprint_reference.h"

namespace trommel::kernels {

FingerprintReference::FingerprintReference(uint64_t num_blocks, uint32_t fingerprint_bits)
    : num_blocks_(num_blocks), fingerprint_bits_(fingerprint_bits) {}

// Digest x num_blocks is block x 2^64 + rest; the key is rest x values / 2^64, and no value that
// slots have a meaning of their own for.
FingerprintReference::Place FingerprintReference::PlaceOf(uint64_t digest) const {
  __extension__ using Product = unsigned __int128;
  const Product product = Product{digest} * num_blocks_;
  const auto rest = static_cast<uint64_t>(product);
  auto key = static_cast<uint32_t>(Product{rest} * (uint64_t{1} << fingerprint_bits_) >> 64);
  if (key % 256 == 0x00) key += 1;
  if (key % 256 == 0xff) key -= 1;
  return {static_cast<uint64_t>(product >> 64), key};
}

void FingerprintReference::Insert(uint64_t digest) { counts_[PlaceOf(digest)] += 1; }

bool FingerprintReference::Erase(uint64_t digest) {
  const auto found = counts_.find(PlaceOf(digest));
  if (found == counts_.end()) return false;
  found->second -= 1;
  if (found->second == 0) counts_.erase(found);
  return true;
}

FingerprintReference::Contents FingerprintReference::ContentsOf(uint64_t block_idx) const {
  Contents contents;
  const auto end = counts_.lower_bound({block_idx + 1, 0});
  for (auto entry = counts_.lower_bound({block_idx, 0}); entry != end; ++entry) {
    contents.emplace_back(entry->first.second, entry->second);
  }
  return contents;
}

}  // namespace trommel::kernels
