// What the filter of a set of attributes can be made for, and how to share memory among such
// filters. Pure arithmetic.
#ifndef TROMMEL_ENGINE_SRC_ATTRIBUTES_SET_SIZES_H_
#define TROMMEL_ENGINE_SRC_ATTRIBUTES_SET_SIZES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

// What the generations of a set's filter have. kAutomatic, which takes fingerprints where they need
// less memory, stays what it is for a set of as many values as tuples; others get runs. There the
// further copies of values would take the slots and the side table that sizing has for values.
Encoding EncodingOfSet(Encoding asked_for, uint64_t capacity, uint64_t num_tuples);

// A scalable filter's first generation, full.
struct SetSize {
  double target_fpr = 0;
  double predicted_fpr = 0;
  uint64_t num_bytes = 0;  // side table included

  friend bool operator==(const SetSize&, const SetSize&) = default;
};

// What the filter is that is made for so many different keys and this rate, with what EncodingOfSet
// makes of the encoding for num_copies tuples. num_slices 0: as it would choose. Of num_copies keys
// in all, if more, the side table's bytes are estimated as if they fell into blocks one by one.
// Fails as ScalableFilter::Create does.
Result<SetSize> SizeOfSet(uint64_t capacity, double target_fpr, Encoding encoding,
                          uint32_t num_slices = 0, uint64_t num_copies = 0);

// The sizes worth having: each has more bytes than the one before and a lower predicted rate, and
// the highest target that gives them. Shapes change between few of the rates tried, and are looked
// for at shape_capacity keys. A fifth of a second; where the shapes of that capacity are in
// `shapes` already (they are left there), an eighth of that.
using ShapesOfRates = std::vector<uint32_t>;
Result<std::vector<SetSize>> SizesOfSet(uint64_t capacity, Encoding encoding,
                                        uint64_t shape_capacity, ShapesOfRates& shapes,
                                        uint64_t num_copies = 0);

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
