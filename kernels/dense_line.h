// The overflow lines of dense blocks (dense_layout.h), entry by entry.
#ifndef TROMMEL_KERNELS_DENSE_LINE_H_
#define TROMMEL_KERNELS_DENSE_LINE_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/dense_layout.h"
#include "kernels/presence_words.h"

namespace trommel::kernels {

// `line` has 16 words of 32 bits, and places for `num_entries`, the shape's line_entries.

struct DenseEntry {
  uint32_t tag;
  uint32_t key;
};

inline uint32_t NumDenseEntries(const uint32_t* line) { return LoadPresenceWord(line + 15) >> 27; }
DenseEntry DenseEntryAt(uint32_t num_entries, const uint32_t* line, uint32_t i);
// Replaces an entry, or adds one behind the last. Requires i <= the entries < num_entries.
void SetDenseEntry(uint32_t num_entries, uint32_t* line, uint32_t i, const DenseEntry& entry);
// The last entry takes the place of this one.
void RemoveDenseEntry(uint32_t num_entries, uint32_t* line, uint32_t i);

// The planes of a line of kNum entries, which are in its last three words of 64 bits, and its
// count.
//
//   bit 16 N: | tag, 5 N | high bits of keys, N each | .. | count |
template <uint32_t kNum>
class DensePlanes {
 public:
  // What the planes have of one entry, at entry 0.
  struct Column {
    Column operator^(const Column& other) const { return {tag ^ other.tag, high ^ other.high}; }

    DenseWord tag;
    uint64_t high;
  };

  explicit DensePlanes(const uint32_t* line) {
    const uint64_t w7 = LoadPresenceWord64(line + 14);
    const DenseWord last = DenseWord{w7} << 64 | LoadPresenceWord64(line + 12);
    tags_ = last << kInWord5;
    if (kInWord5 > 0) tags_ |= LoadPresenceWord64(line + 10) >> (64 - kInWord5) % 64;
    tags_ &= (DenseWord{1} << kDenseTagBits * kNum) - 1;
    high_ = static_cast<uint64_t>(last >> kHighBegin) & ((uint64_t{1} << kHighBits * kNum) - 1);
    size_ = static_cast<uint32_t>(w7 >> (64 - kDenseEntryCountBits));
  }
  void Store(uint32_t* line) const {
    if (kInWord5 > 0) {
      const uint64_t w5 = LoadPresenceWord64(line + 10) & ~uint64_t{0} >> kInWord5;
      StorePresenceWord64(w5 | static_cast<uint64_t>(tags_) << (64 - kInWord5) % 64, line + 10);
    }
    const DenseWord last = tags_ >> kInWord5 | DenseWord{high_} << kHighBegin |
                           DenseWord{size_} << (128 - kDenseEntryCountBits);
    StorePresenceWord64(static_cast<uint64_t>(last), line + 12);
    StorePresenceWord64(static_cast<uint64_t>(last >> 64), line + 14);
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
  // The entries with this tag and these high bits of a key.
  uint32_t Equal(const DenseEntry& entry) const {
    const DenseWord column = kTagColumns[entry.tag];
    const DenseWord unequal = tags_ ^ ((column << kNum) - column);  // each bit in a whole plane
    DenseWord any = unequal | unequal >> kNum;
    any |= any >> 2 * kNum;
    any |= unequal >> 4 * kNum;
    const uint64_t high = HighColumn(entry.key >> 16);
    for (uint32_t p = 0; p < kHighBits; ++p) {
      any |= (high_ ^ ((high << kNum) - high)) >> (p * kNum);
    }
    return ~static_cast<uint32_t>(any) & ((1U << size_) - 1);
  }

 private:
  static constexpr uint32_t kHighBits = kMaxLineEntries - kNum;
  // How many bits of the tags are in the sixth word, and where the high bits begin in the last two.
  static constexpr uint32_t kInWord5 = 16 * (kMaxLineEntries - kNum);
  static constexpr uint32_t kHighBegin = (16 + kDenseTagBits) * kNum - 384;
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

// The functions above, of lines of kNum entries.
template <uint32_t kNum>
struct DenseLineOf {
  using Planes = DensePlanes<kNum>;

  static uint32_t LowBitsAt(const uint32_t* line, uint32_t i) {
    return LoadPresenceWord(line + i / 2) >> (i % 2 * 16) & 0xffff;
  }
  static void SetLowBits(uint32_t* line, uint32_t i, uint32_t bits) {
    const uint32_t word = LoadPresenceWord(line + i / 2) & 0xffff0000U >> (i % 2 * 16);
    StorePresenceWord(word | (bits & 0xffff) << (i % 2 * 16), line + i / 2);
  }
  static uint32_t KeyAt(const uint32_t* line, uint32_t i) {
    return Planes(line).HighBitsAt(i) << 16 | LowBitsAt(line, i);
  }
  static DenseEntry At(const uint32_t* line, uint32_t i) {
    return {Planes(line).TagAt(i), KeyAt(line, i)};
  }
  static void Set(uint32_t* line, uint32_t i, const DenseEntry& entry) {
    Planes planes(line);
    planes.Flip(i, planes.At(i) ^ planes.Of(entry));
    planes.set_size(std::max(planes.size(), i + 1));
    planes.Store(line);
    SetLowBits(line, i, entry.key);
  }
  static void Remove(uint32_t* line, uint32_t i) {
    Planes planes(line);
    const uint32_t last = planes.size() - 1;
    const auto moved = planes.At(last);
    planes.Flip(i, planes.At(i) ^ moved);
    planes.Flip(last, moved);
    planes.set_size(last);
    planes.Store(line);
    SetLowBits(line, i, LowBitsAt(line, last));
    SetLowBits(line, last, 0);
  }
};

// The same of lines that have an entry in each word but the last.
template <>
struct DenseLineOf<kWordLineEntries> {
  static constexpr uint32_t kKeyBits = 32 - kDenseTagBits;

  static uint32_t WordOf(const DenseEntry& entry) { return entry.tag << kKeyBits | entry.key; }
  static uint32_t KeyAt(const uint32_t* line, uint32_t i) {
    return LoadPresenceWord(line + i) & ((1U << kKeyBits) - 1);
  }
  static DenseEntry At(const uint32_t* line, uint32_t i) {
    return {LoadPresenceWord(line + i) >> kKeyBits, KeyAt(line, i)};
  }
  static void Set(uint32_t* line, uint32_t i, const DenseEntry& entry) {
    StorePresenceWord(WordOf(entry), line + i);
    SetSize(line, std::max(NumDenseEntries(line), i + 1));
  }
  static void Remove(uint32_t* line, uint32_t i) {
    const uint32_t last = NumDenseEntries(line) - 1;
    StorePresenceWord(LoadPresenceWord(line + last), line + i);
    StorePresenceWord(0, line + last);
    SetSize(line, last);
  }

 private:
  static void SetSize(uint32_t* line, uint32_t size) {
    StorePresenceWord(size << (32 - kDenseEntryCountBits), line + 15);
  }
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_DENSE_LINE_H_
