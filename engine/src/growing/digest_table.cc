#include "engine/src/growing/digest_table.h"

#include <array>
#include <cstring>

#include "kernels/group_versions.h"

namespace trommel {
namespace {

// The number of strings in a line. (They are in front, but where a line ends cannot be predicted.)
size_t SizeOf(const uint64_t* words) {
  size_t size = 0;
  for (size_t w = 0; w < DigestTable::kLineWords; ++w) size += static_cast<size_t>(words[w] != 0);
  return size;
}

}  // namespace

DigestTable DigestTable::Make(uint64_t* memory, uint64_t num_lines) {
  std::memset(memory, 0, BytesOf(num_lines));
  memory[1] = num_lines;
  return DigestTable(memory);
}

void DigestTable::Insert(uint64_t string) {
  uint64_t line = HomeOf(string);
  size_t size = SizeOf(WordsOf(line));
  while (size == kLineWords) {
    line = Next(line);
    size = SizeOf(WordsOf(line));
  }
  Set(WordsOf(line) + size, string);  // one word: no query sees less than before
}

// Each string is moved about seven times while a table grows: sizes of lines are not counted anew.
void DigestTable::InsertAll(const DigestTable& from) {
  std::array<uint8_t, 1024> sizes{};
  if (num_lines() > sizes.size()) {
    from.ForEach([this](uint64_t string) { Insert(string); });
    return;
  }
  from.ForEach([&](uint64_t string) {
    uint64_t line = HomeOf(string);
    while (sizes[line] == kLineWords) line = Next(line);
    Set(WordsOf(line) + sizes[line], string);
    sizes[line] += 1;
  });
}

// The search for a string begins at its home and ends at a line that is not full; so a line that
// gets a free word must first take a string from behind, if one has its home there or before.
//
//   lines    | full | full - | full | 5 |     from a line that was full, each string behind it, up
//                     hole <---- x            to the first line that is not, may have passed it
uint64_t* DigestTable::LaterOneFor(uint64_t line) const {
  for (uint64_t later = Next(line), distance = 1; later != line; later = Next(later), ++distance) {
    uint64_t* words = WordsOf(later);
    const size_t size = SizeOf(words);
    for (size_t i = 0; i < size; ++i) {
      const uint64_t home = HomeOf(words[i]);
      const uint64_t from_home = later >= home ? later - home : later + num_lines() - home;
      if (from_home >= distance) return words + i;
    }
    if (size < kLineWords) return nullptr;
  }
  return nullptr;
}

void DigestTable::Erase(uint64_t string) {
  uint64_t line = HomeOf(string);
  uint64_t* hole = nullptr;
  while (hole == nullptr) {
    uint64_t* words = WordsOf(line);
    uint64_t* at = std::find(words, words + kLineWords, string);
    if (at != words + kLineWords) {
      hole = at;
    } else {
      line = Next(line);
    }
  }
  const kernels::GroupChange change(versions(), 0);
  for (;;) {
    uint64_t* words = WordsOf(line);
    const size_t size = SizeOf(words);
    uint64_t* last = words + size - 1;
    uint64_t* later = size == kLineWords ? LaterOneFor(line) : nullptr;
    if (later == nullptr) {
      Set(hole, *last);
      Set(last, 0);
      return;
    }
    Set(hole, *later);
    hole = later;
    line = static_cast<uint64_t>(later - WordsOf(0)) / kLineWords;
  }
}

bool DigestTable::Has(uint64_t string) const {
  if (memory_ == nullptr) return false;
  uint64_t line = HomeOf(string);
  for (uint64_t i = 0; i < num_lines(); ++i, line = Next(line)) {
    const uint64_t* words = WordsOf(line);
    bool is_in = false;
    for (size_t w = 0; w < kLineWords; ++w) is_in |= words[w] == string;
    if (is_in) return true;
    if (words[kLineWords - 1] == 0) return false;
  }
  return false;
}

}  // namespace trommel
