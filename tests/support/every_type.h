// A small filter of every type, with keys in it, for what holds of all types.
#ifndef TROMMEL_TESTS_SUPPORT_EVERY_TYPE_H_
#define TROMMEL_TESTS_SUPPORT_EVERY_TYPE_H_

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/held_filter.h"
#include "support/sample_filters.h"
#include "trommel/any_filter.h"

namespace trommel::tests {

struct NamedFilter {
  std::string name;
  HeldFilter filter;
};

inline std::vector<NamedFilter> EveryType() {
  std::vector<uint64_t> keys(300);
  std::iota(keys.begin(), keys.end(), 0);
  std::vector<NamedFilter> filters;
  const auto add = [&](std::string name, auto made) {
    auto filter = std::move(made).value();
    filter.Insert(keys);
    filters.push_back({std::move(name), HeldFilter(std::move(filter))});
  };
  for (const Encoding encoding :
       {Encoding::kPlanes, Encoding::kRuns, Encoding::kDense, Encoding::kFingerprints16}) {
    const std::string of(EncodingName(encoding));
    add("counting, " + of, CountingFilter::Create({.capacity = 300, .encoding = encoding}));
    if (encoding == Encoding::kFingerprints16) continue;
    add("scalable, " + of,
        ScalableFilter::Create(
            {.first_capacity = 100, .mode = GrowthMode::kGenerations, .encoding = encoding}));
  }
  add("scalable with a largest capacity",
      ScalableFilter::Create(
          {.first_capacity = 200, .mode = GrowthMode::kGenerations, .max_capacity = 1000}));
  add("doubling", ScalableFilter::Create({.mode = GrowthMode::kDoubling}));
  add("window", WindowFilter::Create({.window = 100, .num_buckets = 4, .capacity = 1000}));
  filters.push_back({"attributes", HeldFilter(AttributeSample())});
  return filters;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_EVERY_TYPE_H_
