#include "kernels/map_reference.h"

#include <cstring>

namespace trommel::kernels {
namespace {

uint8_t* BytesOfBlock(const MapBlocks& blocks, uint64_t block_idx) {
  return reinterpret_cast<uint8_t*>(blocks.lines.words) + block_idx * 64;
}

}  // namespace

uint32_t ReferenceMapSlot(const MapBlocks& blocks, uint64_t block_idx, uint32_t slot_idx) {
  const uint8_t* const bytes = BytesOfBlock(blocks, block_idx);
  uint16_t first;
  std::memcpy(&first, bytes + size_t{2} * slot_idx, sizeof(first));
  if (blocks.slot_bits == 16) return first;
  if (blocks.slot_bits == 20) {
    return uint32_t{first} << 4 | (bytes[50 + slot_idx / 2] >> (slot_idx % 2 == 0 ? 0 : 4) & 15);
  }
  return uint32_t{first} << 8 | bytes[42 + slot_idx];
}

void SetReferenceMapSlot(const MapBlocks& blocks, uint64_t block_idx, uint32_t slot_idx,
                         uint32_t slot) {
  uint8_t* const bytes = BytesOfBlock(blocks, block_idx);
  if (blocks.slot_bits == 24) bytes[42 + slot_idx] = static_cast<uint8_t>(slot);
  if (blocks.slot_bits == 20) {
    uint8_t& byte = bytes[50 + slot_idx / 2];
    const uint32_t kept = slot_idx % 2 == 0 ? byte & 0xf0U : byte & 0x0fU;
    byte = static_cast<uint8_t>(kept | (slot & 15) << (slot_idx % 2 == 0 ? 0 : 4));
  }
  const auto first = static_cast<uint16_t>(slot >> (blocks.slot_bits - 16));
  std::memcpy(bytes + size_t{2} * slot_idx, &first, sizeof(first));
}

void SetReferenceMapFlag(const MapBlocks& blocks, uint64_t block_idx, bool is_set) {
  BytesOfBlock(blocks, block_idx)[blocks.slot_bits == 16 ? 62 : 63] = is_set ? 1 : 0;
}

uint32_t ReferenceMapMatch(const MapBlocks& blocks, uint64_t digest) {
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(digest) * blocks.lines.num_blocks;
  const auto block_idx = static_cast<uint64_t>(product >> 64);
  const auto rest = static_cast<uint64_t>(product);
  auto wanted = static_cast<uint32_t>(rest >> (64 - blocks.lines.fingerprint_bits));
  if (wanted == 0) wanted = 1;
  uint32_t match = 0;
  const uint32_t num_slots = blocks.slot_bits == 24 ? 21 : blocks.slot_bits == 20 ? 25 : 31;
  for (uint32_t i = 0; i < num_slots; ++i) {
    const uint32_t slot = ReferenceMapSlot(blocks, block_idx, i);
    const uint32_t fingerprint = slot >> (blocks.slot_bits - blocks.lines.fingerprint_bits);
    if (fingerprint == wanted) match |= 1U << i;
  }
  const uint8_t* const bytes = BytesOfBlock(blocks, block_idx);
  if (bytes[blocks.slot_bits == 16 ? 62 : 63] != 0) match |= 1U << 31;
  return match;
}

}  // namespace trommel::kernels
