// Zeroed memory that is aligned to cache lines and lies on huge pages where the system gives them.
#ifndef TROMMEL_ENGINE_SRC_BASE_BLOCK_MEMORY_H_
#define TROMMEL_ENGINE_SRC_BASE_BLOCK_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <span>
#include <type_traits>
#include <utility>

#include "trommel/result.h"

namespace trommel {

// Owns an array of words. With pages of 4 KiB, random access to gigabytes costs a page walk per
// cache line, which at 30 M keys is about as much as the line itself: so large arrays request huge
// pages.
class BlockMemory {
 public:
  BlockMemory() noexcept = default;
  // All words zero. Fails with kOutOfMemory if the system refuses.
  static Result<BlockMemory> Allocate(uint64_t num_words);

  BlockMemory(BlockMemory&& other) noexcept;
  BlockMemory& operator=(BlockMemory&& other) noexcept;
  ~BlockMemory();

  uint32_t* data() const noexcept { return words_; }
  uint64_t num_words() const noexcept { return num_words_; }
  uint64_t num_bytes() const noexcept { return num_words_ * sizeof(uint32_t); }
  std::span<const std::byte> bytes() const noexcept;

  // Zeroes all words.
  void Clear() noexcept;

  // How many of the bytes are on huge pages at this moment, by HugePageBytesIn; 0 where the system
  // does not report it.
  uint64_t HugePageBytes() const;

 private:
  void* mapping_ = nullptr;  // as mapped, larger than the words by the alignment
  size_t mapping_bytes_ = 0;
  uint32_t* words_ = nullptr;
  uint64_t num_words_ = 0;
};

// Memory for the duration of one batch: 40 MB of ordinary pages would be 10,000 page faults.
template <class T>
class ScratchArray {
  static_assert(std::is_trivial_v<T>, "elements begin as zeroed bytes");

 public:
  ScratchArray() = default;  // of no elements: takes no memory
  // Zeroed. Where the system refuses the memory, ok() is false.
  explicit ScratchArray(size_t size) {
    const uint64_t num_words = (size * sizeof(T) + sizeof(uint32_t) - 1) / sizeof(uint32_t);
    Result<BlockMemory> memory = BlockMemory::Allocate(num_words == 0 ? 1 : num_words);
    is_ok_ = memory.ok();
    if (!is_ok_) return;
    memory_ = *std::move(memory);
    size_ = size;
  }

  bool ok() const noexcept { return is_ok_; }
  size_t size() const noexcept { return size_; }
  std::span<T> span() noexcept { return {reinterpret_cast<T*>(memory_.data()), size_}; }

 private:
  BlockMemory memory_;
  size_t size_ = 0;
  bool is_ok_ = true;
};

// Of the addresses [begin, end): the bytes on huge pages, from a text in the format of
// /proc/self/smaps. The kernel reports huge pages per mapping and joins neighbouring mappings: of a
// range that is part of a mapping these are the bytes that must be on huge pages even if all the
// rest of the mapping is.
uint64_t HugePageBytesIn(std::istream& smaps, uintptr_t begin, uintptr_t end);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_BLOCK_MEMORY_H_
