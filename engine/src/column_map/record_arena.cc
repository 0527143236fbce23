#include "engine/src/column_map/record_arena.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"

namespace trommel {

RecordArena::~RecordArena() {
  for (uint32_t i = 0; i < num_chunks_; ++i) {
    delete[] chunks_[i].load(std::memory_order_relaxed);
  }
}

uint32_t RecordArena::ClassFor(uint32_t num_words) const {
  if (num_words <= 1) return 0;
  const auto k = static_cast<uint32_t>(std::bit_width(num_words - 1));  // 2^(k-1) < words <= 2^k
  const bool fits_three = k >= 2 && num_words <= 3U << (k - 2);
  return fits_three ? 2 * k - 2 : 2 * k - 1;
}

void RecordArena::PutFirst(uint32_t reference, uint32_t size_class) {
  StoreWord(free_[size_class], At(reference));
  free_[size_class] = reference;
  num_free_ += WordsOf(size_class);
}

void RecordArena::PutWords(uint32_t reference, uint32_t num_words) {
  while (num_words != 0) {
    uint32_t size_class = std::min(ClassFor(num_words), kBitmapClass - 1);
    if (WordsOf(size_class) > num_words) --size_class;
    PutFirst(reference, size_class);
    reference += WordsOf(size_class);
    num_words -= WordsOf(size_class);
  }
}

void RecordArena::Free(uint32_t reference, uint32_t size_class) { PutFirst(reference, size_class); }

// Of the list of its class, or the beginning of a record of the least class that has one.
uint32_t RecordArena::TakeFree(uint32_t size_class) {
  const uint32_t num_words = WordsOf(size_class);
  for (uint32_t c = size_class;;) {
    if (const uint32_t reference = free_[c]; reference != 0) {
      free_[c] = static_cast<uint32_t>(LoadWord(At(reference)));
      num_free_ -= WordsOf(c);
      PutWords(reference + num_words, WordsOf(c) - num_words);
      return reference;
    }
    c = c == kBitmapClass ? ClassFor(num_words) : c + 1;
    if (c == kBitmapClass) return 0;
  }
}

void RecordArena::JoinFree() {
  std::vector<std::pair<uint32_t, uint32_t>> records;  // reference and words
  for (uint32_t c = 0; c < kNumClasses; ++c) {
    for (uint32_t next = std::exchange(free_[c], 0); next != 0;) {
      records.emplace_back(next, WordsOf(c));
      next = static_cast<uint32_t>(LoadWord(At(next)));
    }
  }
  num_free_ = 0;
  std::ranges::sort(records);
  for (size_t i = 0; i < records.size();) {
    const uint32_t first = records[i].first;
    uint32_t end = first;
    for (; i < records.size() && records[i].first == end; ++i) end += records[i].second;
    PutWords(first, end - first);
  }
}

// A quarter more than all before.
void RecordArena::AddChunk(uint32_t num_words) {
  PutWords((num_chunks_ - 1) << kOffsetBits | used_words_, all_words_ - used_words_);
  TROMMEL_CHECK(num_chunks_ < kMaxChunks, "a map has too many records");
  const uint64_t quarter = num_bytes() / (4 * sizeof(uint64_t));
  const uint64_t wanted = std::max<uint64_t>({kLeastWords, num_words + 1, quarter});
  all_words_ = static_cast<uint32_t>(std::min<uint64_t>(wanted, kMaxOffset));
  used_words_ = 1;
  auto* const chunk = new uint64_t[all_words_]();
  chunk[0] = all_words_;
  chunks_[num_chunks_].store(chunk, std::memory_order_release);
  ++num_chunks_;
  num_bytes_.Set(num_bytes() + all_words_ * sizeof(uint64_t));
}

uint32_t RecordArena::Allocate(uint32_t size_class) {
  if (const uint32_t reference = TakeFree(size_class); reference != 0) return reference;
  const uint32_t num_words = WordsOf(size_class);
  if (all_words_ - used_words_ < num_words) {
    if (num_free_ * sizeof(uint64_t) > num_bytes() / 8) {
      JoinFree();
      if (const uint32_t reference = TakeFree(size_class); reference != 0) return reference;
    }
    AddChunk(num_words);
  }
  const uint32_t reference = (num_chunks_ - 1) << kOffsetBits | used_words_;
  used_words_ += num_words;
  return reference;
}

const uint64_t* RecordArena::Find(uint32_t reference, uint32_t num_words) const {
  const uint64_t* const chunk = chunks_[reference >> kOffsetBits].load(std::memory_order_acquire);
  const uint64_t offset = reference & kMaxOffset;
  if (chunk == nullptr || num_words == 0 || offset + num_words > chunk[0]) return nullptr;
  return chunk + offset;
}

}  // namespace trommel
