/// @file
/// Keys and Key, views of the keys that a call works on: a batch, or one.
#ifndef TROMMEL_KEYS_H_
#define TROMMEL_KEYS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "trommel/export.h"  // asks for C++20

namespace trommel {

/// How a key's bytes are laid out. Integers are hashed by their little-endian bytes, strings and
/// spans of bytes by their bytes without length or terminator (Parquet's rule).
enum class KeyKind : uint8_t {
  kInt64,          ///< 8 bytes. Every plain integer becomes one.
  kInt32,          ///< 4 bytes. Only by name, because its digest differs from that of kInt64.
  kViews,          ///< std::string_view.
  kStrings,        ///< std::string.
  kDigests,        ///< The caller's own 64-bit hashes, used as they are.
  kInt32Widened,   ///< Signed integers of 32 bits, hashed as the 8 bytes of the same value.
  kUint32Widened,  ///< Unsigned integers of 32 bits, hashed as the 8 bytes of the same value.
  kPmrStrings,     ///< std::pmr::string.
  kByteSpans,      ///< Spans of std::byte or uint8_t.
};

/// An integer type of up to 64 bits. Character types are excluded: 'a' would be another key than
/// "a", and its sign depends on the platform.
template <class T>
concept KeyInteger = std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, bool> &&
                     !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                     !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
                     !std::same_as<T, char32_t>;

/// A span of bytes as a key: of std::byte or uint8_t, of any size.
template <class T>
concept KeyBytes =
    std::same_as<T, std::span<const std::byte>> || std::same_as<T, std::span<std::byte>> ||
    std::same_as<T, std::span<const uint8_t>> || std::same_as<T, std::span<uint8_t>>;

/// A contiguous range of integers of 64 or 32 bits, of std::string_view, std::string or
/// std::pmr::string, or of spans of bytes.
template <class R>
concept KeyRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    ((KeyInteger<std::ranges::range_value_t<R>> && sizeof(std::ranges::range_value_t<R>) >= 4) ||
     KeyBytes<std::ranges::range_value_t<R>> ||
     std::same_as<std::ranges::range_value_t<R>, std::string_view> ||
     std::same_as<std::ranges::range_value_t<R>, std::string> ||
     std::same_as<std::ranges::range_value_t<R>, std::pmr::string>);

/// A view of a batch of keys, converted implicitly from a KeyRange, or made by name from digests
/// and from 32-bit integers that are to be hashed as such. The keys must outlive the call that it
/// is passed to, as with std::string_view, and no thread may write to them until it returns.
class Keys {
 public:
  /// Views a range. Integers of 32 bits are widened (signed ones by sign), so that a key is the
  /// same in a range of any integer type and as a single Key.
  template <KeyRange R>
  Keys(const R& keys) noexcept  // NOLINT(google-explicit-constructor)
      : data_(std::ranges::data(keys)), size_(std::ranges::size(keys)) {
    using T = std::ranges::range_value_t<R>;
    if constexpr (std::integral<T> && sizeof(T) == 8) {
      kind_ = KeyKind::kInt64;
    } else if constexpr (std::integral<T>) {
      kind_ = std::is_signed_v<T> ? KeyKind::kInt32Widened : KeyKind::kUint32Widened;
    } else if constexpr (KeyBytes<T>) {
      static_assert(sizeof(T) == sizeof(std::span<const std::byte>),
                    "all spans are laid out alike");
      kind_ = KeyKind::kByteSpans;
    } else if constexpr (std::same_as<T, std::string_view>) {
      kind_ = KeyKind::kViews;
    } else if constexpr (std::same_as<T, std::string>) {
      kind_ = KeyKind::kStrings;
    } else {
      kind_ = KeyKind::kPmrStrings;
    }
  }

  /// Views 32-bit integers, hashed as 4 bytes (Parquet's INT32). The same value as a 64-bit key is
  /// another key.
  static Keys Int32(std::span<const int32_t> keys) noexcept {
    return {keys.data(), keys.size(), KeyKind::kInt32};
  }
  /// As above, for unsigned integers.
  static Keys Int32(std::span<const uint32_t> keys) noexcept {
    return {keys.data(), keys.size(), KeyKind::kInt32};
  }

  /// Views hashes computed by the caller. All 64 bits must be well mixed: the high half selects the
  /// block, the low half the positions. The filter's digest policy, seed and key are not applied,
  /// so the caller's hash determines what an attacker can do (SECURITY.md).
  static Keys Digests(std::span<const uint64_t> digests) noexcept {
    return {digests.data(), digests.size(), KeyKind::kDigests};
  }

