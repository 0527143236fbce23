// Dense blocks, key by key.
#include "kernels/dense_block.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/presence_words.h"
#include "kernels/run_slice.h"

namespace trommel::kernels {
namespace {

constexpr uint32_t kLastWords = 384;  // the unary string is in the last two words of 64 bits
constexpr DenseWord kCutBit = DenseWord{1} << 127;
constexpr DenseWord kCountedBit = DenseWord{1} << 126;
constexpr DenseWord kSpilledBit = DenseWord{1} << 125;

constexpr DenseWord Below(uint32_t num_bits) {
  return num_bits >= 128 ? ~DenseWord{0} : (DenseWord{1} << num_bits) - 1;
}
constexpr uint64_t Below64(uint32_t num_bits) {
  return num_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << num_bits) - 1;
}
uint32_t CountOnes128(DenseWord word) {
  return CountOnes(static_cast<uint64_t>(word)) + CountOnes(static_cast<uint64_t>(word >> 64));
}
uint32_t Width(DenseWord word) {
  const auto high = static_cast<uint64_t>(word >> 64);
  if (high != 0) return 64 + static_cast<uint32_t>(std::bit_width(high));
  return static_cast<uint32_t>(std::bit_width(static_cast<uint64_t>(word)));
}
// Where the k-th 1 is. Requires more than k.
uint32_t Select(DenseWord word, uint32_t k) {
  const auto low = static_cast<uint64_t>(word);
  const uint32_t num_low = CountOnes(low);
  if (k < num_low) return static_cast<uint32_t>(std::countr_zero(SelectOne(low, k)));
  const uint64_t one = SelectOne(static_cast<uint64_t>(word >> 64), k - num_low);
  return 64 + static_cast<uint32_t>(std::countr_zero(one));
}

// At most 64 bits of an array of words, from any bit on.
uint64_t ReadBits(const uint64_t* words, uint32_t first, uint32_t num_bits) {
  const uint32_t shift = first % 64;
  uint64_t bits = words[first / 64] >> shift;
  if (shift > 0 && shift + num_bits > 64) bits |= words[first / 64 + 1] << (64 - shift);
  return bits & Below64(num_bits);
}
void WriteBits(uint64_t* words, uint32_t first, uint32_t num_bits, uint64_t bits) {
  const uint32_t shift = first % 64;
  words[first / 64] = (words[first / 64] & ~(Below64(num_bits) << shift)) | bits << shift;
  if (shift > 0 && shift + num_bits > 64) {
    uint64_t& next = words[first / 64 + 1];
    next = (next & ~(Below64(num_bits) >> (64 - shift))) | bits >> (64 - shift);
  }
}

// What is where in blocks of a shape, by its slots.
struct Masks {
  DenseWord empty;   // the string of an empty block
  DenseWord string;  // of a block that is not cut
  uint32_t shift;    // of the string in the last two words of 64 bits
};
constexpr auto kMasks = [] {
  std::array<Masks, kMaxDenseSlots + 1> masks{};
  for (const DenseShape& shape : kDenseShapes) {
    masks[shape.slots] = {.empty = Below(shape.bins),
                          .string = Below(shape.slots + shape.bins),
                          .shift = shape.unary_begin() - kLastWords};
  }
  return masks;
}();

using Words = std::array<uint64_t, 8>;

Words LoadWords(const uint32_t* block) {
  Words words;
  for (size_t i = 0; i < words.size(); ++i) words[i] = LoadPresenceWord64(block + 2 * i);
  return words;
}
void StoreWords(const Words& words, uint32_t* block) {
  for (size_t i = 0; i < words.size(); ++i) StorePresenceWord64(words[i], block + 2 * i);
}

// The words of a string with a bit more or less at `at`: what is above moves.
template <class Word>
Word WithBit(Word word, uint32_t at, Word bit) {
  const Word below = (Word{1} << at) - 1;
  return (word & below) | (word & ~below) << 1 | bit << at;
}
template <class Word>
Word WithoutBit(Word word, uint32_t at) {
  const Word below = (Word{1} << at) - 1;
  return (word & below) | (word >> 1 & ~below);
}

}  // namespace

DenseBlock::DenseBlock(const DenseLayout& layout, const uint32_t* block)
    : layout_(layout), bytes_{} {
  const DenseShape& shape = layout.shape;
  const Words words = LoadWords(block);
  const Masks& masks = kMasks[shape.slots];
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  for (uint32_t i = 0; i < shape.num_bytes(); ++i) {
    std::memcpy(bytes_[i].data(), bytes + size_t{i} * shape.slots, shape.slots);
  }
  for (uint32_t i = 0; i < shape.num_planes(); ++i) {
    planes_[i] = ReadBits(words.data(), shape.plane_begin(i), shape.slots);
  }
  const DenseWord last = DenseWord{words[7]} << 64 | words[6];
  const bool is_cut = (last & kCutBit) != 0;
  is_counted_ = (last & kCountedBit) != 0;
  is_spilled_ = is_cut && (last & kSpilledBit) != 0;
  ends_ = (last >> masks.shift & masks.string >> (is_cut ? 1 : 0)) ^ masks.empty;
  num_bins_ = CountOnes128(ends_);
  num_keys_ = Width(ends_) - num_bins_;
}

