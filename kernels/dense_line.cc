#include "kernels/dense_line.h"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/presence_words.h"

namespace trommel::kernels {

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
    tags_ &= (DenseWord{1} << kDenseTagBits * kNum) - 1;
    high_ = w7 >> kHighBegin & ((uint64_t{1} << kHighBits * kNum) - 1);
    size_ = static_cast<uint32_t>(w7 >> (64 - kDenseEntryCountBits));
  }
  void Store(uint32_t* line) const {
    if (kInWord5 > 0) {
      const uint64_t w5 = LoadPresenceWord64(line + 10) & ~uint64_t{0} >> kInWord5;
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
    return ~static_cast<uint32_t>(any) & ((1U << size_) - 1);
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
