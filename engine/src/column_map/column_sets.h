// Column sets: the columns of one fingerprint of one block, when they are not in the block's slots.
//
//   entry (64 bits)   | key, 24 | 0 | kind, 6 | hidden, 1 | payload, 32 |
//
//   key      the block's place in its group (6 bits), and the fingerprint (16 bits); never 0
//   hidden   the block has no slot for the fingerprint, and its flag is set; else it has a mark
//   kind     payload
//   0        one column, twice, or two, ascending
//   1 ..     a list: a record of size class kind - 1, of columns of 16 bits in ascending order; the
//            last one is repeated up to the record's end
//   63       a bitmap: a record with a bit per column
//
// A list that would take a bitmap's memory becomes one; a bitmap becomes a list again when that
// takes at most half of it. What becomes smaller stays in its record, which is shortened: so no
// removal needs memory.
//
// Readers read entries and records while a writer changes them: what they find may then be
// anything, and is not used (pair_store.h).
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_SETS_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_SETS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/column_map/record_arena.h"

namespace trommel {

class MapEntry {
 public:
  constexpr MapEntry() = default;
  explicit constexpr MapEntry(uint64_t bits) : bits_(bits) {}
  constexpr MapEntry(uint32_t key, bool is_hidden, uint32_t kind, uint32_t payload)
      : bits_(uint64_t{key} << 40 | uint64_t{kind} << 33 | uint64_t{is_hidden} << 32 | payload) {}

  constexpr uint64_t bits() const { return bits_; }
  constexpr bool is_free() const { return bits_ == 0; }
  constexpr uint32_t key() const { return static_cast<uint32_t>(bits_ >> 40); }
  constexpr uint32_t home() const { return key() >> 16; }
  constexpr uint32_t fingerprint() const { return key() & 0xffff; }
  constexpr bool is_hidden() const { return (bits_ >> 32 & 1) != 0; }
  constexpr uint32_t kind() const { return static_cast<uint32_t>(bits_ >> 33) & 63; }
  constexpr uint32_t payload() const { return static_cast<uint32_t>(bits_); }
  constexpr MapEntry With(bool is_hidden) const { return {key(), is_hidden, kind(), payload()}; }

  static constexpr uint32_t kInline = 0;
  static constexpr uint32_t kBitmap = 63;
  bool is_list() const { return kind() > kInline && kind() <= RecordArena::kBitmapClass; }
  uint32_t list_class() const { return kind() - 1; }

 private:
  uint64_t bits_ = 0;
};

class ColumnSets {
 public:
  // Sets of columns below num_columns.
  explicit ColumnSets(uint32_t num_columns)
      : num_words_((num_columns + 63) / 64), arena_(static_cast<uint32_t>(num_words_)) {
    scratch_.reserve(kPerWord * num_words_ + 1);  // a list is no longer than a bitmap
  }

  RecordArena& arena() { return arena_; }
  const RecordArena& arena() const { return arena_; }

  // --- Of the writer, one thread at a time.

  // An entry of these columns, which ascend; a free one if there is no memory. Requires at least
  // one column.
  [[nodiscard]] MapEntry Make(uint32_t key, bool is_hidden, std::span<const uint16_t> columns);
  void Free(MapEntry entry);
  // Calls visit(column) for the entry's columns in ascending order.
  template <class Visit>
  void ForEach(MapEntry entry, const Visit& visit) const;
  bool Contains(MapEntry entry, uint32_t column) const;
  size_t SizeOf(MapEntry entry) const;
  // The entry with one column more; a free one, and nothing has changed, if there is no memory.
  // Requires that it does not have the column.
  [[nodiscard]] MapEntry Add(MapEntry entry, uint32_t column);
  // The entry with one column less. Requires that it has it, and another.
  MapEntry Remove(MapEntry entry, uint32_t column);

  // --- Thread safety: any thread at any time.

  // Sets the bits of the entry's columns. Returns false if it is not an entry that anything was
  // written for.
  bool AddTo(MapEntry entry, std::span<uint64_t> columns) const;

 private:
  static constexpr size_t kPerWord = 4;  // columns of a list

  uint32_t WordsFor(size_t num_columns) const {
    return static_cast<uint32_t>((num_columns + kPerWord - 1) / kPerWord);
  }
  bool WantsBitmap(size_t num_columns) const {
    return WordsFor(num_columns) > 1 && arena_.WordsOf(arena_.ClassFor(WordsFor(num_columns))) >=
                                            arena_.WordsOf(RecordArena::kBitmapClass);
  }
  void ReadToScratch(MapEntry entry) {
    scratch_.clear();
    ForEach(entry, [this](uint16_t column) { scratch_.push_back(column); });
  }
  uint32_t MakeBitmap(std::span<const uint16_t> columns);
  // An entry of the columns in scratch_, fewer than before, in its record.
  MapEntry Shortened(MapEntry entry);
  void WriteList(std::span<const uint16_t> columns, uint32_t reference, uint32_t size_class);

  size_t num_words_;
  RecordArena arena_;
  std::vector<uint16_t> scratch_;  // columns of a list, or of what becomes one
};

template <class Visit>
void ColumnSets::ForEach(MapEntry entry, const Visit& visit) const {
  if (entry.kind() == MapEntry::kInline) {
    const auto first = static_cast<uint16_t>(entry.payload() >> 16);
    const auto second = static_cast<uint16_t>(entry.payload());
    visit(first);
    if (second != first) visit(second);
    return;
  }
  const uint64_t* const words = arena_.At(entry.payload());
  if (entry.kind() == MapEntry::kBitmap) {
    for (size_t w = 0; w < num_words_; ++w) {
      for (uint64_t bits = LoadWord(words + w); bits != 0; bits &= bits - 1) {
        visit(static_cast<uint16_t>(w * 64 + static_cast<size_t>(std::countr_zero(bits))));
      }
    }
    return;
  }
  const size_t size = size_t{arena_.WordsOf(entry.list_class())} * kPerWord;
  for (size_t i = 0; i < size; ++i) {
    const auto at = [words](size_t k) {
      return static_cast<uint16_t>(LoadWord(words + k / kPerWord) >> 16 * (k % kPerWord));
    };
    if (i > 0 && at(i) == at(i - 1)) break;
    visit(at(i));
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_SETS_H_
