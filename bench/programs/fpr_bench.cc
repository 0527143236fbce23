// Checks sizing: for each target FPR and block shape, a filter of the size that SizeFor chooses is
// filled to its capacity and queried for non-members. Prints the target, the predicted and the
// measured rate, and how many standard deviations lie between the last two. Exit code 1 if a
// prediction is above its target or a measurement further than kMaxSigmas from its prediction.
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "bench/sides/fpr_bounds.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: fpr_bench [--keys=1M] [--queries=20M]\n"
    "  --keys     keys each filter is sized for and filled with\n"
    "  --queries  non-members queried\n";

// Fills, queries, and prints one line. False if the prediction does not hold.
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
  ForEachBatch(kFirstNonMember, num_queries,
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
  if (!ReadArguments(argc, argv,
                     {CountArgument("--keys", num_keys), CountArgument("--queries", num_queries)},
                     kUsage)) {
    return 2;
  }
  std::printf("%s keys, %s non-members\n", CountName(num_keys).c_str(),
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
  check(Encoding::kPlanes, {8});
  check(Encoding::kRuns, {4, 5, 8, 10});
  return all_kept ? 0 : 1;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
