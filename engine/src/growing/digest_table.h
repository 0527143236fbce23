// DigestTable: the whole digests of a small shard, exactly. An open-addressing table of lines:
//
//   memory   | version, number of lines | line 0 | line 1 | ...
//   line     8 words: strings of 58 bits (kernels/growing_layout.h), in any order, in front of free
//   ones (0)
//
// A string's *home* is a line by its top bits. It is there, or, if that line is full, in the next
// one that was not; the last line is followed by the first. A line with a free word ends a search.
// A string is in the table once (the caller counts copies).
//
// Between 8 / 0.69 and 8 / 0.8 bytes per string while it grows, and 192 bytes.
//
// Queries may run beside one writer, by a version as in kernels/group_versions.h: it is odd while
// words move. A table that is replaced stays as it is.
#ifndef TROMMEL_ENGINE_SRC_GROWING_DIGEST_TABLE_H_
#define TROMMEL_ENGINE_SRC_GROWING_DIGEST_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/fingerprint_layout.h"
#include "kernels/group_versions.h"
#include "kernels/growing_layout.h"

namespace trommel {

// A view of a table in memory of its own. A null one is empty.
class DigestTable {
 public:
  static constexpr size_t kLineWords = kernels::kTableLineWords;

  // The lines of a new table for so many strings; what tables of so many lines take; and between
  // which numbers of strings a table should stay what it is.
  static uint64_t LinesFor(uint64_t num_strings) { return num_strings * 2 / 11 + 1; }
  static uint64_t BytesOf(uint64_t num_lines) { return (num_lines + 1) * 64; }
  static uint64_t MostStrings(uint64_t num_lines) { return num_lines * 32 / 5; }
  static uint64_t LeastStrings(uint64_t num_lines) { return num_lines * 7 / 2; }

  DigestTable() = default;
  explicit DigestTable(uint64_t* memory) : memory_(memory) {}
  // In this memory, of BytesOf(num_lines).
  static DigestTable Make(uint64_t* memory, uint64_t num_lines);

  uint64_t* memory() const { return memory_; }
  uint64_t num_lines() const { return memory_ == nullptr ? 0 : memory_[1]; }
  uint64_t num_bytes() const { return memory_ == nullptr ? 0 : BytesOf(num_lines()); }

  // Requires a free word at least, beside this one, and that the string is not in.
  void Insert(uint64_t string);
  // All of another one, into a new one.
  void InsertAll(const DigestTable& from);
  // Requires that it is in.
  void Erase(uint64_t string);
  bool Has(uint64_t string) const;
  // Calls use(string) for each, in no order.
  template <class Use>
  void ForEach(const Use& use) const {
    for (uint64_t w = 0; w < num_lines() * kLineWords; ++w) {
      if (const uint64_t string = WordsOf(0)[w]; string != 0) use(string);
    }
  }

  void Prefetch(uint64_t string) const {
    if (memory_ != nullptr) __builtin_prefetch(WordsOf(HomeOf(string)));
  }
  enum class Answer : uint8_t { kIn, kAbsent, kChanged };
  // kChanged: it did not find the string in what may be of different moments. Thread safety: beside
  // a writer.
  Answer Query(uint64_t string) const {
    if (memory_ == nullptr) return Answer::kAbsent;
    kernels::GroupReads<1> reads;
    reads.Add(0, versions(), 0);
    reads.Begin(0, 1);
    const uint64_t num_lines = this->num_lines();
    uint64_t line = HomeOf(string);
    for (uint64_t i = 0; i < num_lines; ++i, line = Next(line)) {
      const uint64_t* words = WordsOf(line);
      bool is_in = false;
      uint64_t last = 0;
      for (size_t w = 0; w < kLineWords; ++w) {
        last = __atomic_load_n(words + w, __ATOMIC_RELAXED);
        is_in |= last == string;
      }
      if (is_in) return Answer::kIn;
      if (last == 0) break;
    }
    return reads.Changed(0, 1) == 0 ? Answer::kAbsent : Answer::kChanged;
  }

 private:
  uint64_t HomeOf(uint64_t string) const { return kernels::TableHome(string, num_lines()); }
  uint64_t Next(uint64_t line) const { return line + 1 == num_lines() ? 0 : line + 1; }
  uint64_t* WordsOf(uint64_t line) const { return kernels::TableLine(memory_, line); }
  static void Set(uint64_t* word, uint64_t string) {
    __atomic_store_n(word, string, __ATOMIC_RELAXED);
  }
  kernels::FingerprintBlocks versions() const {
    return {.words = nullptr, .num_blocks = 0, .fingerprint_bits = 0, .versions = memory_};
  }
  // A string of a later line that may stand in this one, which has a free word: its word; null if
  // there is none.
  uint64_t* LaterOneFor(uint64_t line) const;

  uint64_t* memory_ = nullptr;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_DIGEST_TABLE_H_