void DenseBlock::Store(uint32_t* block) const {
  const DenseShape& shape = layout_.shape;
  Words words{};
  auto* bytes = reinterpret_cast<uint8_t*>(words.data());
  for (uint32_t i = 0; i < shape.num_bytes(); ++i) {
    std::memcpy(bytes + size_t{i} * shape.slots, bytes_[i].data(), shape.slots);
  }
  for (uint32_t i = 0; i < shape.num_planes(); ++i) {
    WriteBits(words.data(), shape.plane_begin(i), shape.slots, planes_[i]);
  }
  const Masks& masks = kMasks[shape.slots];
  DenseWord last = (ends_ ^ masks.empty) << masks.shift;
  if (is_cut()) last |= kCutBit | (is_spilled_ ? kSpilledBit : 0);
  if (is_counted_) last |= kCountedBit;
  words[6] |= static_cast<uint64_t>(last);
  words[7] |= static_cast<uint64_t>(last >> 64);
  StoreWords(words, block);
}

uint32_t DenseBlock::RemainderAt(uint32_t slot) const {
  uint32_t remainder = bytes_[0][slot] | uint32_t{bytes_[1][slot]} << 8;
  for (uint32_t i = 0; i < layout_.shape.num_planes(); ++i) {
    remainder |= static_cast<uint32_t>(planes_[i] >> slot & 1)
                 << (8 * layout_.shape.num_bytes() + i);
  }
  return remainder;
}

uint32_t DenseBlock::Keys(std::span<uint32_t, kMaxDenseSlots> keys) const {
  const uint32_t num_planes = layout_.shape.num_planes();
  const uint32_t plane_bit = 8 * layout_.shape.num_bytes();
  uint32_t slot = 0;
  const auto decode = [&](uint64_t zeros, uint32_t first) {
    for (; zeros != 0; zeros &= zeros - 1, ++slot) {
      const uint32_t bin = first + static_cast<uint32_t>(std::countr_zero(zeros)) - slot;
      keys[slot] = bin << layout_.bits | bytes_[0][slot] | uint32_t{bytes_[1][slot]} << 8;
    }
  };
  const DenseWord zeros = ~ends_ & Below(num_keys_ + num_bins_);
  decode(static_cast<uint64_t>(zeros), 0);
  decode(static_cast<uint64_t>(zeros >> 64), 64);
  for (uint32_t i = 0; i < num_planes; ++i) {
    const uint64_t plane = planes_[i];
    for (uint32_t k = 0; k < slot; ++k) {
      keys[k] |= static_cast<uint32_t>(plane >> k & 1) << (plane_bit + i);
    }
  }
  return slot;
}

uint32_t DenseBlock::BinAt(uint32_t slot) const { return Select(~ends_, slot) - slot; }

// Few slots have the low byte of one that is as near as slots of one bin are.
uint64_t DenseBlock::Copies() const {
  uint64_t copies = 0;
  DenseWord runs = ~ends_ & Below(num_keys_ + num_bins_);  // the last of each `distance` 0s
  for (uint32_t distance = 1; (runs &= runs << 1) != 0; ++distance) {
    std::array<uint64_t, 8> words;
    std::array<uint8_t, 64> equal{};
    for (uint32_t i = distance; i < kMaxDenseSlots; ++i) {
      equal[i] = bytes_[0][i] == bytes_[0][i - distance] ? 1 : 0;
    }
    std::memcpy(words.data(), equal.data(), equal.size());
    if (std::ranges::all_of(words, [](uint64_t word) { return word == 0; })) continue;
    for (uint32_t w = 0; w < words.size(); ++w) {
      for (uint64_t left = words[w]; left != 0; left &= left - 1) {
        const uint32_t slot = 8 * w + static_cast<uint32_t>(std::countr_zero(left)) / 8;
        if (slot >= num_keys_ || RemainderAt(slot) != RemainderAt(slot - distance)) continue;
        if (BinAt(slot) == BinAt(slot - distance)) copies |= uint64_t{1} << slot;
      }
    }
  }
  return copies;
}

// Of the bits before a bin's 1, `bin` are 1s and the others are slots.
DenseBlock::Slots DenseBlock::SlotsOf(uint32_t bin) const {
  const uint32_t first = bin == 0 ? 0 : Select(ends_, bin - 1) + 1 - bin;
  return {first, Select(ends_, bin) - bin};
}

