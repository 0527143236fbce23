// Random digests into any filter, and questions about random digests, a batch at a time.
#ifndef TROMMEL_BENCH_PAPER_RANDOM_BATCHES_H_
#define TROMMEL_BENCH_PAPER_RANDOM_BATCHES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/paper/random_stream.h"
#include "trommel/keys.h"

namespace trommel::paper {

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

// How many of the stream's next `count` digests answer "maybe present".
template <class Filter>
uint64_t CountMaybePresent(const Filter& filter, const RandomStream& stream, uint64_t count) {
  std::vector<uint64_t> bitmap;
  uint64_t num_maybe = 0;
  ForEachDigestBatch(stream, count, [&](const std::vector<uint64_t>& digests) {
    bitmap.resize(Filter::BitmapWords(digests.size()));
    num_maybe += filter.Query(Keys::Digests(digests), bitmap);
  });
  return num_maybe;
}

// The share of `count` strangers that answer "maybe present".
template <class Filter>
double MeasuredFpr(const Filter& filter, const RandomStream& strangers, uint64_t count) {
  return static_cast<double>(CountMaybePresent(filter, strangers, count)) /
         static_cast<double>(count);
}

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_RANDOM_BATCHES_H_
