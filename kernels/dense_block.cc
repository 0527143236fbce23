// Dense blocks and their overflow lines, key by key.
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

// Up to 64 bits of an array of words, from any bit on.
uint64_t ReadBits(const uint64_t* words, uint32_t first, uint32_t num_bits) {
  const uint32_t shift = first % 64;
  uint64_t bits = words[first / 64] >> shift;
  if (shift + num_bits > 64) bits |= words[first / 64 + 1] << (64 - shift);
  return bits & Below64(num_bits);
}
void WriteBits(uint64_t* words, uint32_t first, uint32_t num_bits, uint64_t bits) {
  const uint32_t shift = first % 64;
  words[first / 64] = (words[first / 64] & ~(Below64(num_bits) << shift)) | bits << shift;
  if (shift + num_bits > 64) {
    uint64_t& next = words[first / 64 + 1];
    next = (next & ~(Below64(num_bits) >> (64 - shift))) | bits >> (64 - shift);
  }
}

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

DenseBlock::DenseBlock(const DenseLayout& layout, const uint32_t* block) : layout_(layout) {
  const DenseShape& shape = layout.shape;
  const Words words = LoadWords(block);
  std::memcpy(low_bytes_.data(), words.data(), shape.slots);
  for (uint32_t i = 0; i < shape.num_planes(); ++i) {
    planes_[i] = ReadBits(words.data(), shape.slots * (8 + i), shape.slots);
  }
  const DenseWord last = DenseWord{words[7]} << 64 | words[6];
  const bool is_cut = (last & kCutBit) != 0;
  is_counted_ = (last & kCountedBit) != 0;
  is_spilled_ = is_cut && (last & kSpilledBit) != 0;
  const uint32_t length = shape.slots + shape.bins - (is_cut ? 1 : 0);
  ends_ = (last >> (shape.unary_begin() - kLastWords) & Below(length)) ^ Below(shape.bins);
  num_bins_ = CountOnes128(ends_);
  num_keys_ = Width(ends_) - num_bins_;
}

void DenseBlock::Store(uint32_t* block) const {
  const DenseShape& shape = layout_.shape;
  Words words{};
  std::memcpy(words.data(), low_bytes_.data(), shape.slots);
  for (uint32_t i = 0; i < shape.num_planes(); ++i) {
    WriteBits(words.data(), shape.slots * (8 + i), shape.slots, planes_[i]);
  }
  DenseWord last = (ends_ ^ Below(shape.bins)) << (shape.unary_begin() - kLastWords);
  if (is_cut()) last |= kCutBit | (is_spilled_ ? kSpilledBit : 0);
  if (is_counted_) last |= kCountedBit;
  words[6] |= static_cast<uint64_t>(last);
  words[7] |= static_cast<uint64_t>(last >> 64);
  StoreWords(words, block);
}

uint32_t DenseBlock::RemainderAt(uint32_t slot) const {
  uint32_t remainder = low_bytes_[slot];
  for (uint32_t i = 0; i < layout_.shape.num_planes(); ++i) {
    remainder |= static_cast<uint32_t>(planes_[i] >> slot & 1) << (8 + i);
  }
  return remainder;
}

uint32_t DenseBlock::Keys(std::span<uint32_t, kMaxDenseSlots> keys) const {
  uint32_t slot = 0;
  const auto decode = [&](uint64_t zeros, uint32_t first) {
    for (; zeros != 0; zeros &= zeros - 1, ++slot) {
      const uint32_t bin = first + static_cast<uint32_t>(std::countr_zero(zeros)) - slot;
      keys[slot] = bin << layout_.bits | RemainderAt(slot);
    }
  };
  const DenseWord zeros = ~ends_ & Below(num_keys_ + num_bins_);
  decode(static_cast<uint64_t>(zeros), 0);
  decode(static_cast<uint64_t>(zeros >> 64), 64);
  return slot;
}

// Of the bits before a bin's 1, `bin` are 1s and the others are slots.
DenseBlock::Slots DenseBlock::SlotsOf(uint32_t bin) const {
  const uint32_t first = bin == 0 ? 0 : Select(ends_, bin - 1) + 1 - bin;
  return {first, Select(ends_, bin) - bin};
}

uint32_t DenseBlock::CountOf(uint32_t key) const {
  const Slots slots = SlotsOf(layout_.BinOf(key));
  uint32_t count = 0;
  for (uint32_t i = slots.first; i < slots.end; ++i) {
    count += RemainderAt(i) == layout_.RemainderOf(key) ? 1 : 0;
  }
  return count;
}

int DenseBlock::Find(uint32_t key) const {
  const Slots slots = SlotsOf(layout_.BinOf(key));
  for (uint32_t i = slots.first; i < slots.end; ++i) {
    if (RemainderAt(i) == layout_.RemainderOf(key)) return static_cast<int>(i);
  }
  return -1;
}

