// Structs that grow: what the caller knows of them is read and written, and no more.
#ifndef TROMMEL_ENGINE_C_SRC_STRUCTS_H_
#define TROMMEL_ENGINE_C_SRC_STRUCTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/c/src/failures.h"
#include "trommel/c.h"

namespace trommel::c_abi {

// The size that a struct had in its first version: no caller has a smaller one. A struct that gains
// fields gets a specialization with the size before.
template <class T>
inline constexpr uint32_t kFirstSize = sizeof(T);
template <>
inline constexpr uint32_t kFirstSize<trommel_scalable_config> = offsetof(trommel_scalable_config,
                                                                         side_memory_limit_bytes);
template <>
inline constexpr uint32_t kFirstSize<trommel_window_config> = offsetof(trommel_window_config,
                                                                       side_memory_limit_bytes);
template <>
inline constexpr uint32_t kFirstSize<trommel_columns_config> = offsetof(trommel_columns_config,
                                                                        side_memory_limit_bytes);
template <>
inline constexpr uint32_t kFirstSize<trommel_attributes_config> =
    offsetof(trommel_attributes_config, side_memory_limit_bytes);
// More than any version will have: memory that was never set.
inline constexpr uint32_t kMostSize = 65'536;

template <class T>
uint32_t SizeOf(const T* given, std::string_view name) {
  const uint32_t size = Required(given, name).struct_size;
  if (size < kFirstSize<T> || size > kMostSize) {
    ThrowInvalid(std::string(name) + ".struct_size is " + std::to_string(size) +
                 "; it must be at least " + std::to_string(kFirstSize<T>) + " and at most " +
                 std::to_string(kMostSize) + ": set it to sizeof");
  }
  return size;
}

// Fields that the caller does not know are 0. Fields that the library does not know must be 0: the
// caller wants something that this version cannot do.
template <class T>
T Read(const T* given, std::string_view name) {
  static_assert(std::is_trivially_copyable_v<T>);
  const uint32_t size = SizeOf(given, name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(T)) {
    if (std::any_of(bytes + sizeof(T), bytes + size, [](int b) { return b != 0; })) {
      ThrowInvalid(std::string(name) + " has fields that version " + trommel_c_version() +
                   " does not know, and they are not 0");
    }
  }
  T known = {};
  std::memcpy(&known, given, std::min<size_t>(size, sizeof(T)));
  return known;
}

// Writes what the caller knows, and zeros where the caller knows more.
template <class T>
void Write(T* out, T value, std::string_view name) {
  const uint32_t size = SizeOf(out, name);
  value.struct_size = size;
  std::memcpy(static_cast<void*>(out), &value, std::min<size_t>(size, sizeof(T)));
  if (size > sizeof(T)) std::memset(out + 1, 0, size - sizeof(T));
}

// An enumerator of the ABI, less than `end`.
inline uint32_t EnumOf(int32_t value, int32_t end, std::string_view name) {
  if (value < 0 || value >= end) {
    ThrowInvalid(std::string(name) + " is " + std::to_string(value) +
                 "; it must be between 0 and " + std::to_string(end - 1));
  }
  return static_cast<uint32_t>(value);
}

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_STRUCTS_H_
