// Fewer probes and fewer slices: never a false negative, and the rate that is left.
#include "trommel/classic/split_counting_filter.h"

#include <cmath>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/random_keys.h"
#include "support/statistics.h"
#include "trommel/classic/sizing.h"

namespace trommel::classic {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::MemberKeys;
using tests::NonMemberKeys;

// 20 slices for 10 000 keys.
SplitCountingFilter NewFilter() {
  const Config config{.capacity = 10'000, .target_fpr = 1e-6, .hashing = Hashing::kMixed};
  return std::move(SplitCountingFilter::Create(config)).value();
}

TEST_CASE("a filter far from full needs few probes, and a full one all", "[engine][classic]") {
  auto filter = NewFilter();
  REQUIRE(filter.geometry().num_hashes == 20);
  CHECK(filter.ProbesFor(0.01) == 1);  // empty
  uint32_t least = 1;
  for (const size_t num_keys : {10, 100, 1000, 3000, 10'000}) {
    filter.Insert(MemberKeys(num_keys - filter.num_keys(), Catch::rngSeed(), filter.num_keys()));
    const uint32_t probes = filter.ProbesFor(1e-3);
    CHECK(probes >= least);
    // The model of these many keys is no further off than a slice.
    const uint32_t predicted = PredictedProbes(filter.geometry(), num_keys, 1e-3);
    CHECK(probes <= predicted + 1);
    CHECK(predicted <= probes + 1);
    double product = 1;
    const Stats stats = filter.GetStats();
    for (uint32_t i = 0; i + 1 < probes; ++i) product *= stats.slice_fills[i];
    CHECK((probes == 1 || product > 1e-3));  // one fewer would not do
    CHECK(product * stats.slice_fills[probes - 1] <= 1e-3);
    least = probes;
  }
  CHECK(least >=
        10);  // 2^-10 is under a thousandth, but slices may be a little more than half full
  CHECK(least <= 11);
  CHECK(filter.ProbesFor(1e-9) == 20);  // not met: all
  CHECK(filter.ProbesFor(std::nan("")) == 20);
  CHECK(filter.ProbesFor(1) == 1);
}

TEST_CASE("the first slices answer at the product of their fills, and hide no key",
          "[engine][classic]") {
  auto filter = NewFilter();
  const auto members = MemberKeys(8000, Catch::rngSeed());
  filter.Insert(members);
  constexpr uint64_t kQueries = 300'000;
  const auto non_members = NonMemberKeys(kQueries, Catch::rngSeed());
  std::vector<uint64_t> bitmap(Filter::BitmapWords(kQueries));
  std::vector<uint64_t> member_bitmap(Filter::BitmapWords(members.size()));
  const Stats stats = filter.GetStats();
  double product = 1;
  for (uint32_t probes = 1; probes <= 12; ++probes) {
    product *= stats.slice_fills[probes - 1];
    const size_t num_present = filter.QueryFirst(non_members, probes, bitmap);
    CHECK(tests::BinomialBound(product, kQueries).ContainsHits(num_present));
    CHECK(filter.QueryFirst(members, probes, member_bitmap) == members.size());
  }
}

TEST_CASE("dropping slices leaves the filter that was built with fewer", "[engine][classic]") {
  auto filter = NewFilter();
  const auto members = MemberKeys(5000, Catch::rngSeed());
  filter.Insert(members);
  const uint64_t num_bytes = filter.GetStats().num_bytes;
  const double product = [&] {
    double fills = 1;
    for (int i = 0; i < 8; ++i) fills *= filter.GetStats().slice_fills[static_cast<size_t>(i)];
    return fills;
  }();
  auto whole = NewFilter();
  REQUIRE(filter.DropSlices(8).ok());

  CHECK(filter.GetStats().num_bytes == num_bytes / 20 * 8);
  CHECK(filter.GetStats().current_fpr == product);
  Geometry fewer = whole.geometry();
  fewer.num_hashes = 8;
  auto built = std::move(SplitCountingFilter::CreateWithGeometry(fewer)).value();
  built.Insert(members);
  CHECK(filter.geometry() == built.geometry());
  CHECK(filter.CounterHistogram() == built.CounterHistogram());
  REQUIRE(filter.Merge(built).ok());  // they are of one identity
  REQUIRE(filter.Subtract(built).ok());
  CHECK(filter.Merge(whole).error().message ==
        "cannot merge: num_hashes differs: 8 here, 20 there");
  CHECK((filter.Serialize() != whole.Serialize()));

  std::vector<uint64_t> bitmap(Filter::BitmapWords(members.size()));
  CHECK(filter.Query(members, bitmap) == members.size());
  const auto loaded = std::move(SplitCountingFilter::Deserialize(filter.Serialize())).value();
  CHECK(loaded.geometry().num_hashes == 8);
  CHECK(filter.Erase(members) == EraseOutcome{members.size(), 0});
  CHECK(filter.GetStats().fill_ratio == 0);
}

TEST_CASE("slices out of range are refused, and probes out of range end the program",
          "[engine][classic]") {
  auto filter = NewFilter();
  CHECK(filter.DropSlices(0).error().message == "num_slices is 0; it must be between 1 and 20");
  CHECK(filter.DropSlices(21).error().message == "num_slices is 21; it must be between 1 and 20");
  CHECK(filter.DropSlices(20).ok());
  std::vector<uint64_t> bitmap(1);
  const std::vector<uint64_t> keys = {1};
  CHECK_THAT(tests::AbortMessage([&] { filter.QueryFirst(keys, 0, bitmap); }),
             ContainsSubstring("more probes than slices, or none"));
  CHECK_THAT(tests::AbortMessage([&] { filter.QueryFirst(keys, 21, bitmap); }),
             ContainsSubstring("more probes than slices, or none"));
}

}  // namespace
}  // namespace trommel::classic
