#include "bench/trials/fingerprint_trial.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/sides/demand.h"
#include "bench/sides/fpr_bounds.h"
#include "bench/sides/workload.h"
#include "bench/text/figures.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::bench {
namespace {

// As encodings_bench: with these, promoted blocks limit how full the others are, not the rate.
constexpr double kRateOfWide = 0.0004;
constexpr double kRateOfDense = 0.003;
constexpr uint64_t kKeysPerReplacement = 1024;
constexpr uint64_t kFirstSize = 176'128;
constexpr double kGrowingTarget = 0.01;

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
  if (ShareFound(filter, kFirstMember, num_keys) != 1) outcome.wrong = "a member is not found";
  if (std::abs(row.fpr.measured - row.fpr.predicted) > kMaxSigmas * row.fpr_sigma) {
    outcome.wrong = "the rate is not the model's";
  }

  ConcurrentFilter shared = ValueOrExit(ConcurrentFilter::Adopt(std::move(filter)));
  row.fresh_undecided = shared.GetStats().undecided_share;
  uint64_t first = kFirstMember;
  for (int i = 0; i < kReplacements; ++i, first += num_keys) {
    if (!ReplaceKeys(shared, first, num_keys)) outcome.wrong = "an erasure is refused";
  }
  row.undecided = {PredictedUndecidedShare(geometry, num_keys), shared.GetStats().undecided_share};
  if (ShareFound(shared, first, num_keys) != 1) outcome.wrong = "a member is not found";
  return row;
}

}  // namespace

LoadOutcome RunLoadTrial(Encoding encoding, uint64_t num_keys, uint64_t num_queries) {
  LoadOutcome outcome;
  for (const double times : {0.5, 1.0, 1.1, 1.25, 1.5, 1.9}) {
    outcome.rows.push_back(MeasureLoad(encoding, num_keys, times, num_queries, outcome));
  }
  return outcome;
}

DoublingOutcome RunDoublingTrial(uint32_t num_doublings, uint64_t num_queries) {
  DoublingOutcome outcome;
  CountingFilter counting = ValueOrExit(CountingFilter::Create(
      {.capacity = kFirstSize, .target_fpr = kRateOfWide, .encoding = Encoding::kFingerprints16}));
  ScalableFilter scalable =
      ValueOrExit(ScalableFilter::Create({.first_capacity = kFirstSize,
                                          .target_fpr = kGrowingTarget,
                                          .max_capacity = kFirstSize << num_doublings}));
  uint64_t num_keys = 0;
  for (uint32_t d = 0; d <= num_doublings; ++d) {
    if (d > 0 && !counting.Grow().ok()) outcome.wrong = "a filter does not grow";
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
    if (ShareFound(counting, kFirstMember, num_keys) != 1 ||
        ShareFound(scalable, kFirstMember, num_keys) != 1) {
      outcome.wrong = "a member is not found";
    }
    outcome.rows.push_back(row);
  }
  return outcome;
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

std::string FormatDoublings(const DoublingOutcome& outcome) {
  std::string text =
      Printed("%9s %10s  %4s %9s %9s  %9s %9s\n", "", "", "", "counting", "", "scalable", "");
  text += Printed("%9s %10s  %4s %9s %9s  %9s %9s\n", "doublings", "keys", "bits", "model",
                  "measured", "model", "measured");
  for (const DoublingRow& row : outcome.rows) {
    text += Printed("%9u %10llu  %4u %9.4f %9.4f  %9.4f %9.4f\n", row.num_doublings,
                    static_cast<unsigned long long>(row.num_keys), row.fingerprint_bits,
                    100 * row.counting.predicted, 100 * row.counting.measured,
                    100 * row.scalable.predicted, 100 * row.scalable.measured);
  }
  return text;
}

}  // namespace trommel::bench
