// Overflow lines and their entries (wide_store.h draws them), of stores that grow as well.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_LINE_ENTRIES_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_LINE_ENTRIES_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/fingerprint_layout.h"

namespace trommel {

inline constexpr size_t kLineEntries = 18;

// Entries with key 0 are free, and their homes 0. The memory is that of words of 32 bits.
struct __attribute__((may_alias)) OverflowLine {
  std::array<uint16_t, kLineEntries> keys;
  std::array<uint8_t, kLineEntries> homes;
  uint8_t too_few;  // each undecided block needs more entries than this; 0 in snapshots
  uint8_t zero;
  uint64_t undecided;  // which blocks have keys neither here nor in slots; 0 in snapshots
};
static_assert(sizeof(OverflowLine) == 64);

// The first free entry.
inline std::optional<size_t> FreeEntry(const OverflowLine& line) {
  const auto at = std::ranges::find(line.keys, 0);
  if (at == line.keys.end()) return std::nullopt;
  return static_cast<size_t>(at - line.keys.begin());
}

// Entries are changed as words of blocks are: queries may read them meanwhile.
inline void SetEntry(OverflowLine& line, size_t i, uint8_t home, uint16_t key) {
  __atomic_store_n(&line.homes[i], home, __ATOMIC_RELAXED);
  __atomic_store_n(&line.keys[i], key, __ATOMIC_RELAXED);
}

inline void FillEntry(OverflowLine& line, size_t i, uint64_t block_idx, uint32_t key) {
  SetEntry(line, i, static_cast<uint8_t>(block_idx % kernels::kGroupBlocks),
           static_cast<uint16_t>(key));
}

inline void ClearEntry(OverflowLine& line, size_t i) { SetEntry(line, i, 0, 0); }

// Does entry i hold a key of this block? Requires a block of the line's group.
inline bool IsOf(const OverflowLine& line, size_t i, uint64_t block_idx) {
  return line.keys[i] != 0 && line.homes[i] == block_idx % kernels::kGroupBlocks;
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_LINE_ENTRIES_H_
