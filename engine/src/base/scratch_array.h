// Memory for the time of one batch, on huge pages where it is large and the system gives them: 40
// MB of ordinary pages would be 10,000 page faults.
#ifndef TROMMEL_ENGINE_SRC_BASE_SCRATCH_ARRAY_H_
#define TROMMEL_ENGINE_SRC_BASE_SCRATCH_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "engine/src/base/block_memory.h"

namespace trommel {

template <class T>
class ScratchArray {
  static_assert(std::is_trivial_v<T>, "elements begin as zeroed bytes");

 public:
  // Zeroed. Where the system refuses, ok() is false: callers then go a way that needs none.
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
  bool is_ok_ = false;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_SCRATCH_ARRAY_H_
