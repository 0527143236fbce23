// Random numbers that are the same everywhere for the same seed: SplitMix64.
#ifndef TROMMEL_BENCH_PAPER_RANDOM_STREAM_H_
#define TROMMEL_BENCH_PAPER_RANDOM_STREAM_H_

#include <cstdint>
#include <vector>

#include "bench/workload.h"

namespace trommel::paper {

class RandomStream {
 public:
  // Streams of different (seed, purpose) have nothing to do with each other.
  RandomStream(uint64_t seed, uint64_t purpose)
      : next_(bench::KeyAt(bench::KeyAt(seed) ^ (purpose * 0x9e3779b97f4a7c15U))) {}

  uint64_t Next() { return bench::KeyAt(next_ += 0x9e3779b97f4a7c15U); }

  // Below `bound`, from the high half by multiplication: even to 2^-32 * bound.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>((Next() >> 32) * bound >> 32); }

  std::vector<uint64_t> Take(size_t count) {
    std::vector<uint64_t> numbers(count);
    for (uint64_t& number : numbers) number = Next();
    return numbers;
  }

 private:
  uint64_t next_;
};

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_RANDOM_STREAM_H_