uint64_t DenseBlock::EqualBytes(size_t i, uint32_t byte) const {
  std::array<uint64_t, 8> words;
  std::array<uint8_t, 64> bytes;
  for (size_t k = 0; k < bytes.size(); ++k) {
    bytes[k] = bytes_[i][k] == static_cast<uint8_t>(byte) ? 1 : 0;
  }
  std::memcpy(words.data(), bytes.data(), sizeof(words));
  uint64_t equal = 0;
  for (size_t w = 0; w < words.size(); ++w) {
    equal |= words[w] * 0x0102040810204080 >> 56 << (8 * w);  // the product gathers bits
  }
  return equal;
}

uint64_t DenseBlock::Equal(uint32_t remainder) const {
  const DenseShape& shape = layout_.shape;
  uint64_t equal = EqualBytes(0, remainder & 0xff);
  if (shape.num_bytes() == 2) equal &= EqualBytes(1, remainder >> 8 & 0xff);
  for (uint32_t i = 0; i < shape.num_planes(); ++i) {
    equal &= ~(planes_[i] ^ (0 - uint64_t{remainder >> (8 * shape.num_bytes() + i) & 1}));
  }
  return equal & Below64(num_keys_);
}

uint32_t DenseBlock::CountOf(uint32_t key) const {
  const Slots slots = SlotsOf(layout_.BinOf(key));
  const uint64_t equal = Equal(layout_.RemainderOf(key));
  return CountOnes(equal & Below64(slots.end) & ~Below64(slots.first));
}

// The 0 of a slot of the bin has as many 1s below as bins are.
int DenseBlock::Find(uint32_t key) const {
  const uint32_t bin = layout_.BinOf(key);
  for (uint64_t left = Equal(layout_.RemainderOf(key)); left != 0; left &= left - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(left));
    const bool is_zero = (ends_ >> (slot + bin) & 1) == 0;
    if (is_zero && CountOnes128(ends_ & Below(slot + bin)) == bin) return static_cast<int>(slot);
  }
  return -1;
}

void DenseBlock::MoveBytes(uint32_t from, uint32_t to) {
  for (uint32_t i = 0; i < layout_.shape.num_bytes(); ++i) {
    std::array<uint8_t, kMaxDenseSlots + 1> moved;
    std::memcpy(moved.data(), bytes_[i].data() + from, moved.size());
    std::memcpy(bytes_[i].data() + to, moved.data(), moved.size());
  }
}

uint32_t DenseBlock::Open(uint32_t key) {
  const uint32_t bin = layout_.BinOf(key);
  const uint32_t remainder = layout_.RemainderOf(key);
  const uint32_t end = bin + 1 == num_bins_ ? num_keys_ + bin : Select(ends_, bin);
  const uint32_t slot = end - bin;
  MoveBytes(slot, slot + 1);
  bytes_[0][slot] = static_cast<uint8_t>(remainder);
  if (layout_.shape.num_bytes() == 2) bytes_[1][slot] = static_cast<uint8_t>(remainder >> 8);
  for (uint32_t i = 0; i < layout_.shape.num_planes(); ++i) {
    const uint32_t bit = remainder >> (8 * layout_.shape.num_bytes() + i) & 1;
    planes_[i] = WithBit(planes_[i], slot, uint64_t{bit});
  }
  ends_ = WithBit(ends_, end, DenseWord{0});
  num_keys_ += 1;
  return slot;
}

void DenseBlock::Close(uint32_t slot, uint32_t bin) {
  MoveBytes(slot + 1, slot);
  num_keys_ -= 1;
  for (uint32_t i = 0; i < layout_.shape.num_planes(); ++i) {
    planes_[i] = WithoutBit(planes_[i], slot);
  }
  ends_ = WithoutBit(ends_, slot + bin);
}

uint32_t DenseBlock::LastBin() const {
  const DenseWord zeros = ~ends_ & Below(Width(ends_));
  return CountOnes128(ends_ & Below(Width(zeros)));
}

void DenseBlock::CutAt(uint32_t bin) {
  ends_ &= Below(bin == 0 ? 0 : Select(ends_, bin - 1) + 1);
  num_bins_ = bin;
  const uint32_t end = num_keys_;
  num_keys_ = Width(ends_) - bin;
  for (uint32_t i = num_keys_; i < end; ++i) bytes_[0][i] = bytes_[1][i] = 0;
  for (uint32_t i = 0; i < layout_.shape.num_planes(); ++i) planes_[i] &= Below64(num_keys_);
}

void DenseBlock::ShowBins(uint32_t end) {
  ends_ |= Below(end - num_bins_) << (num_keys_ + num_bins_);
  num_bins_ = end;
  if (!is_cut()) is_spilled_ = false;
}

}  // namespace trommel::kernels
