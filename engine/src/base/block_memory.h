// Zeroed memory for blocks: aligned to cache lines, on huge pages where the system gives them.
#ifndef TROMMEL_ENGINE_SRC_BASE_BLOCK_MEMORY_H_
#define TROMMEL_ENGINE_SRC_BASE_BLOCK_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "trommel/result.h"

namespace trommel {

// Owns an array of words. Random access to gigabytes costs a page walk a line with 4 KiB pages,
// which at 30 M keys is about as much as the line itself: so large arrays ask for huge pages.
class BlockMemory {
 public:
  BlockMemory() noexcept = default;
  // All words zero. kOutOfMemory if the system refuses.
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

  // How many of the bytes are on huge pages at this moment, as the kernel tells (a share of the
  // mapping they lie in, where that is shared with neighbours). 0 where it does not tell.
  uint64_t HugePageBytes() const;

 private:
  void* mapping_ = nullptr;  // what the system gave, larger than the words by the alignment
  size_t mapping_bytes_ = 0;
  uint32_t* words_ = nullptr;
  uint64_t num_words_ = 0;
};

// The machine's physical memory in bytes.
uint64_t PhysicalMemoryBytes() noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_BLOCK_MEMORY_H_
