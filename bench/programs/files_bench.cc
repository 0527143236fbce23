// Saving and loading: CPU nanoseconds per key of files of every type in memory, the least of some
// rounds. How to read it: README.md.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/sides/demand.h"
#include "bench/text/arguments.h"
#include "trommel/any_filter.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] = "usage: files_bench [--keys=1M] [--rounds=9]\n";

template <class Work>
double LeastNs(uint64_t num_keys, uint64_t rounds, const Work& work) {
  double least = CpuNsPerKey(num_keys, work);
  for (uint64_t r = 1; r < rounds; ++r) least = std::min(least, CpuNsPerKey(num_keys, work));
  return least;
}

void Measure(const std::string& name, const AnyFilter& filter, uint64_t num_keys, uint64_t rounds) {
  const std::vector<std::byte> bytes = filter.Serialize();
  Demand(AnyFilter::Deserialize(bytes).value()->Equals(filter), "a loaded filter is another one");
  std::vector<std::byte> buffer(bytes.size());
  const double saving = LeastNs(num_keys, rounds, [&] {
    SpanSink sink(buffer);
    Demand(filter.SaveTo(sink, {}).ok(), "a filter is not saved");
  });
  const double loading = LeastNs(num_keys, rounds, [&] {
    Demand(AnyFilter::Deserialize(bytes).ok(), "a filter is not loaded");
  });
  std::printf("%-28s %12zu bytes   save %6.1f   load %6.1f ns per key\n", name.c_str(),
              bytes.size(), saving, loading);
  std::fflush(stdout);
}

void MeasureAll(uint64_t num_keys, uint64_t rounds) {
  std::vector<uint64_t> keys(num_keys);
  std::mt19937_64 random(1);
  for (uint64_t& key : keys) key = random();
  const auto measure = [&](const std::string& name, FilterType type,
                           const trommel::Figures& description) {
    const AnyFilterPtr filter = AnyFilter::Create(type, description).value();
    (void)filter->Insert(keys, {}, nullptr).value();
    Measure(name, *filter, num_keys, rounds);
  };
  for (const char* encoding : {"planes", "runs", "dense", "fingerprints16"}) {
    const std::string of(encoding);
    measure("counting, " + of, FilterType::kCounting, {{"capacity", num_keys}, {"encoding", of}});
  }
  measure("scalable", FilterType::kScalable, {});
  constexpr uint64_t kBuckets = 10;
  for (const double rate : {0.01, 0.0005}) {
    for (const bool is_erasable : {true, false}) {
      const AnyFilterPtr window =
          AnyFilter::Create(FilterType::kWindow, {{"window", uint64_t{100}},
                                                  {"num_buckets", kBuckets},
                                                  {"capacity", num_keys},
                                                  {"target_fpr", rate},
                                                  {"is_erasable", is_erasable}})
              .value();
      const uint64_t per_bucket = num_keys / kBuckets;
      for (uint64_t b = 0; b < kBuckets; ++b) {
        (void)window->Advance(b * 10).value();
        (void)window->Insert(std::span(keys).subspan(b * per_bucket, per_bucket), {}, nullptr);
      }
      Measure(std::string("window, ") + (is_erasable ? "erasable, " : "") + std::to_string(rate),
              *window, num_keys, rounds);
    }
  }
}

int Main(int argc, char** argv) {
  uint64_t num_keys = 1'000'000;
  uint64_t rounds = 9;
  if (!ReadArguments(argc, argv,
                     {CountArgument("--keys", num_keys), CountArgument("--rounds", rounds)},
                     kUsage)) {
    return 2;
  }
  MeasureAll(std::max<uint64_t>(num_keys, 1000), rounds);
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
