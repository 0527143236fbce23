// Filters that must never change: the bits left by fixed random programs (tests/support/program.h,
// whose generator is part of this: change it and these are to be recorded anew).
#ifndef TROMMEL_TESTS_GOLDEN_FILTERS_H_
#define TROMMEL_TESTS_GOLDEN_FILTERS_H_

#include <array>
#include <cstdint>

#include "support/program.h"

namespace trommel::golden {

// XXH64 of the presence array, then of the counts', of both filters, each seeded with the hash
// before; the first with the program's seed.
struct FilterRecord {
  tests::Shapes shapes;
  uint64_t seed;
  uint64_t hash;
};

inline constexpr std::array<FilterRecord, 13> kFilters = {{
    {tests::Shapes::kPlanes, 1, 0xc95e0d14d4a5e2db},
    {tests::Shapes::kPlanes, 4, 0x159b37f55f649a0a},
    {tests::Shapes::kPlanes, 5, 0x2d7f763d4a88f47f},
    {tests::Shapes::kPlanes, 7, 0x083d1df28067b67e},
    {tests::Shapes::kPlanes, 9, 0x44ec851787214c27},
    {tests::Shapes::kRuns, 1, 0x059994fe57448194},
    {tests::Shapes::kRuns, 2, 0x64c53eb67c992172},
    {tests::Shapes::kRuns, 3, 0x2be41f02b86093a1},
    {tests::Shapes::kRuns, 4, 0x625db2d629634e94},
    {tests::Shapes::kRuns, 6, 0x224c7434f776baa1},
    {tests::Shapes::kRuns, 7, 0x3cca548fe93f1f19},
    {tests::Shapes::kRuns, 9, 0xc5b34c5d9b327e27},
    {tests::Shapes::kRuns, 11, 0x3d1704cb0fcd038c},
}};

}  // namespace trommel::golden

#endif  // TROMMEL_TESTS_GOLDEN_FILTERS_H_
