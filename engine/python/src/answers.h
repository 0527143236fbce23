// Answers to Python: arrays of NumPy, which own their memory.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_ANSWERS_H_
#define TROMMEL_ENGINE_PYTHON_SRC_ANSWERS_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace trommel::python {

// UnwrittenArray: an array whose elements are all about to be written. A std::vector would write
// zeros first, which costs as much as hashing the keys.

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

// A new array of one dimension, or of two, with its memory not yet written.
template <class T>
struct NewArray {
  nanobind::object array;
  std::span<T> values;
};
NewArray<uint8_t> NewBools(size_t size);
NewArray<uint8_t> NewBools(size_t num_rows, size_t num_columns);
NewArray<uint32_t> NewUint32(size_t size);
NewArray<uint64_t> NewUint64(size_t size);
NewArray<uint64_t> NewUint64(size_t num_rows, size_t num_columns);
// Returns the first `size` values of the array, as an array of their own.
nanobind::object FirstOf(const NewArray<uint32_t>& array, size_t size);

// A bitmap of one answer per key, and the array of bool that it becomes.
class Bitmap {
 public:
  // With the GIL.
  explicit Bitmap(size_t size);

  std::span<uint64_t> words() { return {words_.get(), num_words_}; }
  // Writes the array from the words. Needs no GIL.
  void Expand();
  const nanobind::object& array() const { return bools_.array; }

 private:
  NewArray<uint8_t> bools_;
  size_t num_words_;
  std::unique_ptr<uint64_t[]> words_;
};

// Writes bit i of the words to bools[i], as 0 or 1. Needs no GIL.
void ExpandBits(std::span<const uint64_t> words, std::span<uint8_t> bools);

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_ANSWERS_H_
