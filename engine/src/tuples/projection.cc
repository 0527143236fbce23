#include "engine/src/tuples/projection.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "engine/src/base/check.h"
#include "engine/src/tuples/tuple_output.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel {
namespace {

using Columns = std::array<const uint64_t*, kMaxAttributes>;

// kSize: how many columns, where the compiler may know it (sets of two to four are most of what is
// asked for, and XXH3 is a few instructions then); 0: as many as `size` says.
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
  TROMMEL_CHECK(set != 0 && set >> kMaxAttributes == 0, "a projection onto no set of attributes");
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

}  // namespace trommel
