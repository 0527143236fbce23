// How long tests that can run for any time do run: TROMMEL_TEST_SCALE=100 makes them a hundred
// times as long.
#ifndef TROMMEL_TESTS_SUPPORT_SCALE_H_
#define TROMMEL_TESTS_SUPPORT_SCALE_H_

#include <cstdint>
#include <cstdlib>

namespace trommel::tests {

inline uint64_t Scaled(uint64_t count) {
  const char* scale = std::getenv("TROMMEL_TEST_SCALE");
  const uint64_t factor = scale == nullptr ? 1 : std::strtoull(scale, nullptr, 10);
  return count * (factor == 0 ? 1 : factor);
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SCALE_H_
