// Projection capacity: how many different projections of tuples a set of attributes is sized for.
#ifndef TROMMEL_ENGINE_SRC_TUPLES_PROJECTION_CAPACITY_H_
#define TROMMEL_ENGINE_SRC_TUPLES_PROJECTION_CAPACITY_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "trommel/attribute_sets.h"

namespace trommel {

// Sizing takes tens of milliseconds for every new capacity. With so many sets, capacities are
// rounded up to four binary digits: at most an eighth more, and eight values per octave.
inline constexpr size_t kManySets = 256;

constexpr uint64_t RoundedToFourDigits(uint64_t number) {
  const int spare_bits = static_cast<int>(std::bit_width(number)) - 4;
  if (spare_bits <= 0) return number;
  const uint64_t unit = uint64_t{1} << spare_bits;
  return (number + unit - 1) / unit * unit;
}

// The product of the set's num_values, or num_tuples if that is less or num_values is empty.
// Requires num_values of at least 1.
inline uint64_t ProjectionCapacity(AttributeMask set, const AttributeSets& sets,
                                   uint64_t num_tuples, std::span<const uint64_t> num_values) {
  if (num_values.empty()) return num_tuples;
  uint64_t product = 1;
  for (AttributeMask rest = set; rest != 0; rest &= rest - 1) {
    const uint64_t values = num_values[static_cast<size_t>(std::countr_zero(rest))];
    if (values >= num_tuples || product > num_tuples / values) return num_tuples;
    product *= values;
  }
  const bool are_many = sets.allowed().size() > kManySets;
  return are_many ? std::min(RoundedToFourDigits(product), num_tuples) : product;
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_TUPLES_PROJECTION_CAPACITY_H_
