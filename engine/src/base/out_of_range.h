// Errors of numbers out of range: "target_fpr is 2; it must be between 1e-06 and 0.5".
#ifndef TROMMEL_ENGINE_SRC_BASE_OUT_OF_RANGE_H_
#define TROMMEL_ENGINE_SRC_BASE_OUT_OF_RANGE_H_

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

#include "trommel/result.h"

namespace trommel {

inline std::string TextOf(std::unsigned_integral auto value) { return std::to_string(value); }

inline std::string TextOf(double value) {
  if (std::isnan(value)) return "nan";  // to_chars may print its sign
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

// `range` completes "it must be".
template <class T>
Error OutOfRange(std::string_view name, T value, std::string_view range) {
  return {
      .code = ErrorCode::kInvalidArgument,
      .message = std::string(name) + " is " + TextOf(value) + "; it must be " + std::string(range)};
}

template <class T>
Error OutOfRange(std::string_view name, T value, T least, T most) {
  return OutOfRange(name, value, "between " + TextOf(least) + " and " + TextOf(most));
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_OUT_OF_RANGE_H_
