// What a step of a growing shard moves: the codes of blocks to twice as many, or to half.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include "engine/src/growing/growing_shard.h"
#include "kernels/targets.h"

namespace trommel {
namespace {

using kernels::kWideSlots;

// A code gets the bit that says which half it was in. One of 15 bits loses its last one: then its
// last 1 stays where it is.
//
//   code of 15 bits   b b ... b b 1   -->  h b ... b 1     h: the half
//   shorter           b b ... 1 0 0   -->  h b ... b 1 0
uint32_t FoldedCode(uint32_t code, uint64_t half) {
  return static_cast<uint32_t>(half << 15) | code >> 1 | (code & 1);
}

// The common case of a block that is not marked, which takes part in the cost of each insertion:
// its codes go to two empty blocks, by their top bits. A code is stored at the end of both, and
// counts in one, because which one cannot be predicted. (At most 31 codes come before a code, so
// none is stored beyond a block.)
void DoubleOne(const uint32_t* block, uint32_t* to) {
  using Slot __attribute__((may_alias)) = uint16_t;
  auto* first = reinterpret_cast<Slot*>(to);
  auto* second = reinterpret_cast<Slot*>(to + kernels::kFingerprintBlockWords);
  std::array<uint32_t, kernels::kFingerprintBlockWords> words;
  std::memcpy(words.data(), block, sizeof(words));
  size_t num_first = 0;
  size_t num_second = 0;
  const auto store = [&](uint32_t code) {
    const auto rest = static_cast<uint16_t>(code << 1);
    const size_t is_second = code >> 15;
    first[num_first] = rest;
    second[num_second] = rest;
    num_first += static_cast<size_t>(code != 0) - is_second;
    num_second += is_second;
  };
  for (const uint32_t word : words) {
    store(word & 0xffff);
    store(word >> 16);
  }
  if (num_first < kWideSlots) first[num_first] = 0;
  if (num_second < kWideSlots) second[num_second] = 0;
}

// The common case of two blocks that are not marked and not counted, and whose codes all fit `to`,
// in any slots, and stay different. Returns false, and changes nothing, if it is another one.
bool FoldTwo(const uint32_t* first, const uint32_t* second, uint32_t* to) {
  if (kernels::IsMarkedGrowing(first) || kernels::IsMarkedGrowing(second)) return false;
  std::array<uint16_t, 2 * kWideSlots + 1> codes{};
  size_t size = 0;
  bool are_equal = false;  // two codes of a half, that differed in their last bits
  for (uint64_t half = 0; half < 2; ++half) {
    const uint32_t* block = half == 0 ? first : second;
    const size_t begin = size;
    for (size_t i = 0; i < kWideSlots; ++i) {
      const uint32_t code = kernels::WideSlot(block, i);
      const auto is_code = static_cast<uint8_t>(code != 0);
      codes[size] = static_cast<uint16_t>(code == 0 ? 0 : FoldedCode(code, half));
      size += is_code;
    }
    for (size_t i = begin + 1; i < size; ++i) {
      for (size_t j = begin; j < i; ++j) are_equal |= codes[i] == codes[j];
    }
  }
  if (size > kWideSlots || are_equal) return false;
  std::memcpy(to, codes.data(), kWideSlots * sizeof(uint16_t));
  return true;
}

}  // namespace

// Blocks 2b and 2b + 1 get what block b holds: the top bit of a code says which.
bool GrowingShard::MoveToDoubled(const Segment& from, uint64_t prefix, std::span<const Segment> to,
                                 BlockStrings& moved) const noexcept try {
  const uint64_t to_blocks = to[0].num_blocks();
  for (uint64_t b = 0; b < from.num_blocks(); ++b) {
    const uint32_t* block = from.BlockAt(b);
    if (!kernels::IsMarkedGrowing(block)) {
      DoubleOne(block, to[2 * b / to_blocks].BlockAt(2 * b % to_blocks));
      continue;
    }
    std::array<BlockContents, 2> halves;
    for (const BlockKey& entry : strings_.Read(from, b, prefix + b)) {
      halves[entry.key >> 15].push_back({entry.key << 1 & 0xffff, entry.count});
    }
    for (uint64_t half = 0; half < 2; ++half) {
      const uint64_t idx = 2 * b + half;
      if (!moved.Write(to[idx / to_blocks], idx % to_blocks, 2 * prefix + idx, halves[half])) {
        return false;
      }
    }
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

// Block b gets what blocks 2b and 2b + 1 hold.
bool GrowingShard::MoveToFolded(std::span<const Segment> from, uint64_t prefix, const Segment& to,
                                BlockStrings& moved, uint64_t& num_entries) const noexcept try {
  num_entries = num_entries_;
  const uint64_t from_blocks = from[0].num_blocks();
  for (uint64_t b = 0; b < to.num_blocks(); ++b) {
    const auto block_at = [&](uint64_t idx) {
      return from[idx / from_blocks].BlockAt(idx % from_blocks);
    };
    const auto is_counted = [&](uint64_t idx) {
      return from[idx / from_blocks].IsCounted(idx % from_blocks);
    };
    if (!is_counted(2 * b) && !is_counted(2 * b + 1) &&
        FoldTwo(block_at(2 * b), block_at(2 * b + 1), to.BlockAt(b))) {
      continue;
    }
    BlockContents contents;
    for (uint64_t half = 0; half < 2; ++half) {
      const uint64_t idx = 2 * b + half;
      const BlockContents of_half =
          strings_.Read(from[idx / from_blocks], idx % from_blocks, 2 * prefix + idx);
      num_entries -= of_half.size();
      for (const BlockKey& entry : of_half) {
        AddTo(contents, FoldedCode(entry.key, half), entry.count);
      }
    }
    num_entries += contents.size();
    if (!moved.Write(to, b, prefix + b, contents)) return false;
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool GrowingShard::MoveToBlocks(const Segment& segment, BlockStrings& moved,
                                uint64_t& num_entries) const noexcept try {
  const uint32_t depth = segment.depth();
  const auto insert_one = kernels::ChosenKernels().growing.insert_one;
  num_entries = 0;
  bool is_moved = true;
  const auto add = [&](uint64_t string, uint64_t count) {
    const uint64_t digest = uint64_t{shard_idx_} << (64 - kernels::kGrowingShardBits) |
                            string >> kernels::kGrowingShardBits;
    if (count == 1 && insert_one(digest, segment.word()) == kernels::OneFate::kDone) {
      num_entries += 1;
      return;
    }
    const uint64_t prefix = PrefixOf(string, depth);
    BlockContents contents = moved.Read(segment, prefix, prefix);
    const uint32_t code = CodeAt(string, depth);
    num_entries += uint64_t{CountIn(contents, code) == 0};
    AddTo(contents, code, count);
    is_moved = is_moved && moved.Write(segment, prefix, prefix, contents);
  };
  table_.ForEach([&](uint64_t string) { add(string, 1); });
  for (const auto& [string, count] : strings_.side()) add(string, count);
  return is_moved;
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace trommel
