// What the filter of a set of attributes can be made for, and how to share memory among such
// filters. Pure arithmetic.
#ifndef TROMMEL_ENGINE_SRC_ATTRIBUTES_SET_SIZES_H_
#define TROMMEL_ENGINE_SRC_ATTRIBUTES_SET_SIZES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "trommel/result.h"

namespace trommel {

// The most values that the filter of a set keeps its rate for, sized for `capacity` of the
// num_tuples: as many times as max_tuples are num_tuples, where 0 is kUsualGrowth times as many, at
// least kUsualLargest, as far as the rate can be kept.
inline constexpr uint64_t kUsualGrowth = 16;
inline constexpr uint64_t kUsualLargest = uint64_t{1} << 20;
uint64_t LargestOfSet(uint64_t capacity, uint64_t num_tuples, uint64_t max_tuples,
                      double target_fpr);

// A set's filter, with as many values as it is sized for.
struct SetSize {
  double target_fpr = 0;     // with as many as it keeps its rate for
  double predicted_fpr = 0;  // with as many as it is sized for
  uint64_t num_bytes = 0;    // side memory included

  friend bool operator==(const SetSize&, const SetSize&) = default;
};

// What the values of a set are.
struct SetValues {
  uint64_t capacity = 0;
  uint64_t max_capacity = 0;
  uint64_t num_tuples = 0;  // which have these values, evenly; if more, they take side memory
};

// What the filter is that is made for these and this rate. Fails as ScalableFilter::Create does.
Result<SetSize> SizeOfSet(const SetValues& values, double target_fpr);

// The sizes worth having: each has more bytes than the one before and a lower predicted rate, and
// the highest target that gives them.
Result<std::vector<SetSize>> SizesOfSet(const SetValues& values);

// A filter that shares memory with others: the sum of weight x predicted_fpr is minimized.
struct Sharer {
  double weight = 0;
  const std::vector<SetSize>* sizes = nullptr;
};

// Which of its sizes each gets within num_bytes; all the first where even those take more. Sizes on
// the convex hull are given in the order of what a byte buys there, which is optimal but for less
// than one step's bytes; with what is left, a filter that was refused a step gets the best size
// that fits.
std::vector<size_t> ShareMemory(std::span<const Sharer> sharers, uint64_t num_bytes);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ATTRIBUTES_SET_SIZES_H_
