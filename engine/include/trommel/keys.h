// Keys: what a batch may be made of, seen through one door. Key: a batch of one.
// Neither owns its bytes: they must outlive the call they are passed to, as with std::string_view.
#ifndef TROMMEL_KEYS_H_
#define TROMMEL_KEYS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace trommel {

// How a key's bytes are laid out. Integers are hashed by their little-endian bytes, strings by
// their bytes without length or terminator: Parquet's rule.
enum class KeyKind : uint8_t {
  kInt64,    // 8 bytes; what every plain integer becomes
  kInt32,    // 4 bytes; only when asked for by name, because its digest differs from kInt64's
  kViews,    // std::string_view
  kStrings,  // std::string
  kDigests,  // the caller's own 64-bit hashes, used as they are
};

template <class R>
concept KeyRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    (std::same_as<std::ranges::range_value_t<R>, uint64_t> ||
     std::same_as<std::ranges::range_value_t<R>, int64_t> ||
     std::same_as<std::ranges::range_value_t<R>, std::string_view> ||
     std::same_as<std::ranges::range_value_t<R>, std::string>);

// A view of a batch of keys. Made implicitly from contiguous ranges of uint64_t or int64_t, of
// std::string_view or of std::string; by name from 32-bit integers and from digests.
class Keys {
 public:
  template <KeyRange R>
  Keys(const R& keys) noexcept  // NOLINT(google-explicit-constructor)
      : data_(std::ranges::data(keys)), size_(std::ranges::size(keys)) {
    using T = std::ranges::range_value_t<R>;
    if constexpr (std::integral<T>) {
      kind_ = KeyKind::kInt64;
    } else if constexpr (std::same_as<T, std::string_view>) {
      kind_ = KeyKind::kViews;
    } else {
      kind_ = KeyKind::kStrings;
    }
  }

  // 32-bit integers hashed as 4 bytes (Parquet INT32). The same value as a 64-bit key is another
  // key.
  static Keys Int32(std::span<const int32_t> keys) noexcept {
    return {keys.data(), keys.size(), KeyKind::kInt32};
  }
  static Keys Int32(std::span<const uint32_t> keys) noexcept {
    return {keys.data(), keys.size(), KeyKind::kInt32};
  }

  // Hashes computed by the caller. All 64 bits must be well mixed: the high half chooses the block,
  // the low half the positions. The filter's policy, seed and digest key are not applied: what an
  // attacker can do is decided by the caller's own hash (digest.h).
  static Keys Digests(std::span<const uint64_t> digests) noexcept {
    return {digests.data(), digests.size(), KeyKind::kDigests};
  }

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  KeyKind kind() const noexcept { return kind_; }
  const void* data() const noexcept { return data_; }

 private:
  Keys(const void* data, size_t size, KeyKind kind) noexcept
      : data_(data), size_(size), kind_(kind) {}

  const void* data_;
  size_t size_;
  KeyKind kind_ = KeyKind::kInt64;
};

// Characters are no integers here: 'a' would be another key than "a", and its sign the platform's.
template <class T>
concept KeyInteger = std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, bool> &&
                     !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                     !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
                     !std::same_as<T, char32_t>;

// One key. Every integer type is widened to 64 bits (signed ones by sign), so MayContain(42) asks
// for what a batch of uint64_t or int64_t inserted.
//
// Two words, so that it travels in registers: through memory, a point query would wait for its own
// argument to be stored, and the next query for this one (measured at 30 M keys: 160 ns, not 40).
class Key {
 public:
  template <KeyInteger T>
  Key(T key) noexcept  // NOLINT(google-explicit-constructor)
      : Key(std::is_signed_v<T> ? static_cast<uint64_t>(static_cast<int64_t>(key))
                                : static_cast<uint64_t>(key),
            0, KeyKind::kInt64) {}
  Key(std::string_view key) noexcept  // NOLINT(google-explicit-constructor)
      : Key(reinterpret_cast<uintptr_t>(key.data()), key.size(), KeyKind::kViews) {}
  Key(const std::string& key) noexcept : Key(std::string_view(key)) {}
  Key(const char* key) noexcept : Key(std::string_view(key)) {}
  Key(std::nullptr_t) = delete;

  static Key Int32(int32_t key) noexcept { return Int32(static_cast<uint32_t>(key)); }
  static Key Int32(uint32_t key) noexcept { return {key, 0, KeyKind::kInt32}; }
  static Key Digest(uint64_t digest) noexcept { return {digest, 0, KeyKind::kDigests}; }

  KeyKind kind() const noexcept { return static_cast<KeyKind>(size_and_kind_ & kKindMask); }
  // The integer or digest; for kInt64, kInt32, kDigests.
  uint64_t integer() const noexcept { return word_; }
  // The bytes; for kViews.
  std::string_view bytes() const noexcept {
    return {reinterpret_cast<const char*>(static_cast<uintptr_t>(word_)),
            static_cast<size_t>(size_and_kind_ >> kKindBits)};
  }

 private:
  static constexpr int kKindBits = 3;
  static constexpr uint64_t kKindMask = (uint64_t{1} << kKindBits) - 1;

  Key(uint64_t word, uint64_t size, KeyKind kind) noexcept
      : word_(word), size_and_kind_(size << kKindBits | static_cast<uint64_t>(kind)) {}

  uint64_t word_;  // the integer, or the address of the bytes
  uint64_t size_and_kind_;
};
static_assert(sizeof(Key) == 16 && std::is_trivially_copyable_v<Key>, "a Key travels in registers");

}  // namespace trommel

#endif  // TROMMEL_KEYS_H_
