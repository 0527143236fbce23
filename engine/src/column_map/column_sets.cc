#include "engine/src/column_map/column_sets.h"

#include <algorithm>
#include <bit>

namespace trommel {

void ColumnSets::WriteList(std::span<const uint16_t> columns, uint32_t reference,
                           uint32_t size_class) {
  uint64_t* const words = arena_.At(reference);
  const size_t num_words = arena_.WordsOf(size_class);
  for (size_t w = 0; w < num_words; ++w) {
    uint64_t word = 0;
    for (size_t i = 0; i < kPerWord; ++i) {
      const size_t at = std::min(w * kPerWord + i, columns.size() - 1);
      word |= uint64_t{columns[at]} << 16 * i;
    }
    StoreWord(word, words + w);
  }
}

uint32_t ColumnSets::MakeBitmap(std::span<const uint16_t> columns) {
  const uint32_t reference = arena_.Allocate(RecordArena::kBitmapClass);
  if (reference == 0) return 0;
  uint64_t* const words = arena_.At(reference);
  size_t i = 0;
  for (size_t w = 0; w < num_words_; ++w) {
    uint64_t word = 0;
    for (; i < columns.size() && columns[i] / 64 == w; ++i) word |= uint64_t{1} << columns[i] % 64;
    StoreWord(word, words + w);
  }
  return reference;
}

MapEntry ColumnSets::Make(uint32_t key, bool is_hidden, std::span<const uint16_t> columns) {
  if (columns.size() <= 2) {
    const uint32_t payload = uint32_t{columns.front()} << 16 | columns.back();
    return {key, is_hidden, MapEntry::kInline, payload};
  }
  if (WantsBitmap(columns.size())) {
    const uint32_t bitmap = MakeBitmap(columns);
    return bitmap == 0 ? MapEntry() : MapEntry(key, is_hidden, MapEntry::kBitmap, bitmap);
  }
  const uint32_t size_class = arena_.ClassFor(WordsFor(columns.size()));
  const uint32_t reference = arena_.Allocate(size_class);
  if (reference == 0) return {};
  WriteList(columns, reference, size_class);
  return {key, is_hidden, size_class + 1, reference};
}

void ColumnSets::Free(MapEntry entry) {
  if (entry.kind() == MapEntry::kBitmap) arena_.Free(entry.payload(), RecordArena::kBitmapClass);
  if (entry.is_list()) arena_.Free(entry.payload(), entry.list_class());
}

bool ColumnSets::Contains(MapEntry entry, uint32_t column) const {
  if (entry.kind() == MapEntry::kInline) {
    return entry.payload() >> 16 == column || (entry.payload() & 0xffff) == column;
  }
  const uint64_t* const words = arena_.At(entry.payload());
  if (entry.kind() == MapEntry::kBitmap) {
    return (LoadWord(words + column / 64) >> column % 64 & 1) != 0;
  }
  size_t begin = 0;
  size_t end = size_t{arena_.WordsOf(entry.list_class())} * kPerWord;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    const uint64_t found = LoadWord(words + middle / kPerWord) >> 16 * (middle % kPerWord) & 0xffff;
    if (found == column) return true;
    if (found < column) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return false;
}

size_t ColumnSets::SizeOf(MapEntry entry) const {
  if (entry.kind() == MapEntry::kInline) {
    return entry.payload() >> 16 == (entry.payload() & 0xffff) ? 1 : 2;
  }
  const uint64_t* const words = arena_.At(entry.payload());
  size_t size = 0;
  if (entry.kind() == MapEntry::kBitmap) {
    for (size_t w = 0; w < num_words_; ++w) {
      size += static_cast<size_t>(std::popcount(LoadWord(words + w)));
    }
    return size;
  }
  // Columns ascend up to the first that is equal to the last.
  const size_t most = size_t{arena_.WordsOf(entry.list_class())} * kPerWord;
  const auto at = [words](size_t i) {
    return LoadWord(words + i / kPerWord) >> 16 * (i % kPerWord) & 0xffff;
  };
  const uint64_t last = at(most - 1);
  size_t begin = 0;
  size_t end = most - 1;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (at(middle) == last) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin + 1;
}

MapEntry ColumnSets::Add(MapEntry entry, uint32_t column) {
  if (entry.kind() == MapEntry::kBitmap) {
    uint64_t* const word = arena_.At(entry.payload()) + column / 64;
    StoreWord(LoadWord(word) | uint64_t{1} << column % 64, word);
    return entry;
  }
  ReadToScratch(entry);
  scratch_.insert(std::ranges::upper_bound(scratch_, column), static_cast<uint16_t>(column));
  if (entry.is_list() && !WantsBitmap(scratch_.size()) &&
      WordsFor(scratch_.size()) <= arena_.WordsOf(entry.list_class())) {
    WriteList(scratch_, entry.payload(), entry.list_class());
    return entry;
  }
  const MapEntry larger = Make(entry.key(), entry.is_hidden(), scratch_);
  if (!larger.is_free()) Free(entry);
  return larger;
}

MapEntry ColumnSets::Remove(MapEntry entry, uint32_t column) {
  if (entry.kind() == MapEntry::kBitmap) {
    uint64_t* const word = arena_.At(entry.payload()) + column / 64;
    StoreWord(LoadWord(word) & ~(uint64_t{1} << column % 64), word);
    const uint32_t words_of_list = arena_.WordsOf(arena_.ClassFor(WordsFor(SizeOf(entry))));
    if (2 * words_of_list > arena_.WordsOf(RecordArena::kBitmapClass)) return entry;
    ReadToScratch(entry);
    return Shortened(entry);
  }
  ReadToScratch(entry);
  scratch_.erase(std::ranges::lower_bound(scratch_, column));
  if (entry.is_list() && scratch_.size() > 2 &&
      2 * WordsFor(scratch_.size()) > arena_.WordsOf(entry.list_class())) {
    WriteList(scratch_, entry.payload(), entry.list_class());
    return entry;
  }
  return Shortened(entry);
}

MapEntry ColumnSets::Shortened(MapEntry entry) {
  if (scratch_.size() <= 2) {
    Free(entry);
    return Make(entry.key(), entry.is_hidden(), scratch_);  // without a record
  }
  const uint32_t size_class = arena_.ClassFor(WordsFor(scratch_.size()));
  const bool is_bitmap = entry.kind() == MapEntry::kBitmap;
  arena_.Shorten(entry.payload(), is_bitmap ? RecordArena::kBitmapClass : entry.list_class(),
                 size_class);
  WriteList(scratch_, entry.payload(), size_class);
  return {entry.key(), entry.is_hidden(), size_class + 1, entry.payload()};
}

bool ColumnSets::AddTo(MapEntry entry, std::span<uint64_t> columns) const {
  const auto add = [columns](uint64_t column) {
    if (column / 64 >= columns.size()) return false;
    columns[column / 64] |= uint64_t{1} << column % 64;
    return true;
  };
  if (entry.kind() == MapEntry::kInline) {
    return add(entry.payload() >> 16) && add(entry.payload() & 0xffff);
  }
  const bool is_bitmap = entry.kind() == MapEntry::kBitmap;
  // No list is longer than a bitmap: so what is read in doubt takes no longer, either.
  if (!is_bitmap && (!entry.is_list() || arena_.WordsOf(entry.list_class()) > num_words_)) {
    return false;
  }
  const uint32_t num_list_words =
      arena_.WordsOf(is_bitmap ? RecordArena::kBitmapClass : entry.list_class());
  const uint64_t* const words = arena_.Find(entry.payload(), num_list_words);
  if (words == nullptr) return false;
  if (is_bitmap) {
    for (size_t w = 0; w < num_words_; ++w) columns[w] |= LoadWord(words + w);
    return true;
  }
  for (size_t w = 0; w < num_list_words; ++w) {
    const uint64_t word = LoadWord(words + w);
    for (size_t i = 0; i < kPerWord; ++i) {
      if (!add(word >> 16 * i & 0xffff)) return false;
    }
  }
  return true;
}

}  // namespace trommel
