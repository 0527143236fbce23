// Which slots a window filter has, and rates that lead to either. (Up to 12 buckets; more take
// slots of 24 bits.)
#ifndef TROMMEL_TESTS_SUPPORT_WINDOW_SLOTS_H_
#define TROMMEL_TESTS_SUPPORT_WINDOW_SLOTS_H_

#include <cstdint>

#include "trommel/window_filter.h"

namespace trommel::tests {

inline constexpr double kRateOfSlots16 = 0.02;
inline constexpr double kRateOfSlots24 = 5e-4;

inline uint32_t SlotBitsOf(const WindowFilter& filter) {
  return filter.geometry().fingerprint_bits == 12 ? 16 : 24;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_WINDOW_SLOTS_H_
