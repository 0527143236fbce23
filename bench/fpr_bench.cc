// Sizing held to its word: for each target FPR and block shape, a filter of the size SizeFor chose
// is filled to its capacity and asked about strangers. Printed: target, predicted and measured
// rate, and how many standard deviations lie between the last two. Exit code 1 if a prediction is
// above its target or a measurement further than kMaxSigmas from its prediction.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/fpr_bounds.h"
#include "bench/workload.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: fpr_bench [--keys=1M] [--queries=20M]\n"
    "  --keys     keys each filter is sized for and filled with\n"
    "  --queries  strangers asked\n";

// Fills, asks, and prints one line. False if the promise is broken.
bool CheckOne(Encoding encoding, uint32_t num_slices, double target_fpr, uint64_t num_keys,
              uint64_t num_queries) {
  auto filter = CountingFilter::Create({.capacity = num_keys,
                                        .target_fpr = target_fpr,
                                        .digest = {},
                                        .num_slices = num_slices,
                                        .encoding = encoding});
  if (!filter) {
    std::fprintf(stderr, "fpr_bench: %s\n", filter.error().message.c_str());
    return false;
  }
  ForEachBatch(kFirstMember, num_keys,
               [&](Batch batch) { filter->Insert(Keys::Digests(batch.digests)); });
  uint64_t num_absent_members = 0;
  std::vector<uint64_t> bitmap;
  const auto count = [&](std::span<const uint64_t> digests) {
    bitmap.resize(CountingFilter::BitmapWords(digests.size()));
    return filter->Query(Keys::Digests(digests), bitmap);
  };
  ForEachBatch(kFirstMember, num_keys,
               [&](Batch batch) { num_absent_members += batch.size() - count(batch.digests); });
  uint64_t num_false = 0;
  ForEachBatch(kFirstStranger, num_queries,
               [&](Batch batch) { num_false += count(batch.digests); });

  const Geometry& geometry = filter->geometry();
  const double predicted = PredictedFpr(geometry, num_keys);
  const double measured = static_cast<double>(num_false) / static_cast<double>(num_queries);
  const double sigma = BlockFprSigma(geometry, num_keys, num_queries);
  const double sigmas = (measured - predicted) / sigma;
  const bool kept =
      num_absent_members == 0 && predicted <= target_fpr && std::abs(sigmas) <= kMaxSigmas;
  std::printf("%-6s  %6u  %7.0e  %11.4e  %11.4e  %9.1e  %+6.2f  %8.3f  %9.1e  %s\n",
              EncodingName(encoding).data(), num_slices, target_fpr, predicted, measured, sigma,
              sigmas, 8 * static_cast<double>(geometry.num_bytes()) / static_cast<double>(num_keys),
              PredictedPromotedShare(geometry, num_keys), kept ? "kept" : "BROKEN");
  std::fflush(stdout);
  return kept;
}

int Main(int argc, char** argv) {
  uint64_t num_keys = 1'000'000;
  uint64_t num_queries = 20'000'000;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const size_t value_begin = std::min(argument.find('=') + 1, argument.size());
    const std::optional<uint64_t> value = ParseCount(argument.substr(value_begin));
    if (value && argument.starts_with("--keys=")) {
      num_keys = *value;
    } else if (value && argument.starts_with("--queries=")) {
      num_queries = *value;
    } else {
      std::fputs(kUsage, stderr);
      return 2;
    }
  }
  std::printf("%s keys, %s strangers\n", CountName(num_keys).c_str(),
              CountName(num_queries).c_str());
  std::printf(
      "counts  slices   target    predicted     measured      sigma  sigmas  bits/key   "
      "promoted\n");
  bool all_kept = true;
  const auto check = [&](Encoding encoding, std::initializer_list<uint32_t> shapes) {
    for (const uint32_t num_slices : shapes) {
      for (const double target_fpr : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
        all_kept = CheckOne(encoding, num_slices, target_fpr, num_keys, num_queries) && all_kept;
      }
    }
  };
  check(Encoding::kPlanes, {8, 16});
  check(Encoding::kRuns, {4, 5, 8, 10});
  return all_kept ? 0 : 1;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
