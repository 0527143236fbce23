#include "engine/src/tuples/tuple_choice.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/src/base/check.h"
#include "engine/src/tuples/projection.h"

namespace trommel {

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
  // Gathered by the hundred, so that the rows of all attributes fit a stack and a cache.
  constexpr size_t kGathered = 128;
  std::array<std::array<uint64_t, kGathered>, kMaxAttributes> values;
  Tuples gathered;
  for (size_t first = 0; first < places.size(); first += kGathered) {
    const auto part = places.subspan(first, std::min(kGathered, places.size() - first));
    for (AttributeMask rest = set; rest != 0; rest &= rest - 1) {
      const auto a = static_cast<size_t>(std::countr_zero(rest));
      const uint64_t* column = tuples.columns[a];
      TROMMEL_CHECK(column != nullptr, "a column of the set is not given");
      for (size_t i = 0; i < part.size(); ++i) values[a][i] = column[part[i]];
      gathered.columns[a] = values[a].data();
    }
    gathered.size = part.size();
    ProjectionDigests(set, gathered, buffer.subspan(first, part.size()));
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
