// Arrays for kernels to write into: guarded on both sides, and compared with a message of one line.
#ifndef TROMMEL_TESTS_SUPPORT_WORDS_H_
#define TROMMEL_TESTS_SUPPORT_WORDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace trommel::tests {

// Empty if both hold the same; otherwise where they first differ. Catch would print megabytes.
template <class T>
std::string FirstDifference(const std::vector<T>& got, const std::vector<T>& want) {
  std::ostringstream text;
  if (got.size() != want.size()) {
    text << got.size() << " entries instead of " << want.size();
    return text.str();
  }
  const auto [g, w] = std::mismatch(got.begin(), got.end(), want.begin());
  if (g == got.end()) return "";
  text << std::hex << "entry 0x" << g - got.begin() << ": 0x" << +*g << " instead of 0x" << +*w;
  return text.str();
}

// An array with a cache line of guards before and behind, at a chosen offset from alignment.
template <class T>
class Guarded {
 public:
  // `offset`: how many entries past a multiple of 64 bytes the array begins.
  explicit Guarded(size_t size, T fill = T{}, size_t offset = 0)
      : buffer_(size + 3 * kLine + offset, kGuard), size_(size) {
    const auto address = reinterpret_cast<uintptr_t>(buffer_.data());
    const size_t to_line = (64 - address % 64) % 64 / sizeof(T);
    first_ = to_line + kLine + offset;
    for (size_t i = 0; i < size; ++i) buffer_[first_ + i] = fill;
  }
  Guarded(const Guarded&) = delete;  // a copy would be aligned otherwise
  Guarded& operator=(const Guarded&) = delete;
  Guarded(Guarded&&) noexcept = default;

  T* data() { return buffer_.data() + first_; }
  const T* data() const { return buffer_.data() + first_; }
  size_t size() const { return size_; }
  std::span<T> span() { return {data(), size_}; }
  std::vector<T> Copy() const { return {data(), data() + size_}; }

  // False if something was written outside the array.
  bool GuardsIntact() const {
    const auto is_guard = [](T entry) { return entry == kGuard; };
    return std::all_of(buffer_.data(), data(), is_guard) &&
           std::all_of(data() + size_, buffer_.data() + buffer_.size(), is_guard);
  }

 private:
  static constexpr size_t kLine = 64 / sizeof(T);
  static constexpr T kGuard = static_cast<T>(0xA5A5C3C35A5A3C3CULL);

  std::vector<T> buffer_;
  size_t size_;
  size_t first_ = 0;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_WORDS_H_
