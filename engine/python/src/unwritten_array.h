// UnwrittenArray: an array whose elements are all about to be written. A std::vector would write
// zeros first, which costs as much as hashing the keys.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_UNWRITTEN_ARRAY_H_
#define TROMMEL_ENGINE_PYTHON_SRC_UNWRITTEN_ARRAY_H_

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace trommel::python {

template <class T>
class UnwrittenArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                "elements begin to exist when they are written, and nothing ends them");

 public:
  UnwrittenArray() = default;
  explicit UnwrittenArray(size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size * sizeof(T))), size_(size) {}

  T* data() { return reinterpret_cast<T*>(bytes_.get()); }
  size_t size() const { return size_; }
  std::span<T> span() { return {data(), size_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  size_t size_ = 0;
};

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_UNWRITTEN_ARRAY_H_
