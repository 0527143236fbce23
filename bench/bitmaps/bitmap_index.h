// BitmapIndex: which rows have each value of each attribute, exactly, as Roaring bitmaps. Whether a
// row has all values of a query is whether the intersection of their bitmaps is empty.
#ifndef TROMMEL_BENCH_BITMAPS_BITMAP_INDEX_H_
#define TROMMEL_BENCH_BITMAPS_BITMAP_INDEX_H_

#include <roaring/roaring.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "trommel/attribute_sets.h"

namespace trommel::bench {

// Rows are numbers below 2^32, values their digests: two values with one digest (2^-64) would be
// one. A value of one row is that row's number; its second row makes it a bitmap, which it stays.
// Not thread-safe.
class BitmapIndex {
 public:
  explicit BitmapIndex(size_t num_attributes) : attributes_(num_attributes) {}
  BitmapIndex(const BitmapIndex&) = delete;
  BitmapIndex& operator=(const BitmapIndex&) = delete;
  ~BitmapIndex();

  // Requires digests.size() == num_attributes, and a row that is not in.
  void Insert(uint32_t row, std::span<const uint64_t> digests);
  // Requires the digests with which the row was inserted.
  void Erase(uint32_t row, std::span<const uint64_t> digests);
  // Stores each bitmap in the smallest of its forms, with no space to grow.
  void Compact();

  // Whether some row has all values of `queried`, which is not empty.
  bool Has(AttributeMask queried, std::span<const uint64_t> digests) const;

  // Of the maps as the standard library lays them out, and of the bitmaps with their containers,
  // without what malloc adds and the space that containers have to grow. Cost: a pass over all.
  uint64_t num_bytes() const;

 private:
  struct Rows {
    roaring_bitmap_t* bitmap = nullptr;  // null: `only` is the one row
    uint32_t only = 0;
  };
  using Map = std::unordered_map<uint64_t, Rows>;

  std::vector<Map> attributes_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_BITMAPS_BITMAP_INDEX_H_
