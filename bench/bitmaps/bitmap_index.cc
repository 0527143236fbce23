#include "bench/bitmaps/bitmap_index.h"

#include <algorithm>
#include <array>
#include <memory>

namespace trommel::bench {
namespace {

struct FreeBitmap {
  void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
};
using OwnedBitmap = std::unique_ptr<roaring_bitmap_t, FreeBitmap>;

// Whether all bitmaps have a row in common. Requires at least one.
bool HaveCommon(std::span<const roaring_bitmap_t*> bitmaps) {
  if (bitmaps.size() == 1) return !roaring_bitmap_is_empty(bitmaps[0]);
  // The smallest first, so that what is intersected with the others is small.
  std::ranges::sort(bitmaps, {}, [](const roaring_bitmap_t* bitmap) {
    return roaring_bitmap_get_cardinality(bitmap);
  });
  if (bitmaps.size() == 2) return roaring_bitmap_intersect(bitmaps[0], bitmaps[1]);
  const OwnedBitmap common(roaring_bitmap_and(bitmaps[0], bitmaps[1]));
  for (size_t i = 2; i + 1 < bitmaps.size(); ++i) {
    if (roaring_bitmap_is_empty(common.get())) return false;
    roaring_bitmap_and_inplace(common.get(), bitmaps[i]);
  }
  return roaring_bitmap_intersect(common.get(), bitmaps.back());
}

uint64_t BytesOf(const roaring_bitmap_t& bitmap) {
  // A container's header, the pointer to it, its key and its type.
  constexpr uint64_t kContainerBytes = 16 + sizeof(void*) + sizeof(uint16_t) + sizeof(uint8_t);
  roaring_statistics_t statistics;
  roaring_bitmap_statistics(&bitmap, &statistics);
  return sizeof(bitmap) + statistics.n_containers * kContainerBytes +
         statistics.n_bytes_array_containers + statistics.n_bytes_run_containers +
         statistics.n_bytes_bitset_containers;
}

}  // namespace

BitmapIndex::~BitmapIndex() {
  for (const Map& map : attributes_) {
    for (const auto& [value, rows] : map) {
      if (rows.bitmap != nullptr) roaring_bitmap_free(rows.bitmap);
    }
  }
}

void BitmapIndex::Insert(uint32_t row, std::span<const uint64_t> digests) {
  for (size_t a = 0; a < digests.size(); ++a) {
    const auto [place, is_new] = attributes_[a].try_emplace(digests[a]);
    Rows& rows = place->second;
    if (is_new) {
      rows.only = row;
      continue;
    }
    if (rows.bitmap == nullptr) {
      rows.bitmap = roaring_bitmap_create();
      roaring_bitmap_add(rows.bitmap, rows.only);
    }
    roaring_bitmap_add(rows.bitmap, row);
  }
}

void BitmapIndex::Erase(uint32_t row, std::span<const uint64_t> digests) {
  for (size_t a = 0; a < digests.size(); ++a) {
    const auto place = attributes_[a].find(digests[a]);
    roaring_bitmap_t* const bitmap = place->second.bitmap;
    if (bitmap != nullptr) {
      roaring_bitmap_remove(bitmap, row);
      if (!roaring_bitmap_is_empty(bitmap)) continue;
      roaring_bitmap_free(bitmap);
    }
    attributes_[a].erase(place);
  }
}

void BitmapIndex::Compact() {
  for (Map& map : attributes_) {
    for (auto& [value, rows] : map) {
      if (rows.bitmap == nullptr) continue;
      roaring_bitmap_run_optimize(rows.bitmap);
      roaring_bitmap_shrink_to_fit(rows.bitmap);
    }
  }
}

bool BitmapIndex::Has(AttributeMask queried, std::span<const uint64_t> digests) const {
  std::array<const roaring_bitmap_t*, kMaxAttributes> bitmaps{};
  size_t num_bitmaps = 0;
  const Rows* single = nullptr;
  for (size_t a = 0; a < attributes_.size(); ++a) {
    if ((queried >> a & 1) == 0) continue;
    const auto found = attributes_[a].find(digests[a]);
    if (found == attributes_[a].end()) return false;
    const Rows& rows = found->second;
    if (rows.bitmap != nullptr) {
      bitmaps[num_bitmaps++] = rows.bitmap;
    } else if (single != nullptr && single->only != rows.only) {
      return false;
    } else {
      single = &rows;
    }
  }
  const std::span used = std::span(bitmaps).first(num_bitmaps);
  if (single == nullptr) return HaveCommon(used);
  return std::ranges::all_of(used, [single](const roaring_bitmap_t* bitmap) {
    return roaring_bitmap_contains(bitmap, single->only);
  });
}

uint64_t BitmapIndex::num_bytes() const {
  constexpr uint64_t kNodeBytes = sizeof(Map::value_type) + sizeof(void*);  // and the next node's
  uint64_t num_bytes = 0;
  for (const Map& map : attributes_) {
    num_bytes += map.bucket_count() * sizeof(void*) + map.size() * kNodeBytes;
    for (const auto& [value, rows] : map) {
      if (rows.bitmap != nullptr) num_bytes += BytesOf(*rows.bitmap);
    }
  }
  return num_bytes;
}

}  // namespace trommel::bench
