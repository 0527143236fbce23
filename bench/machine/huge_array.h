// Zeroed memory for a filter or a measurement, allocated as the engine allocates its own: aligned
// to a huge page, and on huge pages where the system gives them, except for arrays smaller than
// one. So address translation costs every side of a comparison the same.
#ifndef TROMMEL_BENCH_MACHINE_HUGE_ARRAY_H_
#define TROMMEL_BENCH_MACHINE_HUGE_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace trommel::bench {

// `size` zeroed elements, aligned to a huge page. Out of memory throws std::bad_alloc.
template <class T>
class HugeArray {
 public:
  explicit HugeArray(size_t size) : size_(size) {
    constexpr size_t kHugePage = size_t{1} << 21;
    const size_t num_bytes = (size * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
    data_.reset(static_cast<T*>(std::aligned_alloc(kHugePage, num_bytes)));
    if (data_ == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    // Before the first access. If the system refuses, only speed is lost.
    if (size * sizeof(T) >= kHugePage) (void)madvise(data_.get(), num_bytes, MADV_HUGEPAGE);
#endif
    std::memset(static_cast<void*>(data_.get()), 0, num_bytes);
  }

  T* data() noexcept { return data_.get(); }
  const T* data() const noexcept { return data_.get(); }
  size_t size() const noexcept { return size_; }
  T& operator[](size_t i) noexcept { return data_.get()[i]; }
  const T& operator[](size_t i) const noexcept { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* data) const noexcept { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  size_t size_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_MACHINE_HUGE_ARRAY_H_
