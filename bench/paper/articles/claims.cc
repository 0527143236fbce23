// What the listings lose, the claim about hashes, and the whole report.
#include <cmath>
#include <vector>

#include "bench/paper/articles/articles.h"
#include "bench/paper/articles/listings.h"
#include "bench/paper/report/random.h"
#include "engine/src/classic/formulas.h"

namespace trommel::paper {
namespace {

Row Loss(const std::string& what, double exact, double measured, const Range& allowed) {
  // "Absent" is promised to be certain: no member is lost.
  Row row{.what = what, .unit = Unit::kShare, .paper = 0, .exact = exact, .measured = measured};
  row.allowed = allowed;
  return row;
}

Row Thrown(const Options& options) {
  constexpr uint32_t kSize = 10'000;
  const uint64_t num_keys = options.quick ? 20'000 : 1'000'000;
  RandomStream random(options.seed, 60);
  uint64_t num_thrown = 0;
  for (uint64_t i = 0; i < num_keys; ++i) num_thrown += ThrowsAsPrinted(random.Next(), 3, kSize);
  const double bad = 0.5 * (1 - 8.0 / kSize);  // negative, and below -7
  const double exact = 1 - std::pow(1 - bad, 3);
  Row row = Loss("all listings: keys that throw as printed", exact,
                 static_cast<double>(num_thrown) / static_cast<double>(num_keys),
                 BinomialRange(exact, num_keys));
  row.note =
      "hash % size is negative in Java for half of all hashes, and the array has no negative "
      "index. The rows below use floorMod instead.";
  return row;
}

Row Adaptive(const Options& options, uint32_t num_keys) {
  AdaptiveListing filter;
  RandomStream random(options.seed, 61);
  const std::vector<uint64_t> keys = random.Take(num_keys);
  std::vector<uint32_t> hashes_of;
  uint64_t num_thrown = 0;
  for (const uint64_t key : keys) {
    hashes_of.push_back(filter.num_hashes());
    num_thrown += filter.num_hashes();
    filter.Add(key);
  }
  const double fill = classic::Fill(filter.bits().size(), num_thrown);
  double expected = 0;
  for (const uint32_t then : hashes_of) {
    const uint32_t more = filter.num_hashes() > then ? filter.num_hashes() - then : 0;
    expected += 1 - std::pow(fill, more);
  }
  uint64_t num_lost = 0;
  for (const uint64_t key : keys) num_lost += !filter.MightContain(key);
  const double n = num_keys;
  const Range counts = PoissonRange(expected, 1);
  Row row = Loss("adaptive: lost of " + std::to_string(num_keys) + " keys", expected / n,
                 static_cast<double>(num_lost) / n, {counts.low / n, counts.high / n});
  row.note = "Now " + std::to_string(filter.num_hashes()) +
             " hashes; queries use all of them, also for keys that were added with fewer.";
  if (num_lost == 0) row.given = Verdict::kShown;
  return row;
}

std::vector<Row> Doubling(const Options& options) {
  const uint64_t num_runs = options.quick ? 5 : 100;
  double fill = 0;
  uint64_t num_lost = 0;
  constexpr uint32_t kKeys = 800;
  constexpr uint32_t kSize = 1'000;
  for (uint64_t run = 0; run < num_runs; ++run) {
    RandomStream random(options.seed, 2000 + run);
    const std::vector<uint64_t> keys = random.Take(kKeys);
    DoublingListing filter(kSize);
    for (const uint64_t key : keys) filter.Add(key);
    fill += filter.bits().Fill() / static_cast<double>(num_runs);
    filter.Add(random.Next());
    for (const uint64_t key : keys) num_lost += !filter.MightContain(key);
  }
  const double full = classic::Fill(kSize, 3 * kKeys);
  Row at{
      .what = "doubling: fill when it doubles", .unit = Unit::kShare, .paper = 0.8, .exact = full};
  at.measured = fill;
  at.allowed = SigmaRange(full, 0.01 / std::sqrt(static_cast<double>(num_runs)));
  at.note =
      "It compares elements with bits: 91 % are set then, and 75 % of non-members are \"maybe "
      "present\".";
  const double after = classic::Fill(2 * kSize, static_cast<uint64_t>(3 * (full * kSize + 1)));
  const double exact = 1 - std::pow(after, 3);
  Row lost = Loss("doubling: keys lost at once", exact,
                  static_cast<double>(num_lost) / static_cast<double>(num_runs * kKeys),
                  SigmaRange(exact, 0.03 / std::sqrt(static_cast<double>(num_runs))));
  lost.note = "It hashes the positions of set bits again; no key has its bits there.";
  return {at, lost};
}

Row Expiring(const Options& options) {
  const uint64_t num_runs = options.quick ? 10 : 500;
  constexpr uint32_t kEach = 100;  // live, and expired
  uint64_t num_hidden = 0;
  for (uint64_t run = 0; run < num_runs; ++run) {
    RandomStream random(options.seed, 4000 + run);
    const std::vector<uint64_t> keys = random.Take(2 * kEach);
    ExpiringListing filter(1'000);
    for (uint32_t i = 0; i < 2 * kEach; ++i) filter.Add(keys[i], i < kEach ? 0 : 100);
    filter.CleanExpired(100, 50);
    for (uint32_t i = kEach; i < 2 * kEach; ++i) num_hidden += !filter.MightContain(keys[i]);
  }
  const double cleared = classic::Fill(1'000, 3 * kEach);
  const double exact = 1 - std::pow(1 - cleared, 3);
  Row row = Loss("expiry: live keys hidden, half the keys expired", exact,
                 static_cast<double>(num_hidden) / static_cast<double>(num_runs * kEach),
                 SigmaRange(exact, 0.08 / std::sqrt(static_cast<double>(num_runs))));
  row.note =
      "It clears bits that live keys share. (As printed it also removes entries of a map while "
      "iterating over it, for which Java throws ConcurrentModificationException.)";
  return row;
}

}  // namespace

Table ListingLosses(const Options& options) {
  Table table{.title = "The listings: the members that they lose"};
  table.text =
      "Each listing as printed. The text promises that \"absent\" is certain: no key is lost. The "
      "exact model is the expectation for random keys. The layered listing never allocates its "
      "arrays, and Guava has no class CityHash.";
  table.rows = {Thrown(options), Adaptive(options, 400), Adaptive(options, 1'000),
                Adaptive(options, 1'200)};
  for (Row& row : Doubling(options)) table.rows.push_back(std::move(row));
  table.rows.push_back(Expiring(options));
  table.axis = Axis::kLinear;
  return table;
}

Table HashClaim(const Options& options) {
  Table table = HashRates(options);
  table.title = "Claim: CityHash instead of MurmurHash takes 15 % less space at the same rate";
  table.text +=
      "FarmHash is the successor of CityHash, by the same authors. The cost of each per key: "
      "hash_bench.";
  // Bits per key grow as ln p: a factor in the rate is its logarithm in space.
  double least = 1;
  double most = 0;
  double reach = 0;
  for (const Row& row : table.rows) {
    least = std::min(least, *row.measured);
    most = std::max(most, *row.measured);
    reach = std::max(reach, row.allowed->high - *row.exact);
  }
  const double target = *table.rows.front().exact;
  Row space{.what = "space at the same rate, best against worst", .unit = Unit::kChange};
  space.paper = -0.15;
  space.exact = 0;
  space.measured = std::log(most / least) / std::log(target);
  space.allowed = Range{2 * reach / target / std::log(target), 0};
  space.given = JudgeClaim(*space.paper, *space.measured, 0.05);
  space.note = "From the rates above: the differences are those of chance.";
  table.rows.push_back(space);
  return table;
}

Report ClaimsReport(const Options& options) {
  return {.name = "reproduce_claims",
          .source = "an article on the space efficiency of HBase's Bloom filters",
          .tables = {ListingLosses(options), HashClaim(options), ProbesClaim(options),
                     GrowthClaim(options), ExpiryClaim(options), LayersClaim(options)}};
}

}  // namespace trommel::paper
