// The overflow line of a group of 64 stamped blocks: fingerprints that their blocks have no slot
// for, and which of the blocks have more than the line takes.
//
//   u32   | entry 0 | ... | entry 13 |  u64  | blocks with keys in the side table alone |
//   entry   fingerprint (16) | home (8): block & 63 | stamp (8)          0 is free
#ifndef TROMMEL_ENGINE_SRC_WINDOW_STAMPED_LINE_H_
#define TROMMEL_ENGINE_SRC_WINDOW_STAMPED_LINE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/presence_words.h"
#include "kernels/stamped_layout.h"

namespace trommel {

inline constexpr size_t kStampedLineEntries = 14;
inline constexpr size_t kStampedLineWords = 16;

struct LineEntry {
  uint32_t fingerprint = 0;
  uint32_t home = 0;
  uint32_t stamp = 0;
};

// A line's words, which queries may read while they are changed.
class StampedLine {
 public:
  explicit StampedLine(uint32_t* words) : words_(words) {}

  LineEntry Load(size_t i) const {
    const uint32_t word = kernels::LoadPresenceWord(words_ + i);
    return {word & 0xffff, word >> 16 & 0xff, word >> 24};
  }
  void Store(size_t i, const LineEntry& entry) {
    kernels::StorePresenceWord(entry.fingerprint | entry.home << 16 | entry.stamp << 24,
                               words_ + i);
  }
  void Free(size_t i) { kernels::StorePresenceWord(0, words_ + i); }

  uint64_t spilled() const { return kernels::LoadPresenceWord64(words_ + kStampedLineEntries); }
  void set_spilled(uint64_t blocks) {
    kernels::StorePresenceWord64(blocks, words_ + kStampedLineEntries);
  }

 private:
  uint32_t* words_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_STAMPED_LINE_H_
