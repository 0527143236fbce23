// Integer division and multiples, rounded up.
#ifndef TROMMEL_ENGINE_SRC_BASE_ROUNDING_H_
#define TROMMEL_ENGINE_SRC_BASE_ROUNDING_H_

#include <cstdint>

namespace trommel {

// Requires value + divisor <= 2^64.
constexpr uint64_t DivideUp(uint64_t value, uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}
constexpr uint64_t RoundUp(uint64_t value, uint64_t multiple) {
  return DivideUp(value, multiple) * multiple;
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_ROUNDING_H_
