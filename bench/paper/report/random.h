// Random keys: a stream of digests that is the same everywhere for the same seed, inserted into and
// queried of any filter, one batch at a time.
#ifndef TROMMEL_BENCH_PAPER_REPORT_RANDOM_H_
#define TROMMEL_BENCH_PAPER_REPORT_RANDOM_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/sides/workload.h"
#include "trommel/keys.h"

namespace trommel::paper {

// SplitMix64.
class RandomStream {
 public:
  // Streams of different (seed, purpose) are unrelated.
  RandomStream(uint64_t seed, uint64_t purpose)
      : next_(bench::KeyAt(bench::KeyAt(seed) ^ (purpose * 0x9e3779b97f4a7c15U))) {}

  uint64_t Next() { return bench::KeyAt(next_ += 0x9e3779b97f4a7c15U); }

  // Below `bound`, from the high half by multiplication: uniform up to 2^-32 * bound.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>((Next() >> 32) * bound >> 32); }

  std::vector<uint64_t> Take(size_t count) {
    std::vector<uint64_t> numbers(count);
    for (uint64_t& number : numbers) number = Next();
    return numbers;
  }

 private:
  uint64_t next_;
};

// Calls visit(digests) for the next `count` of the stream.
template <class Visit>
void ForEachDigestBatch(RandomStream stream, uint64_t count, const Visit& visit) {
  constexpr uint64_t kMost = uint64_t{1} << 16;
  for (uint64_t done = 0; done < count; done += kMost) {
    visit(stream.Take(static_cast<size_t>(std::min(kMost, count - done))));
  }
}

template <class Filter>
void InsertRandom(Filter& filter, const RandomStream& stream, uint64_t count) {
  ForEachDigestBatch(stream, count, [&](const std::vector<uint64_t>& digests) {
    filter.Insert(Keys::Digests(digests));
  });
}

// The sum of query(keys, bitmap) over the stream's next `count` digests.
template <class Query>
uint64_t SumQueries(const RandomStream& stream, uint64_t count, const Query& query) {
  std::vector<uint64_t> bitmap;
  uint64_t sum = 0;
  ForEachDigestBatch(stream, count, [&](const std::vector<uint64_t>& digests) {
    bitmap.resize((digests.size() + 63) / 64);
    sum += query(Keys::Digests(digests), std::span<uint64_t>(bitmap));
  });
  return sum;
}

// How many of the stream's next `count` digests answer "maybe present".
template <class Filter>
uint64_t CountMaybePresent(const Filter& filter, const RandomStream& stream, uint64_t count) {
  return SumQueries(stream, count, [&](const Keys& keys, std::span<uint64_t> bitmap) {
    return filter.Query(keys, bitmap);
  });
}

// The share of `count` non-members that answer "maybe present".
template <class Filter>
double MeasuredFpr(const Filter& filter, const RandomStream& non_members, uint64_t count) {
  return static_cast<double>(CountMaybePresent(filter, non_members, count)) /
         static_cast<double>(count);
}

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_REPORT_RANDOM_H_
