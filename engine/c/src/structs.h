// Structs that may grow: a caller that was compiled with a later header knows more fields.
#ifndef TROMMEL_ENGINE_C_SRC_STRUCTS_H_
#define TROMMEL_ENGINE_C_SRC_STRUCTS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/c/src/failures.h"
#include "trommel/c.h"

namespace trommel::c_abi {

// More than any version will have: memory that was never set.
inline constexpr uint32_t kMostSize = 65'536;

template <class T>
uint32_t SizeOf(const T* given, std::string_view name) {
  const uint32_t size = Required(given, name).struct_size;
  if (size < sizeof(T) || size > kMostSize) {
    ThrowInvalid(std::string(name) + ".struct_size is " + std::to_string(size) +
                 "; it must be at least " + std::to_string(sizeof(T)) + " and at most " +
                 std::to_string(kMostSize) + ": set it to sizeof");
  }
  return size;
}

// Fields that the library does not know must be 0: the caller wants something that this version
// cannot do.
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
  std::memcpy(&known, given, sizeof(T));
  return known;
}

// Writes the value, and zeros where the caller knows more.
template <class T>
void Write(T* out, T value, std::string_view name) {
  const uint32_t size = SizeOf(out, name);
  value.struct_size = size;
  std::memcpy(static_cast<void*>(out), &value, sizeof(T));
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
