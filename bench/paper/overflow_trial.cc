#include "bench/paper/overflow_trial.h"

#include <cmath>

#include "bench/paper/random_batches.h"
#include "trommel/classic/filter.h"

namespace trommel::paper {
namespace {

template <class Filter>
OverflowTrial FillAll(Filter filter, uint64_t num_keys, uint64_t num_filters, uint64_t seed) {
  OverflowTrial trial{.num_filters = num_filters,
                      .num_counters = num_filters * filter.geometry().total_positions()};
  const size_t num_heights = filter.geometry().max_count() + 1;
  trial.num_reaching.resize(num_heights);
  trial.num_filters_reaching.resize(num_heights);
  for (uint64_t f = 0; f < num_filters; ++f) {
    filter.Clear();
    InsertRandom(filter, RandomStream(seed, 1000 + f), num_keys);
    const std::vector<uint64_t> histogram = filter.CounterHistogram();
    uint64_t num_reaching = 0;
    for (size_t j = num_heights; j-- > 0;) {
      num_reaching += histogram[j];
      trial.num_reaching[j] += num_reaching;
      trial.num_filters_reaching[j] += num_reaching != 0;
    }
  }
  return trial;
}

// How many of num_thrown throws hit, each with this chance: from hit to hit.
uint64_t NumHits(uint64_t num_thrown, double chance, RandomStream& random) {
  uint64_t num_hits = 0;
  for (double at = 0;; ++num_hits) {
    const double u = (static_cast<double>(random.Next() >> 11) + 0.5) * 0x1p-53;
    at += std::floor(std::log(u) / std::log1p(-chance)) + 1;
    if (at > static_cast<double>(num_thrown)) return num_hits;
  }
}

}  // namespace

double OverflowTrial::CounterShare(uint32_t count) const {
  return static_cast<double>(num_reaching[count]) / static_cast<double>(num_counters);
}

double OverflowTrial::FilterShare(uint32_t count) const {
  return static_cast<double>(num_filters_reaching[count]) / static_cast<double>(num_filters);
}

OverflowTrial RunOverflow(const classic::ArrayGeometry& geometry, uint64_t num_keys,
                          uint64_t num_filters, uint64_t seed) {
  classic::ArrayGeometry counting = geometry;
  counting.counter_bits = classic::kMaxCounterBits;
  return FillAll(classic::Filter::CreateWithGeometry(counting).value(), num_keys, num_filters,
                 seed);
}

TailEstimate EstimateTail(uint64_t num_thrown, uint64_t num_positions, uint32_t count,
                          uint64_t num_samples, RandomStream random) {
  const double n = static_cast<double>(num_thrown);
  const double p = 1 / static_cast<double>(num_positions);
  const double q = count / n;
  const double log_hit = std::log(p / q);
  const double log_miss = std::log1p(-p) - std::log1p(-q);
  double sum = 0;
  double sum_square = 0;
  for (uint64_t i = 0; i < num_samples; ++i) {
    const auto hits = static_cast<double>(NumHits(num_thrown, q, random));
    if (hits < count) continue;
    const double weight = std::exp(hits * log_hit + (n - hits) * log_miss);
    sum += weight;
    sum_square += weight * weight;
  }
  const double samples = static_cast<double>(num_samples);
  const double mean = sum / samples;
  return {mean, std::sqrt((sum_square / samples - mean * mean) / samples)};
}

}  // namespace trommel::paper
