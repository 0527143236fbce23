#include "engine/src/tuples/projection.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "engine/src/base/check.h"
#include "engine/src/tuples/tuple_batch.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel {
namespace {

using Columns = std::array<const uint64_t*, kMaxAttributes>;

// kSize: the number of columns where it is known at compile time: most queries are of sets of two
// to four, for which XXH3 is then a few instructions. 0: as many as `size` says.
template <size_t kSize>
void HashRows(const Columns& columns, size_t size, uint64_t seed, std::span<uint64_t> digests) {
  const size_t num_columns = kSize == 0 ? size : kSize;
  std::array<uint64_t, kSize == 0 ? kMaxAttributes : kSize> row;
  for (size_t i = 0; i < digests.size(); ++i) {
    for (size_t c = 0; c < num_columns; ++c) row[c] = columns[c][i];
    digests[i] = XXH3_64bits_withSeed(row.data(), num_columns * sizeof(uint64_t), seed);
  }
}

}  // namespace

void ProjectionDigests(AttributeMask set, const Tuples& tuples,
                       std::span<uint64_t> digests) noexcept {
  TROMMEL_CHECK(digests.size() == tuples.size, "digests of another size than the tuples");
  TROMMEL_CHECK(set != 0, "a projection onto no set of attributes");
  TROMMEL_CHECK(!OverlapsColumns(tuples, set, std::span<const uint64_t>(digests)),
                "the digests overlap a column");
  if (tuples.size == 0) return;
  Columns columns;
  size_t size = 0;
  for (AttributeMask rest = set; rest != 0; rest &= rest - 1) {
    columns[size] = tuples.columns[static_cast<size_t>(std::countr_zero(rest))];
    TROMMEL_CHECK(columns[size] != nullptr, "a column of the set is not given");
    ++size;
  }
  switch (size) {
    case 1:
      std::copy_n(columns[0], tuples.size, digests.begin());
      return;
    case 2:
      return HashRows<2>(columns, size, set, digests);
    case 3:
      return HashRows<3>(columns, size, set, digests);
    case 4:
      return HashRows<4>(columns, size, set, digests);
    default:
      return HashRows<0>(columns, size, set, digests);
  }
}

uint64_t ProjectionDigest(AttributeMask set, std::span<const uint64_t> tuple) noexcept {
  std::array<uint64_t, kMaxAttributes> row;
  size_t size = 0;
  for (AttributeMask rest = set; rest != 0; rest &= rest - 1) {
    row[size++] = tuple[static_cast<size_t>(std::countr_zero(rest))];
  }
  if (size == 1) return row[0];
  // Sizes known at compile time, as above.
  if (size == 2) return XXH3_64bits_withSeed(row.data(), 2 * sizeof(uint64_t), set);
  if (size == 3) return XXH3_64bits_withSeed(row.data(), 3 * sizeof(uint64_t), set);
  return XXH3_64bits_withSeed(row.data(), size * sizeof(uint64_t), set);
}

std::span<const uint64_t> ChosenDigests(AttributeMask set, const Tuples& tuples,
                                        std::span<const uint32_t> places,
                                        std::span<uint64_t> buffer) noexcept {
  const bool is_column = std::has_single_bit(set);
  if (places.size() == tuples.size) {
    if (is_column && tuples.size != 0) {
      const uint64_t* column = tuples.columns[static_cast<size_t>(std::countr_zero(set))];
      TROMMEL_CHECK(column != nullptr, "a column of the set is not given");
      return {column, tuples.size};
    }
    ProjectionDigests(set, tuples, buffer.first(tuples.size));
    return buffer.first(tuples.size);
  }
  // Gathered so many tuples at a time that the set's columns fit the stack and the cache.
  constexpr size_t kGatheredValues = 2048;
  constexpr size_t kMostGathered = 128;
  std::array<uint64_t, kGatheredValues> values;
  const size_t num_gathered =
      std::min(kMostGathered, kGatheredValues / static_cast<size_t>(std::popcount(set)));
  Tuples gathered;
  for (size_t first = 0; first < places.size(); first += num_gathered) {
    const auto chunk = places.subspan(first, std::min(num_gathered, places.size() - first));
    uint64_t* of_column = values.data();
    for (AttributeMask rest = set; rest != 0; rest &= rest - 1) {
      const auto a = static_cast<size_t>(std::countr_zero(rest));
      const uint64_t* column = tuples.columns[a];
      TROMMEL_CHECK(column != nullptr, "a column of the set is not given");
      for (size_t i = 0; i < chunk.size(); ++i) of_column[i] = column[chunk[i]];
      gathered.columns[a] = of_column;
      of_column += chunk.size();
    }
    gathered.size = chunk.size();
    ProjectionDigests(set, gathered, buffer.subspan(first, chunk.size()));
  }
  return buffer.first(places.size());
}

size_t PlacesOf(std::span<const uint64_t> bitmap, size_t num_bits, uint32_t* places) noexcept {
  size_t num_places = 0;
  for (size_t w = 0; w * 64 < num_bits; ++w) {
    for (uint64_t rest = bitmap[w]; rest != 0; rest &= rest - 1) {
      places[num_places++] =
          static_cast<uint32_t>(w * 64) + static_cast<uint32_t>(std::countr_zero(rest));
    }
  }
  return num_places;
}

size_t KeepPlaces(std::span<const uint64_t> bits, std::span<uint32_t> places) noexcept {
  size_t num_kept = 0;
  for (size_t k = 0; k < places.size(); ++k) {
    places[num_kept] = places[k];
    num_kept += bits[k / 64] >> (k % 64) & 1;
  }
  return num_kept;
}

void SetOnly(std::span<const uint32_t> places, std::span<uint64_t> bitmap) noexcept {
  std::ranges::fill(bitmap, 0);
  for (const uint32_t place : places) bitmap[place / 64] |= uint64_t{1} << (place % 64);
}

}  // namespace trommel