  /// Returns the number of keys.
  size_t size() const noexcept { return size_; }
  /// Returns whether there are no keys.
  bool empty() const noexcept { return size_ == 0; }
  /// Returns how the keys are laid out.
  KeyKind kind() const noexcept { return kind_; }
  /// Returns the address of the first key.
  const void* data() const noexcept { return data_; }
  /// Returns the array that is viewed, without the characters of strings.
  std::span<const std::byte> array() const noexcept {
    return {static_cast<const std::byte*>(data_), size_ * BytesOf(kind_)};
  }
  /// Returns the keys [first, first + count). Requires that there are so many, which is not
  /// checked.
  Keys Subspan(size_t first, size_t count) const noexcept {
    return {static_cast<const std::byte*>(data_) + first * BytesOf(kind_), count, kind_};
  }

 private:
  // Of one key in the array.
  static constexpr size_t BytesOf(KeyKind kind) noexcept {
    switch (kind) {
      case KeyKind::kInt64:
      case KeyKind::kDigests:
        return sizeof(uint64_t);
      case KeyKind::kInt32:
      case KeyKind::kInt32Widened:
      case KeyKind::kUint32Widened:
        return sizeof(uint32_t);
      case KeyKind::kViews:
        return sizeof(std::string_view);
      case KeyKind::kStrings:
        return sizeof(std::string);
      case KeyKind::kPmrStrings:
        return sizeof(std::pmr::string);
      case KeyKind::kByteSpans:
        break;
    }
    return sizeof(std::span<const std::byte>);
  }

  Keys(const void* data, size_t size, KeyKind kind) noexcept
      : data_(data), size_(size), kind_(kind) {}

  const void* data_;
  size_t size_;
  KeyKind kind_ = KeyKind::kInt64;
};

/// A view of one key. Integers are widened to 64 bits (signed ones by sign), so MayContain(42)
/// queries the key that a batch of uint64_t or int64_t inserted. It does not own the bytes of a
/// string: they must outlive the call that it is passed to.
// Two words, so that it is passed in registers: through memory, a single-key query would wait for
// its own argument to be stored, and the next query for this one (30 M keys: 160 ns instead of 40
// ns).
class Key {
 public:
  /// An integer.
  template <KeyInteger T>
  Key(T key) noexcept  // NOLINT(google-explicit-constructor)
      : Key(std::is_signed_v<T> ? static_cast<uint64_t>(static_cast<int64_t>(key))
                                : static_cast<uint64_t>(key),
            0, KeyKind::kInt64) {}
  /// A string.
  Key(std::string_view key) noexcept  // NOLINT(google-explicit-constructor)
      : Key(reinterpret_cast<uintptr_t>(key.data()), key.size(), KeyKind::kViews) {}
  /// A string.
  Key(const std::string& key) noexcept : Key(std::string_view(key)) {}
  /// A string that ends with a zero byte, which is not part of the key.
  Key(const char* key) noexcept : Key(std::string_view(key)) {}
  /// A string with an allocator of its own, such as std::pmr::string.
  template <class Allocator>
  requires(!std::same_as<Allocator, std::allocator<char>>)
      Key(const std::basic_string<char, std::char_traits<char>, Allocator>& key)
  noexcept : Key(std::string_view(key.data(), key.size())) {}
  /// Bytes: the same key as a string of them.
  Key(std::span<const std::byte> key) noexcept
      : Key(reinterpret_cast<uintptr_t>(key.data()), key.size(), KeyKind::kViews) {}
  /// Bytes: the same key as a string of them.
  Key(std::span<const uint8_t> key) noexcept
      : Key(reinterpret_cast<uintptr_t>(key.data()), key.size(), KeyKind::kViews) {}
  Key(std::nullptr_t) = delete;

  /// A 32-bit integer, hashed as 4 bytes (Keys::Int32).
  static Key Int32(int32_t key) noexcept { return Int32(static_cast<uint32_t>(key)); }
  /// As above, for an unsigned integer.
  static Key Int32(uint32_t key) noexcept { return {key, 0, KeyKind::kInt32}; }
  /// A hash computed by the caller (Keys::Digests).
  static Key Digest(uint64_t digest) noexcept { return {digest, 0, KeyKind::kDigests}; }

  /// Returns how the key is laid out.
  KeyKind kind() const noexcept { return static_cast<KeyKind>(size_and_kind_ & kKindMask); }
  /// Returns the integer or digest of a kInt64, kInt32 or kDigests key.
  uint64_t integer() const noexcept { return word_; }
  /// Returns the bytes of a kViews key.
  std::string_view bytes() const noexcept {
    return std::string_view(reinterpret_cast<const char*>(static_cast<uintptr_t>(word_)),
                            size_and_kind_ >> kKindBits);
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
