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
constexpr uint32_t kSlotWords = 4;  // at least, that are slots alone

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
  for (uint32_t i = 0; i < words.size(); ++i) {
    const uint64_t slots =
        i < kSlotWords ? words[i] : words[i] & Below64(std::max(8 * shape.slots, 64 * i) - 64 * i);
    std::memcpy(low_bytes_.data() + 8 * i, &slots, sizeof(slots));
  }
  std::memset(low_bytes_.data() + sizeof(words), 0, low_bytes_.size() - sizeof(words));
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
  Words words;
  std::memcpy(words.data(), low_bytes_.data(), sizeof(words));
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

uint32_t DenseBlock::BinAt(uint32_t slot) const { return Select(~ends_, slot) - slot; }

// Few slots have the low byte of one that is as near as slots of one bin are.
uint64_t DenseBlock::Copies() const {
  uint64_t copies = 0;
  DenseWord runs = ~ends_ & Below(num_keys_ + num_bins_);  // the last of each `distance` 0s
  for (uint32_t distance = 1; (runs &= runs << 1) != 0; ++distance) {
    std::array<uint64_t, 8> words;
    std::array<uint8_t, 64> equal{};
    for (uint32_t i = distance; i < kMaxDenseSlots; ++i) {
      equal[i] = low_bytes_[i] == low_bytes_[i - distance] ? 1 : 0;
    }
    std::memcpy(words.data(), equal.data(), equal.size());
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

uint64_t DenseBlock::Equal(uint32_t remainder) const {
  std::array<uint64_t, 8> words;
  std::array<uint8_t, 64> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = low_bytes_[i] == static_cast<uint8_t>(remainder) ? 1 : 0;
  }
  std::memcpy(words.data(), bytes.data(), sizeof(words));
  uint64_t equal = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    equal |= words[i] * 0x0102040810204080 >> 56 << (8 * i);  // the product gathers bits
  }
  for (uint32_t i = 0; i < layout_.shape.num_planes(); ++i) {
    equal &= ~(planes_[i] ^ (0 - uint64_t{remainder >> (8 + i) & 1}));
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
  std::array<uint8_t, kMaxDenseSlots + 1> moved;
  std::memcpy(moved.data(), low_bytes_.data() + from, moved.size());
  std::memcpy(low_bytes_.data() + to, moved.data(), moved.size());
}

uint32_t DenseBlock::Open(uint32_t key) {
  const uint32_t bin = layout_.BinOf(key);
  const uint32_t remainder = layout_.RemainderOf(key);
  const uint32_t end = bin + 1 == num_bins_ ? num_keys_ + bin : Select(ends_, bin);
  const uint32_t slot = end - bin;
  MoveBytes(slot, slot + 1);
  low_bytes_[slot] = static_cast<uint8_t>(remainder);
  for (uint32_t i = 0; i < layout_.shape.num_planes(); ++i) {
    planes_[i] = WithBit(planes_[i], slot, uint64_t{remainder >> (8 + i) & 1});
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
  for (uint32_t i = num_keys_; i < end; ++i) low_bytes_[i] = 0;
  for (uint32_t i = 0; i < layout_.shape.num_planes(); ++i) planes_[i] &= Below64(num_keys_);
}

void DenseBlock::ShowBins(uint32_t end) {
  ends_ |= Below(end - num_bins_) << (num_keys_ + num_bins_);
  num_bins_ = end;
  if (!is_cut()) is_spilled_ = false;
}

// --- Lines.

namespace {

// The planes of a line of kNum entries, which are in its last three words of 64 bits, and its
// count.
//
//   bit 16 N: | tag, 5 N | high bits of keys, N each | .. | count |
template <uint32_t kNum>
class LinePlanes {
 public:
  // What the planes have of one entry, at entry 0.
  struct Column {
    Column operator^(const Column& other) const { return {tag ^ other.tag, high ^ other.high}; }

    DenseWord tag;
    uint64_t high;
  };

  explicit LinePlanes(const uint32_t* line) {
    const uint64_t w7 = LoadPresenceWord64(line + 14);
    const DenseWord last = DenseWord{w7} << 64 | LoadPresenceWord64(line + 12);
    tags_ = last << kInWord5;
    if (kInWord5 > 0) tags_ |= LoadPresenceWord64(line + 10) >> (64 - kInWord5) % 64;
    tags_ &= Below(kDenseTagBits * kNum);
    high_ = w7 >> kHighBegin & Below64(kHighBits * kNum);
    size_ = static_cast<uint32_t>(w7 >> (64 - kDenseEntryCountBits));
  }
  void Store(uint32_t* line) const {
    if (kInWord5 > 0) {
      const uint64_t w5 = LoadPresenceWord64(line + 10) & Below64(64 - kInWord5);
      StorePresenceWord64(w5 | static_cast<uint64_t>(tags_) << (64 - kInWord5) % 64, line + 10);
    }
    const DenseWord last = tags_ >> kInWord5;
    const uint64_t w7 = static_cast<uint64_t>(last >> 64) | high_ << kHighBegin |
                        uint64_t{size_} << (64 - kDenseEntryCountBits);
    StorePresenceWord64(static_cast<uint64_t>(last), line + 12);
    StorePresenceWord64(w7, line + 14);
  }

  uint32_t size() const { return size_; }
  void set_size(uint32_t size) { size_ = size; }
  Column At(uint32_t i) const {
    return {tags_ >> i & kTagColumns.back(), high_ >> i & HighColumn(~uint32_t{0})};
  }
  static Column Of(const DenseEntry& entry) {
    return {kTagColumns[entry.tag], HighColumn(entry.key >> 16)};
  }
  // Changes the bits of an entry that are 1s.
  void Flip(uint32_t i, const Column& column) {
    tags_ ^= column.tag << i;
    high_ ^= column.high << i;
  }
  uint32_t TagAt(uint32_t i) const {
    uint32_t tag = 0;
    for (uint32_t p = 0; p < kDenseTagBits; ++p) {
      tag |= static_cast<uint32_t>(tags_ >> (p * kNum + i) & 1) << p;
    }
    return tag;
  }
  uint32_t HighBitsAt(uint32_t i) const {
    uint32_t bits = 0;
    for (uint32_t p = 0; p < kHighBits; ++p) {
      bits |= static_cast<uint32_t>(high_ >> (p * kNum + i) & 1) << p;
    }
    return bits;
  }
  // The entries with this tag.
  uint32_t Equal(uint32_t tag) const {
    const DenseWord column = kTagColumns[tag];
    const DenseWord unequal = tags_ ^ ((column << kNum) - column);  // each bit in a whole plane
    DenseWord any = unequal | unequal >> kNum;
    any |= any >> 2 * kNum;
    any |= unequal >> 4 * kNum;
    return ~static_cast<uint32_t>(any) & static_cast<uint32_t>(Below64(size_));
  }

 private:
  static constexpr uint32_t kHighBits = kMaxLineEntries - kNum;
  // How many bits of the tags are in the sixth word, and where the high bits begin in the last.
  static constexpr uint32_t kInWord5 = 16 * (kMaxLineEntries - kNum);
  static constexpr uint32_t kHighBegin = (16 + kDenseTagBits) * kNum - 448;
  // The bits of each tag at entry 0.
  static constexpr auto kTagColumns = [] {
    std::array<DenseWord, 1 << kDenseTagBits> columns{};
    for (uint32_t tag = 0; tag < columns.size(); ++tag) {
      for (uint32_t p = 0; p < kDenseTagBits; ++p) {
        columns[tag] |= DenseWord{tag >> p & 1} << (p * kNum);
      }
    }
    return columns;
  }();
  static uint64_t HighColumn(uint32_t bits) {
    uint64_t column = 0;
    for (uint32_t p = 0; p < kHighBits; ++p) column |= uint64_t{bits >> p & 1} << (p * kNum);
    return column;
  }

  DenseWord tags_;
  uint64_t high_;
  uint32_t size_;
};

// Calls use(planes) with those of the line.
template <class Use>
auto WithPlanes(uint32_t num_entries, const uint32_t* line, const Use& use) {
  static_assert(kMinLineEntries == 22 && kMaxLineEntries == 24);
  if (num_entries == 24) return use(LinePlanes<24>(line));
  if (num_entries == 23) return use(LinePlanes<23>(line));
  return use(LinePlanes<22>(line));
}

// The low 16 bits of keys.
uint32_t LowBitsAt(const uint32_t* line, uint32_t i) {
  return LoadPresenceWord(line + i / 2) >> (i % 2 * 16) & 0xffff;
}
void SetLowBits(uint32_t* line, uint32_t i, uint32_t bits) {
  const uint32_t word = LoadPresenceWord(line + i / 2) & 0xffff0000U >> (i % 2 * 16);
  StorePresenceWord(word | (bits & 0xffff) << (i % 2 * 16), line + i / 2);
}

}  // namespace

uint32_t NumDenseEntries(const uint32_t* line) { return LoadPresenceWord(line + 15) >> 27; }

DenseEntry DenseEntryAt(uint32_t num_entries, const uint32_t* line, uint32_t i) {
  return WithPlanes(num_entries, line, [=](const auto& planes) {
    return DenseEntry{planes.TagAt(i), planes.HighBitsAt(i) << 16 | LowBitsAt(line, i)};
  });
}

void SetDenseEntry(uint32_t num_entries, uint32_t* line, uint32_t i, const DenseEntry& entry) {
  WithPlanes(num_entries, line, [=](auto planes) {
    planes.Flip(i, planes.At(i) ^ planes.Of(entry));
    planes.set_size(std::max(planes.size(), i + 1));
    planes.Store(line);
  });
  SetLowBits(line, i, entry.key);
}

void RemoveDenseEntry(uint32_t num_entries, uint32_t* line, uint32_t i) {
  const uint32_t last = NumDenseEntries(line) - 1;
  WithPlanes(num_entries, line, [=](auto planes) {
    const auto moved = planes.At(last);
    planes.Flip(i, planes.At(i) ^ moved);
    planes.Flip(last, moved);
    planes.set_size(last);
    planes.Store(line);
  });
  SetLowBits(line, i, LowBitsAt(line, last));
  SetLowBits(line, last, 0);
}

DenseTagged DenseEntriesOf(uint32_t num_entries, const uint32_t* line, uint32_t tag) {
  return WithPlanes(num_entries, line, [=](const auto& planes) {
    DenseTagged tagged;
    for (uint32_t left = planes.Equal(tag); left != 0; left &= left - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(left));
      tagged.entries[tagged.size++] = {i, planes.HighBitsAt(i) << 16 | LowBitsAt(line, i)};
    }
    return tagged;
  });
}

}  // namespace trommel::kernels
