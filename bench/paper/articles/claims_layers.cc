// The claims of less space by layers and by an adaptive number of hashes.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/paper/articles/articles.h"
#include "bench/paper/articles/bloom_model.h"
#include "bench/paper/articles/listings.h"
#include "bench/paper/report/random.h"
#include "bench/sides/fpr_bounds.h"
#include "engine/src/classic/filter.h"
#include "engine/src/classic/formulas.h"
#include "trommel/counting_filter.h"

namespace trommel::paper {
namespace {

// The listing's shape with 1,000 keys, over runs with different keys.
void AddListing(const Options& options, Table& table) {
  constexpr uint32_t kKeys = 1'000;
  const uint64_t num_runs = options.quick ? 5 : 200;
  const uint64_t num_non_members = options.quick ? 20'000 : 100'000;  // per run
  uint64_t num_layered = 0;
  uint64_t num_single = 0;
  const LayeredListing shape;
  const uint32_t single_hashes = 8;  // best at 11 bits per key
  for (uint64_t run = 0; run < num_runs; ++run) {
    LayeredListing layered;
    ListingBits single(shape.num_bits());
    RandomStream random(options.seed, 6000 + run);
    for (uint32_t i = 0; i < kKeys; ++i) {
      const uint64_t key = random.Next();
      layered.Add(key);
      single.Add(key, single_hashes);
    }
    for (uint64_t i = 0; i < num_non_members; ++i) {
      const uint64_t key = random.Next();
      num_layered += layered.MightContain(key);
      num_single += single.MightContain(key, single_hashes);
    }
  }
  const double num_queried = static_cast<double>(num_runs * num_non_members);
  const double layered_fpr = static_cast<double>(num_layered) / num_queried;
  Row rate{.what = "rate of the listing, 1,000 keys", .unit = Unit::kShare};
  rate.formula = FprAt(1, 2) * FprAt(10, 4);
  rate.measured = layered_fpr;
  rate.note =
      "The formula is that of independent layers. The listing's layers share hashes, and 10,000 is "
      "a multiple of 1,000: a false positive of the low layer is often one of the high layer.";
  Row single{.what = "rate of one filter of as many bits", .unit = Unit::kShare};
  const double exact = FprAt(11, single_hashes);
  single.exact = exact;
  single.measured = static_cast<double>(num_single) / num_queried;
  const double own =
      bench::TextbookFprSigma(shape.num_bits(), single_hashes, kKeys, num_non_members);
  single.allowed = Range{exact - 6 * own / std::sqrt(num_runs) - 0.02 * exact,
                         exact + 6 * own / std::sqrt(num_runs) + 0.02 * exact};
  Row space{.what = "space at the same rate, the listing", .unit = Unit::kChange, .paper = -0.35};
  space.measured = shape.num_bits() / (kKeys * LeastBitsPerKey(layered_fpr)) - 1;
  space.given = JudgeClaim(-0.35, *space.measured, 0.05);
  Row best{
      .what = "space at the same rate, the best layers", .unit = Unit::kChange, .paper = -0.35};
  best.exact = (BestBitsPerKey(0.1) + BestBitsPerKey(0.1)) / BestBitsPerKey(0.01) - 1;
  best.given = Verdict::kDoesNotReproduce;
  best.note =
      "Rates of independent layers multiply, and bits are proportional to their logarithm: two at "
      "10 % take the memory of one at 1 %. Layers that share hashes take more.";
  Row unfit{.what = "space, against a baseline of 3 hashes at 0.1 %", .unit = Unit::kChange};
  unfit.paper = -0.35;
  unfit.exact = LeastBitsPerKey(0.001) / BitsPerKey(3, 0.001) - 1;
  unfit.given = Verdict::kShown;
  unfit.note = "A baseline of the wrong size shows such a saving without any layers.";
  table.rows.insert(table.rows.end(), {rate, single, space, best, unfit});
}

// Layers beside a CountingFilter of the same rate.
void AddFront(const Options& options, Table& table) {
  constexpr double kLargeRate = 0.001;
  const uint64_t num_keys = options.quick ? 20'000 : 8'000'000;
  const uint64_t num_non_members = options.quick ? 50'000 : 2'000'000;
  CountingFilter alone =
      CountingFilter::Create({.capacity = num_keys, .target_fpr = kLargeRate}).value();
  Layers layers = Layers::Create(num_keys, kLargeRate);
  const RandomStream members(options.seed, 97);
  const RandomStream non_members(options.seed, 98);
  InsertRandom(alone, members, num_keys);
  InsertRandom(layers, members, num_keys);
  const auto rate_row = [&](const std::string& what, double exact, double measured) {
    Row row{.what = what, .unit = Unit::kShare, .exact = exact, .measured = measured};
    row.allowed =
        SigmaRange(exact, std::hypot(bench::BinomialSigma(exact, num_non_members), 0.02 * exact) +
                              1 / static_cast<double>(num_non_members));
    return row;
  };
  Row one = rate_row("rate of a CountingFilter", PredictedFpr(alone.geometry(), num_keys),
                     MeasuredFpr(alone, non_members, num_non_members));
  Row both = rate_row("rate of two layers", PredictedFpr(layers.large().geometry(), num_keys),
                      MeasuredFpr(layers, non_members, num_non_members));
  both.note =
      "That of the large layer, never the product: both layers have one digest, which makes a "
      "query as cheap as it can be.";
  Row passed{.what = "non-members that the first layer passes", .unit = Unit::kShare};
  passed.measured = layers.first().MeasureFill().current_fpr;
  const double change = layers.num_bytes() / static_cast<double>(alone.GetStats().num_bytes) - 1;
  Row space{.what = "space, two layers against a CountingFilter", .unit = Unit::kChange};
  space.paper = -0.35;
  space.measured = change;
  space.given = JudgeClaim(-0.35, change, 0.05);
  Row time{.what = "query time, all non-members", .unit = Unit::kChange, .paper = 0};
  time.measured = bench::TimeChange(
      num_non_members, options.quick ? 2 : 5,
      [&] { CountMaybePresent(alone, non_members, num_non_members); },
      [&] { CountMaybePresent(layers, non_members, num_non_members); });
  time.given = *time.measured < 0 ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
  time.note = "\"Slightly faster\" is claimed (shown as 0): below 0.";
  Row time_hits{.what = "query time, all members", .unit = Unit::kChange, .paper = 0};
  time_hits.measured = bench::TimeChange(
      num_non_members, options.quick ? 2 : 5,
      [&] { CountMaybePresent(alone, members, num_non_members); },
      [&] { CountMaybePresent(layers, members, num_non_members); });
  time_hits.given = *time_hits.measured < 0 ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
  time_hits.note = "The times include generating digests, on both sides.";
  table.rows.insert(table.rows.end(), {one, both, passed, space, time, time_hits});
}

}  // namespace

Table LayersClaim(const Options& options) {
  Table table{.title = "Claim: two layers take 35 % less space, and queries are slightly faster"};
  table.text =
      "The listing: 1,000 bits with 2 hashes before 10,000 bits with 4. Then two CountingFilters, "
      "a small one queried before a large one, beside a CountingFilter alone, both at 0.1 %.";
  table.axis = Axis::kLinear;
  AddListing(options, table);
  AddFront(options, table);
  return table;
}

namespace {

constexpr double kRate = 0.01;

// A split filter of the fewest positions that hold so many keys at the rate.
classic::Filter SplitFilter(uint64_t capacity) {
  const uint32_t num_hashes = classic::NumHashesFor(kRate);
  return classic::Filter(
      {.hashing = classic::Hashing::kMixed,
       .num_hashes = num_hashes,
       .num_positions = classic::SlicePositionsFor(num_hashes, capacity, kRate)});
}

double Bits(const classic::Filter& filter) {
  return static_cast<double>(filter.geometry().total_positions());
}

// "Keeps the rate within the target at all times": of a filter that is filled step by step and
// queried with as many probes as it says, the share of steps at which the measured rate is within
// the target, as far as chance can tell.
Row WithinRow(const std::string& what, uint64_t num_within, uint64_t num_steps, double highest) {
  Row row{.what = what, .unit = Unit::kShare, .paper = 1};
  row.measured = static_cast<double>(num_within) / static_cast<double>(num_steps);
  row.note = "Of " + std::to_string(num_steps) + " sizes. The highest rate was " +
             FigureText(highest, Unit::kShare) + ", the target is 1 %.";
  return row;
}

Row AlwaysWithin(const Options& options) {
  const uint64_t capacity = options.quick ? 20'000 : 500'000;
  const uint64_t num_non_members = options.quick ? 50'000 : 1'000'000;
  constexpr uint64_t kSteps = 20;
  classic::Filter filter = SplitFilter(capacity);
  const RandomStream non_members(options.seed, 83);
  RandomStream members(options.seed, 84);
  uint64_t num_within = 0;
  double highest = 0;
  for (uint64_t step = 0; step < kSteps; ++step) {
    filter.Insert(Keys::Digests(members.Take(capacity / kSteps)));
    const uint32_t probes = filter.ProbesFor(kRate);
    const uint64_t num_maybe =
        SumQueries(non_members, num_non_members, [&](const Keys& some, std::span<uint64_t> bitmap) {
          return filter.QueryFirst(some, probes, bitmap);
        });
    const double rate = static_cast<double>(num_maybe) / static_cast<double>(num_non_members);
    num_within += rate <= BinomialRange(kRate, num_non_members).high;
    highest = std::max(highest, rate);
  }
  return WithinRow("sizes within the target, probes as fills require", num_within, kSteps, highest);
}

Row ListingWithin(const Options& options) {
  const uint64_t num_non_members = options.quick ? 5'000 : 50'000;
  constexpr uint64_t kStep = 50;
  constexpr uint64_t kSteps = 24;
  AdaptiveListing listing;
  RandomStream members(options.seed, 85);
  RandomStream others(options.seed, 86);
  uint64_t num_within = 0;
  double highest = 0;
  for (uint64_t step = 0; step < kSteps; ++step) {
    for (uint64_t i = 0; i < kStep; ++i) listing.Add(members.Next());
    uint64_t num_maybe = 0;
    for (uint64_t i = 0; i < num_non_members; ++i) num_maybe += listing.MightContain(others.Next());
    const double rate = static_cast<double>(num_maybe) / static_cast<double>(num_non_members);
    num_within += rate <= BinomialRange(kRate, num_non_members).high;
    highest = std::max(highest, rate);
  }
  Row row = WithinRow("sizes within the target, the listing, 50 to 1,200 keys", num_within, kSteps,
                      highest);
  row.note += " It loses members all the while: see the first table.";
  return row;
}

}  // namespace

Table ProbesClaim(const Options& options) {
  const uint64_t capacity = options.quick ? 20'000 : 1'000'000;
  const uint64_t num_non_members = options.quick ? 100'000 : 3'000'000;
  Table table{.title = "Claim: adapting the number of hashes takes 20 % less space"};
  table.text =
      "The sound form marks all slices on insertion, and queries probe only as many as the current "
      "fills require; slices that will never be needed are released. Space is in positions.";
  table.axis = Axis::kLinear;

  Row fixed{
      .what = "best k against k = 3, each at the right size", .unit = Unit::kChange, .paper = -0.2};
  fixed.exact = LeastBitsPerKey(kRate) / BitsPerKey(3, kRate) - 1;
  fixed.tolerance = 0.15;
  fixed.given = Verdict::kSoundForm;
  fixed.note =
      "The saving exists beside a baseline that keeps the listing's 3 hashes: 7 are best at 1 %.";

  classic::Filter filter = SplitFilter(capacity);
  const double all_bits = Bits(filter);
  const RandomStream members(options.seed, 81);
  const RandomStream non_members(options.seed, 82);

  // With half of the keys fewer slices suffice.
  const uint64_t half = capacity / 2;
  InsertRandom(filter, members, half);
  const uint32_t probes = filter.ProbesFor(kRate);
  const auto query_first = [&](const RandomStream& keys, uint64_t count, uint32_t num_probes) {
    return SumQueries(keys, count, [&](const Keys& some, std::span<uint64_t> bitmap) {
      return filter.QueryFirst(some, num_probes, bitmap);
    });
  };
  Row half_rate{.what = "rate at half the keys, " + std::to_string(probes) + " of 7 probes"};
  half_rate.unit = Unit::kShare;
  const double exact = classic::SplitFpr(probes, filter.geometry().num_positions, half);
  half_rate.exact = exact;
  half_rate.measured = static_cast<double>(query_first(non_members, num_non_members, probes)) /
                       static_cast<double>(num_non_members);
  half_rate.allowed =
      SigmaRange(exact, bench::TextbookFprSigma(filter.geometry().num_positions * probes, probes,
                                                half, num_non_members));
  half_rate.note = "Target: at most 1 %.";

  const double time_change = bench::TimeChange(
      half, options.quick ? 2 : 5, [&] { query_first(members, half, 7); },
      [&] { query_first(members, half, probes); });
  Row faster{.what = "query time, members, fewer probes", .unit = Unit::kChange};
  faster.measured = time_change;

  classic::Filter at_capacity = SplitFilter(capacity);
  InsertRandom(at_capacity, members, capacity);
  at_capacity.DropSlices(at_capacity.ProbesFor(kRate * 1.05));
  Row full{.what = "space released, filter full", .unit = Unit::kChange, .paper = -0.2, .exact = 0};
  full.measured = Bits(at_capacity) / all_bits - 1;
  full.allowed = Exactly(0);
  full.given = Verdict::kDoesNotReproduce;
  full.note = "A filter sized for its keys needs every slice. (5 % above the rate is tolerated.)";

  filter.DropSlices(probes);
  Row released{.what = "space released, filter half full of keys", .unit = Unit::kChange};
  released.paper = -0.2;
  released.measured = Bits(filter) / all_bits - 1;
  released.given = Verdict::kSoundForm;
  Row against_fit{.what = "the remaining space, against a filter of that size",
                  .unit = Unit::kChange};
  against_fit.measured = Bits(filter) / (LeastBitsPerKey(kRate) * static_cast<double>(half)) - 1;
  against_fit.note = "It releases excess memory, and still has more than needed.";
  Row lost{.what = "members that answer \"absent\" then", .unit = Unit::kCount, .exact = 0};
  lost.measured = static_cast<double>(half - CountMaybePresent(filter, members, half));
  lost.allowed = Exactly(0);
  table.rows = {fixed, full, released, against_fit, half_rate, lost, faster};
  table.rows.push_back(AlwaysWithin(options));
  table.rows.push_back(ListingWithin(options));
  return table;
}

}  // namespace trommel::paper
