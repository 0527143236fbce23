// Filters that must never change: the bits left by fixed random programs (tests/support/program.h,
// whose generator is part of this: change it and these are to be recorded anew).
#ifndef TROMMEL_TESTS_GOLDEN_FILTERS_H_
#define TROMMEL_TESTS_GOLDEN_FILTERS_H_

#include <array>
#include <cstdint>

namespace trommel::golden {

// XXH64 of the presence words, then of the planes, of both filters, each seeded with the hash
// before; the first with the program's seed.
struct FilterRecord {
  uint64_t seed;
  uint64_t hash;
};

inline constexpr std::array<FilterRecord, 8> kFilters = {{
    {1, 0xc95e0d14d4a5e2db},
    {2, 0xe4f76efa4b4b2e74},
    {3, 0x90cf5ae4bd16a7da},
    {4, 0x159b37f55f649a0a},
    {5, 0x2d7f763d4a88f47f},
    {6, 0x334fdc968780d6a4},
    {7, 0x083d1df28067b67e},
    {9, 0x44ec851787214c27},
}};

}  // namespace trommel::golden

#endif  // TROMMEL_TESTS_GOLDEN_FILTERS_H_
