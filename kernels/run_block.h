// One block in the run encoding: where its run strings are, and how the engine decodes and encodes
// single blocks.
//
// A block is its presence words followed by the run strings of its slices (run_slice.h), in one
// cache line, or two for 10 slices:
//
//   8 x 32   | 8 presence words of 32 bits   | 8 strings of 32 bits         |    up to 31 keys
//   4 x 64   | 4 presence words of 64 bits   | 4 strings of 64 bits         |    up to 63 keys
//   5 x 64   | 5 presence words of 64 bits   | 5 x 32 low | 5 x 6 high bits |    up to 37 keys
//   10 x 64  | 10 presence words of 64 bits  | 10 x 32 low | 10 x 6 high    |    up to 37 keys
//
// Strings of 38 bits are stored as their low 32 bits, a word each, and their high 6 bits together
// in one number, lowest slice first. A block of n keys is full when bit n, the closing 1, is the
// last of a string.
//
// An empty block is all zero. A block with more keys than fit is *promoted*: its counts are in the
// side table, its presence bits stay here, and its run strings are 0, as in no other block with
// keys. One string and one presence word suffice to see it, because every key is in every slice.
#ifndef TROMMEL_KERNELS_RUN_BLOCK_H_
#define TROMMEL_KERNELS_RUN_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "kernels/layout.h"

namespace trommel::kernels {

// Bits of a slice's run string.
constexpr size_t RunStringBits(size_t num_slices) {
  return num_slices == 8 ? 32 : num_slices == 4 ? 64 : 38;
}
// The most keys of a block that is not promoted: the closing 1 needs a bit.
constexpr uint32_t RunCapacity(size_t num_slices) {
  return static_cast<uint32_t>(RunStringBits(num_slices)) - 1;
}
// 32-bit words of a block, presence and strings.
constexpr size_t RunBlockWords(size_t num_slices) { return num_slices > 8 ? 32 : 16; }
constexpr size_t PresenceWords(size_t num_slices) {
  return num_slices * SlicePositions(num_slices) / 32;
}

// A slice's presence bits, position = bit, from the block's presence words.
inline uint64_t SlicePresence(const uint32_t* presence, size_t slice_idx, size_t num_slices) {
  if (SlicePositions(num_slices) == 32) return presence[slice_idx];
  return presence[2 * slice_idx] | uint64_t{presence[2 * slice_idx + 1]} << 32;
}

// The run strings of a block, one per slice, in the words behind its presence words. High parts are
// read once, and written once, by Finish, when all strings have been put.
template <size_t kSlices>
class RunStrings {
 public:
  static constexpr size_t kBits = RunStringBits(kSlices);
  static constexpr uint64_t kFull = uint64_t{1} << (kBits - 1);  // the closing 1 of a full block

  explicit RunStrings(uint32_t* words) : words_(words) {
    if constexpr (kBits == 38) high_ = LoadHigh(words + kSlices);
  }

  uint64_t Get(size_t s) const {
    if constexpr (kBits == 64) {
      uint64_t runs;
      std::memcpy(&runs, words_ + 2 * s, sizeof(runs));
      return runs;
    }
    const uint64_t low = words_[s];
    if constexpr (kBits == 32) return low;
    return low | (high_ >> (6 * s) & 63) << 32;
  }

  // Are bits set that belong to no string (above the high parts)?
  bool HasStrayBits() const { return kBits == 38 && high_ >> (6 * kSlices) != 0; }

  // Each slice once, then Finish.
  void Put(size_t s, uint64_t runs) {
    if constexpr (kBits == 64) {
      std::memcpy(words_ + 2 * s, &runs, sizeof(runs));
    } else {
      words_[s] = static_cast<uint32_t>(runs);
      if constexpr (kBits == 38) new_high_ |= runs >> 32 << (6 * s);
    }
  }
  void Finish() {
    if constexpr (kBits == 38) {
      const auto high = static_cast<HighParts>(new_high_);
      std::memcpy(words_ + kSlices, &high, sizeof(high));
    }
  }

 private:
  // 10 parts of 6 bits fill a 64-bit number, 5 a 32-bit one.
  using HighParts = std::conditional_t<kSlices == 5, uint32_t, uint64_t>;

  static uint64_t LoadHigh(const uint32_t* words) {
    HighParts high;
    std::memcpy(&high, words, sizeof(high));
    return high;
  }

  uint32_t* words_;
  uint64_t high_ = 0;
  uint64_t new_high_ = 0;
};

// --- One block of a shape known at run time. `presence` points at its presence words, `counts` at
// the words behind them; counters are indexed as bits of the presence words.

bool IsPromotedRunBlock(const uint32_t* presence, const uint32_t* counts, size_t num_slices);

void MarkPromotedRunBlock(uint32_t* counts, size_t num_slices);

// The run strings, one per slice.
void UnpackRuns(const uint32_t* counts, size_t num_slices, std::span<uint64_t> runs);
void PackRuns(std::span<const uint64_t> runs, size_t num_slices, uint32_t* counts);

void DecodeRuns(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                std::span<uint64_t> counters);

// Can EncodeRuns encode these counters? Requires the same sum in every slice.
bool FitsRuns(std::span<const uint64_t> counters, size_t num_slices);

// Should a promoted block of so many keys return to runs? Stricter than FitsRuns, so that a block
// near the limit does not change with every other key; but not by much, because under churn every
// key of slack keeps more blocks promoted than necessary.
constexpr bool HasDrainedForRuns(uint64_t num_keys, size_t num_slices) {
  constexpr uint64_t kSlack = 2;
  return num_keys + kSlack <= RunCapacity(num_slices);
}

// The same from the block's counters.
bool HaveDrainedForRuns(std::span<const uint64_t> counters, size_t num_slices);

// Writes the block's presence and runs. Requires FitsRuns.
void EncodeRuns(std::span<const uint64_t> counters, size_t num_slices, uint32_t* presence,
                uint32_t* counts);

// The counter at one position. Requires a block that is not promoted.
uint32_t RunCountAt(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                    size_t slice_idx, uint32_t position);

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_RUN_BLOCK_H_