uint32_t DenseBlock::Open(uint32_t key) {
  const uint32_t bin = layout_.BinOf(key);
  const uint32_t remainder = layout_.RemainderOf(key);
  const uint32_t end = Select(ends_, bin);
  const uint32_t slot = end - bin;
  std::copy_backward(low_bytes_.begin() + slot, low_bytes_.begin() + num_keys_,
                     low_bytes_.begin() + num_keys_ + 1);
  low_bytes_[slot] = static_cast<uint8_t>(remainder);
  for (uint32_t i = 0; i < layout_.shape.num_planes(); ++i) {
    planes_[i] = WithBit(planes_[i], slot, uint64_t{remainder >> (8 + i) & 1});
  }
  ends_ = WithBit(ends_, end, DenseWord{0});
  num_keys_ += 1;
  return slot;
}

void DenseBlock::Close(uint32_t slot, uint32_t bin) {
  std::copy(low_bytes_.begin() + slot + 1, low_bytes_.begin() + num_keys_,
            low_bytes_.begin() + slot);
  num_keys_ -= 1;
  low_bytes_[num_keys_] = 0;
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
  num_keys_ = Width(ends_) - bin;
  std::fill(low_bytes_.begin() + num_keys_, low_bytes_.end(), uint8_t{0});
  for (uint64_t& plane : planes_) plane &= Below64(num_keys_);
}

void DenseBlock::ShowBins(uint32_t end) {
  ends_ |= Below(end - num_bins_) << (num_keys_ + num_bins_);
  num_bins_ = end;
  if (!is_cut()) is_spilled_ = false;
}

// --- Lines.

namespace {

uint32_t TagPlanes(const DenseShape& shape) { return 16 * shape.line_entries(); }
constexpr uint32_t kEntryCount = kDenseBlockBits - kDenseEntryCountBits;

// `tag` and the key's bits from the 17th on, in one number.
uint32_t PlaneBits(const DenseEntry& entry) { return entry.tag | entry.key >> 16 << kDenseTagBits; }

}  // namespace

uint32_t NumDenseEntries(const uint32_t* line) { return LoadPresenceWord(line + 15) >> 27; }

DenseEntry DenseEntryAt(const DenseShape& shape, const uint32_t* line, uint32_t i) {
  const Words words = LoadWords(line);
  uint32_t bits = 0;
  for (uint32_t p = 0; p < kDenseTagBits + shape.high_bits(); ++p) {
    const uint32_t at = TagPlanes(shape) + p * shape.line_entries() + i;
    bits |= static_cast<uint32_t>(ReadBits(words.data(), at, 1)) << p;
  }
  const auto low = static_cast<uint32_t>(ReadBits(words.data(), 16 * i, 16));
  return {bits % (1U << kDenseTagBits), low | bits >> kDenseTagBits << 16};
}

namespace {

void WriteEntry(const DenseShape& shape, Words& words, uint32_t i, const DenseEntry& entry) {
  WriteBits(words.data(), 16 * i, 16, entry.key & 0xffff);
  for (uint32_t p = 0; p < kDenseTagBits + shape.high_bits(); ++p) {
    const uint32_t at = TagPlanes(shape) + p * shape.line_entries() + i;
    WriteBits(words.data(), at, 1, PlaneBits(entry) >> p & 1);
  }
}

}  // namespace

void SetDenseEntry(const DenseShape& shape, uint32_t* line, uint32_t i, const DenseEntry& entry) {
  Words words = LoadWords(line);
  WriteEntry(shape, words, i, entry);
  const uint32_t num_entries = std::max(NumDenseEntries(line), i + 1);
  WriteBits(words.data(), kEntryCount, kDenseEntryCountBits, num_entries);
  StoreWords(words, line);
}

void RemoveDenseEntry(const DenseShape& shape, uint32_t* line, uint32_t i) {
  Words words = LoadWords(line);
  const uint32_t last = NumDenseEntries(line) - 1;
  WriteEntry(shape, words, i, DenseEntryAt(shape, line, last));
  WriteEntry(shape, words, last, {0, 0});
  WriteBits(words.data(), kEntryCount, kDenseEntryCountBits, last);
  StoreWords(words, line);
}

uint32_t DenseEntriesOf(const DenseShape& shape, const uint32_t* line, uint32_t tag) {
  const Words words = LoadWords(line);
  uint64_t found = Below64(NumDenseEntries(line));
  for (uint32_t p = 0; p < kDenseTagBits; ++p) {
    const uint64_t plane =
        ReadBits(words.data(), TagPlanes(shape) + p * shape.line_entries(), shape.line_entries());
    found &= (tag >> p & 1) != 0 ? plane : ~plane;
  }
  return static_cast<uint32_t>(found);
}

}  // namespace trommel::kernels
