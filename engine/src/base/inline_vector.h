// InlineVector: a vector whose first elements are inside the object. Short ones never allocate.
#ifndef TROMMEL_ENGINE_SRC_BASE_INLINE_VECTOR_H_
#define TROMMEL_ENGINE_SRC_BASE_INLINE_VECTOR_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace trommel {

// Of up to kInline elements without an allocation. Iterators are pointers.
template <class T, size_t kInline>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;

  InlineVector() noexcept {}  // leaves the elements uninitialized: they are many
  InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}
  InlineVector(const T* first, const T* last) { Append(first, last); }
  InlineVector(const InlineVector& other) : InlineVector(other.begin(), other.end()) {}
  InlineVector(InlineVector&& other) noexcept { TakeFrom(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this == &other) return *this;
    size_ = 0;
    Append(other.begin(), other.end());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) TakeFrom(other);
    return *this;
  }
  ~InlineVector() = default;

  T* data() { return heap_ != nullptr ? heap_.get() : inline_.values.data(); }
  const T* data() const { return heap_ != nullptr ? heap_.get() : inline_.values.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void reserve(size_t num_elements) {
    if (num_elements <= capacity_) return;
    auto larger = std::make_unique_for_overwrite<T[]>(num_elements);
    std::copy(begin(), end(), larger.get());
    heap_ = std::move(larger);
    capacity_ = num_elements;
  }
  void clear() { size_ = 0; }
  void push_back(const T& value) {
    const T copy = value;  // it may be an element
    Extend(1);
    data()[size_++] = copy;
  }
  // So many elements of this value.
  void Append(size_t count, const T& value) {
    Extend(count);
    std::fill_n(end(), count, value);
    size_ += count;
  }
  void Append(const T* first, const T* last) {
    Extend(static_cast<size_t>(last - first));
    std::copy(first, last, end());
    size_ += static_cast<size_t>(last - first);
  }
  T* insert(const T* at, const T& value) {
    const auto idx = at - data();
    push_back(value);
    std::rotate(begin() + idx, end() - 1, end());
    return begin() + idx;
  }
  T* erase(const T* at) {
    T* const hole = begin() + (at - data());
    std::copy(hole + 1, end(), hole);
    size_ -= 1;
    return hole;
  }
  // Removes the elements from `num_elements` on. Requires that there are as many.
  void Truncate(size_t num_elements) { size_ = num_elements; }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  union Inline {
    Inline() {}
    std::array<T, kInline> values;
  };

  void Extend(size_t count) {
    if (size_ + count > capacity_) reserve(std::max(size_ + count, 2 * capacity_));
  }
  void TakeFrom(InlineVector& other) {
    if (other.heap_ != nullptr) {
      heap_ = std::move(other.heap_);
      capacity_ = other.capacity_;
      other.capacity_ = kInline;
    } else {
      heap_.reset();
      capacity_ = kInline;
      std::copy(other.begin(), other.end(), data());
    }
    size_ = other.size_;
    other.size_ = 0;
  }

  std::unique_ptr<T[]> heap_;  // null: inside
  size_t size_ = 0;
  size_t capacity_ = kInline;
  Inline inline_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_INLINE_VECTOR_H_
