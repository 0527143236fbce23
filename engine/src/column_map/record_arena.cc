#include "engine/src/column_map/record_arena.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>
#include <vector>

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

void RecordArena::Free(uint32_t reference, uint32_t size_class) {
  PutFirst(reference, size_class);
  num_freed_ += WordsOf(size_class);
}

void RecordArena::Shorten(uint32_t reference, uint32_t size_class, uint32_t to_class) {
  const uint32_t num_words = WordsOf(to_class);
  const uint32_t num_freed = WordsOf(size_class) - num_words;
  PutWords(reference + num_words, num_freed);
  num_freed_ += num_freed;
}

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

void RecordArena::JoinFree() noexcept try {
  std::vector<std::pair<uint32_t, uint32_t>> records;  // reference and words
  for (uint32_t c = 0; c < kNumClasses; ++c) {
    for (uint32_t next = free_[c]; next != 0; next = static_cast<uint32_t>(LoadWord(At(next)))) {
      records.emplace_back(next, WordsOf(c));
    }
  }
  free_.fill(0);
  num_free_ = 0;
  num_freed_ = 0;
  std::ranges::sort(records);
  for (size_t i = 0; i < records.size();) {
    const uint32_t first = records[i].first;
    uint32_t end = first;
    for (; i < records.size() && records[i].first == end; ++i) end += records[i].second;
    PutWords(first, end - first);
  }
} catch (const std::bad_alloc&) {
  return;  // nothing has changed
}

// Much is free; and, so that insertions that are refused do not join records again and again, much
// was freed since they were joined.
bool RecordArena::IsWorthJoining() const {
  const uint64_t all_words = num_bytes() / sizeof(uint64_t);
  return num_free_ > all_words / 8 && (!was_refused_ || num_freed_ > all_words / 16);
}

// A quarter more than all before.
bool RecordArena::AddChunk(uint32_t num_words) noexcept {
  const uint64_t least = std::max<uint64_t>(kLeastWords, num_words + 1);
  const uint64_t quarter = num_bytes() / (4 * sizeof(uint64_t));
  was_refused_ = true;
  if (num_chunks_ == kMaxChunks) return false;
  const auto chunk_words =
      static_cast<uint32_t>(std::min<uint64_t>(std::max(least, quarter), kMaxOffset));
  auto* const chunk = new (std::nothrow) uint64_t[chunk_words]();
  if (chunk == nullptr) return false;
  was_refused_ = false;
  if (num_chunks_ != 0) {
    PutWords((num_chunks_ - 1) << kOffsetBits | used_words_, all_words_ - used_words_);
  }
  all_words_ = chunk_words;
  used_words_ = 1;
  chunk[0] = chunk_words;
  chunks_[num_chunks_].store(chunk, std::memory_order_release);
  ++num_chunks_;
  num_bytes_.Set(num_bytes() + chunk_words * sizeof(uint64_t));
  return true;
}

uint32_t RecordArena::Allocate(uint32_t size_class) noexcept {
  if (const uint32_t reference = TakeFree(size_class); reference != 0) return reference;
  const uint32_t num_words = WordsOf(size_class);
  if (all_words_ - used_words_ < num_words) {
    if (IsWorthJoining()) {
      JoinFree();
      if (const uint32_t reference = TakeFree(size_class); reference != 0) return reference;
    }
    if (!AddChunk(num_words)) return 0;
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
