// Random: a generator that gives the same numbers on every machine, so that a seed repeats a round.
#ifndef TROMMEL_TOOLS_STRESS_PLANS_RANDOM_H_
#define TROMMEL_TOOLS_STRESS_PLANS_RANDOM_H_

#include <cstdint>

namespace trommel::stress {

// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators").
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // A different generator for each combination of these.
  Random(uint64_t seed, uint64_t a, uint64_t b)
      : state_(Mixed(Mixed(Mixed(seed) ^ (a + 1)) ^ ((b + 1) << 32))) {}

  uint64_t Next() { return Mixed(state_ += 0x9e3779b97f4a7c15u); }

  // In [0, bound); bound at least 1.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>((Next() >> 32) * bound >> 32); }

  bool OneIn(uint32_t n) { return Below(n) == 0; }

  // In [0, bound), half of the numbers in the first sixteenth.
  uint32_t SkewedBelow(uint32_t bound) {
    const double u = static_cast<double>(Next() >> 11) * 0x1p-53;
    return static_cast<uint32_t>(u * u * u * u * bound);
  }

 private:
  static uint64_t Mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  uint64_t state_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_PLANS_RANDOM_H_
