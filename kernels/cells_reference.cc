#include "kernels/cells_reference.h"

namespace trommel::kernels {

uint64_t CellsReference::CellOf(const std::vector<uint64_t>& tuple, uint32_t hash_idx) const {
  // In 64 bits, reduced by division: no wrap-around to rely on.
  constexpr uint64_t kRange = uint64_t{1} << 32;
  uint64_t cell = 0;
  for (size_t r = 0; r < grid_.columns.size(); ++r) {
    const uint64_t digest = tuple[grid_.columns[r]];
    const uint64_t f1 = digest / kRange;
    const uint64_t f2 = digest % kRange / 2 * 2 + 1;
    uint64_t hash = (f1 + hash_idx * f2) % kRange;
    hash ^= hash / 65536;
    hash = hash * 0x85ebca6b % kRange;
    hash ^= hash / 8192;
    hash = hash * 0xc2b2ae35 % kRange;
    hash ^= hash / 65536;
    cell = cell * grid_.positions[r] + hash * grid_.positions[r] / kRange;
  }
  return cell;
}

void CellsReference::Insert(const std::vector<uint64_t>& tuple) {
  for (uint32_t j = 0; j < num_hashes_; ++j) marked_.insert(CellOf(tuple, j));
}

bool CellsReference::MayContain(const std::vector<uint64_t>& tuple) const {
  for (uint32_t j = 0; j < num_hashes_; ++j) {
    if (!marked_.contains(CellOf(tuple, j))) return false;
  }
  return true;
}

}  // namespace trommel::kernels
