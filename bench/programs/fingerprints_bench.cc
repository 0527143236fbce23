// Fingerprint blocks beside their models: rates, promoted blocks and undecided queries by load, and
// rates after doublings. Nothing is timed. How to read it: engine/docs/FINGERPRINTS.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/sides/demand.h"
#include "bench/sides/fpr_bounds.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"

namespace trommel::bench {
namespace {

// A model's figure and what a filter had.
struct Compared {
  double predicted = 0;
  double measured = 0;
};

// A filter that holds `times` its capacity. Shares are of blocks (promoted) or of non-members.
struct LoadRow {
  double times = 0;
  double keys_per_block = 0;
  Compared fpr;  // of queries that look into the side table
  double fpr_sigma = 0;
  Compared promoted;
  Compared undecided;  // predicted and measured after all keys were replaced kReplacements times
  double fresh_undecided = 0;  // measured before
};

constexpr int kReplacements = 4;

struct LoadOutcome {
  Geometry geometry;
  std::vector<LoadRow> rows;
};

// Filters that hold 2^doublings times the keys of their first size.
struct DoublingRow {
  uint32_t num_doublings = 0;
  uint64_t num_keys = 0;
  uint32_t fingerprint_bits = 0;
  Compared counting;  // CountingFilter::Grow: each doubling takes a bit from all fingerprints
  Compared scalable;  // ScalableFilter: as many bits of each digest at any size
};

// As encodings_bench: with these, promoted blocks limit how full the others are, not the rate.
constexpr double kRateOfWide = 0.0004;
constexpr double kRateOfDense = 0.003;
constexpr uint64_t kKeysPerReplacement = 1024;
constexpr uint64_t kFirstSize = 176'128;
constexpr double kGrowingTarget = 0.01;
constexpr double kUndecidedReach = 0.3;  // of the model, which is no distribution

double RateOf(Encoding encoding) {
  return encoding == Encoding::kFingerprints16 ? kRateOfWide : kRateOfDense;
}

// The share of the keys [first, first + count) that are answered "maybe present".
template <class Filter>
double ShareFound(const Filter& filter, uint64_t first, uint64_t count) {
  std::vector<uint64_t> maybe;
  uint64_t num_found = 0;
  ForEachBatch(first, count, [&](Batch batch) {
    maybe.resize(CountingFilter::BitmapWords(batch.size()));
    num_found += filter.Query(Keys::Digests(batch.digests), maybe);
  });
  return static_cast<double>(num_found) / static_cast<double>(count);
}

double PromotedShare(const Stats& stats, const Geometry& geometry) {
  return static_cast<double>(stats.num_promoted) / static_cast<double>(geometry.num_blocks);
}

// The keys [first, first + num_keys) give way to the next num_keys, some at a time. Returns whether
// each was in.
bool ReplaceKeys(ConcurrentFilter& filter, uint64_t first, uint64_t num_keys) {
  uint64_t num_refused = 0;
  for (uint64_t done = 0; done < num_keys; done += kKeysPerReplacement) {
    const auto count = static_cast<size_t>(std::min(kKeysPerReplacement, num_keys - done));
    const Population old(first + done, count);
    const Population fresh(first + num_keys + done, count);
    num_refused += filter.Erase(Keys::Digests(old.batch().digests)).num_refused;
    filter.Insert(Keys::Digests(fresh.batch().digests));
  }
  return num_refused == 0;
}

LoadRow MeasureLoad(Encoding encoding, uint64_t capacity, double times, uint64_t num_queries,
                    LoadOutcome& outcome) {
  CountingFilter filter = ValueOrExit(CountingFilter::Create(
      {.capacity = capacity, .target_fpr = RateOf(encoding), .encoding = encoding}));
  const Geometry geometry = filter.geometry();
  outcome.geometry = geometry;
  const auto num_keys = static_cast<uint64_t>(std::llround(static_cast<double>(capacity) * times));
  ForEachBatch(kFirstMember, num_keys,
               [&](Batch batch) { filter.Insert(Keys::Digests(batch.digests)); });
  LoadRow row;
  row.times = times;
  row.keys_per_block = static_cast<double>(num_keys) / static_cast<double>(geometry.num_blocks);
  row.fpr = {PredictedFpr(geometry, num_keys), ShareFound(filter, kFirstNonMember, num_queries)};
  row.fpr_sigma = BlockFprSigma(geometry, num_keys, num_queries);
  row.promoted = {PredictedPromotedShare(geometry, num_keys),
                  PromotedShare(filter.GetStats(), geometry)};
  Demand(ShareFound(filter, kFirstMember, num_keys) == 1, "a member is not found");
  Demand(std::abs(row.fpr.measured - row.fpr.predicted) <= kMaxSigmas * row.fpr_sigma,
         "the rate is not the model's");
  const double share = row.promoted.predicted;
  const double share_sigma =
      std::sqrt(share * (1 - share) / static_cast<double>(geometry.num_blocks));
  Demand(std::abs(row.promoted.measured - share) <= kMaxSigmas * share_sigma,
         "the share of promoted blocks is not the model's");

  ConcurrentFilter shared = ValueOrExit(ConcurrentFilter::Adopt(std::move(filter)));
  row.fresh_undecided = shared.GetStats().undecided_share;
  uint64_t first = kFirstMember;
  for (int i = 0; i < kReplacements; ++i, first += num_keys) {
    Demand(ReplaceKeys(shared, first, num_keys), "an erasure is refused");
  }
  row.undecided = {PredictedUndecidedShare(geometry, num_keys), shared.GetStats().undecided_share};
  Demand(ShareFound(shared, first, num_keys) == 1, "a member is not found");
  Demand(std::abs(row.undecided.measured - row.undecided.predicted) <=
             0.01 + kUndecidedReach * row.undecided.predicted,
         "the share of undecided queries is not the model's");
  return row;
}

// Requires an encoding of fingerprints.
LoadOutcome RunLoadTrial(Encoding encoding, uint64_t num_keys, uint64_t num_queries) {
  LoadOutcome outcome;
  for (const double times : {0.5, 1.0, 1.1, 1.25, 1.5, 1.9}) {
    outcome.rows.push_back(MeasureLoad(encoding, num_keys, times, num_queries, outcome));
  }
  return outcome;
}

// The first size is 176,128 keys, and the ScalableFilter is to keep 1 % at the last one. Requires
// at most 8 doublings, which leave 8 bits of 16.
std::vector<DoublingRow> RunDoublingTrial(uint32_t num_doublings, uint64_t num_queries) {
  std::vector<DoublingRow> rows;
  CountingFilter counting = ValueOrExit(CountingFilter::Create(
      {.capacity = kFirstSize, .target_fpr = kRateOfWide, .encoding = Encoding::kFingerprints16}));
  ScalableFilter scalable =
      ValueOrExit(ScalableFilter::Create({.first_capacity = kFirstSize,
                                          .target_fpr = kGrowingTarget,
                                          .max_capacity = kFirstSize << num_doublings}));
  uint64_t num_keys = 0;
  for (uint32_t d = 0; d <= num_doublings; ++d) {
    Demand(d == 0 || counting.Grow().ok(), "a filter does not grow");
    const uint64_t num_wanted = kFirstSize << d;
    ForEachBatch(kFirstMember + num_keys, num_wanted - num_keys, [&](Batch batch) {
      counting.Insert(Keys::Digests(batch.digests));
      scalable.Insert(Keys::Digests(batch.digests));
    });
    num_keys = num_wanted;
    DoublingRow row;
    row.num_doublings = d;
    row.num_keys = num_keys;
    row.fingerprint_bits = counting.geometry().fingerprint_bits;
    row.counting = {PredictedFpr(counting.geometry(), num_keys),
                    ShareFound(counting, kFirstNonMember, num_queries)};
    row.scalable = {scalable.ForecastAt(num_keys).predicted_fpr,
                    ShareFound(scalable, kFirstNonMember, num_queries)};
    Demand(ShareFound(counting, kFirstMember, num_keys) == 1 &&
               ShareFound(scalable, kFirstMember, num_keys) == 1,
           "a member is not found");
    for (const Compared& rate : {row.counting, row.scalable}) {
      const double sigma = BinomialSigma(rate.predicted, num_queries);
      Demand(std::abs(rate.measured - rate.predicted) <= kMaxSigmas * sigma + 0.15 * rate.predicted,
             "a rate after doublings is not the model's");
    }
    rows.push_back(row);
  }
  return rows;
}

std::string FormatLoads(const LoadOutcome& outcome) {
  std::string text = Printed("%s, %llu blocks, fingerprints of %u bits; shares in %%\n",
                             std::string(EncodingName(outcome.geometry.encoding)).c_str(),
                             static_cast<unsigned long long>(outcome.geometry.num_blocks),
                             outcome.geometry.fingerprint_bits);
  text += Printed("%8s %10s  %9s %9s %8s  %9s %9s  %10s %9s %9s\n", "capacity", "keys per", "rate",
                  "", "", "promoted", "", "undecided", "", "");
  text += Printed("%8s %10s  %9s %9s %8s  %9s %9s  %10s %9s %9s\n", "times", "block", "model",
                  "measured", "sigma", "model", "measured", "model", "replaced", "fresh");
  for (const LoadRow& row : outcome.rows) {
    text += Printed("%8.2f %10.2f  %9.4f %9.4f %8.4f  %9.4f %9.4f  %10.4f %9.4f %9.4f\n", row.times,
                    row.keys_per_block, 100 * row.fpr.predicted, 100 * row.fpr.measured,
                    100 * row.fpr_sigma, 100 * row.promoted.predicted, 100 * row.promoted.measured,
                    100 * row.undecided.predicted, 100 * row.undecided.measured,
                    100 * row.fresh_undecided);
  }
  return text;
}

std::string FormatDoublings(const std::vector<DoublingRow>& rows) {
  std::string text =
      Printed("%9s %10s  %4s %9s %9s  %9s %9s\n", "", "", "", "counting", "", "scalable", "");
  text += Printed("%9s %10s  %4s %9s %9s  %9s %9s\n", "doublings", "keys", "bits", "model",
                  "measured", "model", "measured");
  for (const DoublingRow& row : rows) {
    text += Printed("%9u %10llu  %4u %9.4f %9.4f  %9.4f %9.4f\n", row.num_doublings,
                    static_cast<unsigned long long>(row.num_keys), row.fingerprint_bits,
                    100 * row.counting.predicted, 100 * row.counting.measured,
                    100 * row.scalable.predicted, 100 * row.scalable.measured);
  }
  return text;
}

constexpr uint64_t kMostDoublings = 8;

constexpr char kUsage[] =
    "usage: fingerprints_bench [--keys=1M] [--queries=20M] [--doublings=6]\n"
    "  --keys       the capacity of filters that are filled up to 1.9 times\n"
    "  --queries    non-members per rate\n"
    "  --doublings  of filters that grow from 176,128 keys, at most 8\n";

int Main(int argc, char** argv) {
  uint64_t num_keys = 1'000'000;
  uint64_t num_queries = 20'000'000;
  uint64_t num_doublings = 6;
  if (!ReadArguments(argc, argv,
                     {CountArgument("--keys", num_keys), CountArgument("--queries", num_queries),
                      CountArgument("--doublings", num_doublings, kMostDoublings)},
                     kUsage)) {
    return 2;
  }
  std::printf("Capacity %s keys, %s non-members; all shares in percent.\n",
              CountName(num_keys).c_str(), CountName(num_queries).c_str());
  for (const Encoding encoding : {Encoding::kFingerprints16, Encoding::kDense}) {
    std::printf("\n%s", FormatLoads(RunLoadTrial(encoding, num_keys, num_queries)).c_str());
    std::fflush(stdout);
  }
  const auto doublings = static_cast<uint32_t>(num_doublings);
  std::printf("\n%s", FormatDoublings(RunDoublingTrial(doublings, num_queries)).c_str());
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
