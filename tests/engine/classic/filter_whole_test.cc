// Whole classic filters: merge, subtract, fold, clear, statistics.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "trommel/classic/bloom_filter.h"
#include "trommel/classic/counting_bloom_filter.h"
#include "trommel/classic/filter.h"
#include "trommel/classic/split_counting_filter.h"

namespace trommel::classic {
namespace {

using Catch::Approx;
using tests::MemberKeys;

constexpr Geometry kSplit{.num_hashes = 7, .counter_bits = 8, .num_positions = 1024};

SplitCountingFilter NewSplit(const Geometry& geometry = kSplit, const DigestPolicy& policy = {}) {
  return std::move(SplitCountingFilter::CreateWithGeometry(geometry, policy)).value();
}

Geometry With(const std::function<void(Geometry&)>& edit) {
  Geometry geometry = kSplit;
  edit(geometry);
  return geometry;
}

TEST_CASE("merging classic filters is inserting the other's keys, subtracting erasing them",
          "[engine][classic]") {
  const auto ours = MemberKeys(300, Catch::rngSeed());
  const auto theirs = MemberKeys(400, Catch::rngSeed(), 200);  // 100 of them are ours, too
  auto a = NewSplit();
  auto b = NewSplit();
  auto both = NewSplit();
  a.Insert(ours);
  b.Insert(theirs);
  both.Insert(ours);
  const auto before = a.Serialize();
  both.Insert(theirs);
  REQUIRE(a.Merge(b).ok());
  CHECK((a.Serialize() == both.Serialize()));
  CHECK(a.num_keys() == 700);
  REQUIRE(a.Subtract(b).ok());
  CHECK((a.Serialize() == before));

  const Status refused = a.Subtract(both);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message ==
        "cannot subtract: the other filter holds keys that were not inserted here");
  CHECK((a.Serialize() == before));

  const Geometry bits{
      .kind = Kind::kBloom, .num_hashes = 7, .counter_bits = 1, .num_positions = 9000};
  auto plain = std::move(BloomFilter::CreateWithGeometry(bits)).value();
  auto other = std::move(BloomFilter::CreateWithGeometry(bits)).value();
  auto joined = std::move(BloomFilter::CreateWithGeometry(bits)).value();
  plain.Insert(ours);
  other.Insert(theirs);
  joined.Insert(ours);
  joined.Insert(theirs);
  REQUIRE(plain.Merge(other).ok());
  CHECK((plain.Serialize() == joined.Serialize()));
  CHECK(plain.GetStats().num_stuck == 0);  // bits are no counters
  CHECK(plain.GetStats().num_lost_increments == 0);
}

TEST_CASE("classic filters that differ do not merge, and say in what", "[engine][classic]") {
  auto filter = NewSplit();
  const auto complaint = [&](const Geometry& geometry, const DigestPolicy& policy = {}) {
    const Status status = filter.Merge(NewSplit(geometry, policy));
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::kMismatch);
    CHECK(filter.Subtract(NewSplit(geometry, policy)).error().code == ErrorCode::kMismatch);
    return status.error().message;
  };
  CHECK(complaint(With([](Geometry& g) { g.num_hashes = 8; })) ==
        "cannot merge: num_hashes differs: 7 here, 8 there");
  CHECK(complaint(With([](Geometry& g) { g.num_positions = 9; })) ==
        "cannot merge: num_positions differs: 1024 here, 9 there");
  CHECK(complaint(With([](Geometry& g) { g.counter_bits = 7; })) ==
        "cannot merge: counter_bits differs: 8 here, 7 there");
  CHECK(complaint(With([](Geometry& g) { g.hashing = Hashing::kMixed; })) ==
        "cannot merge: hashing differs: double here, mixed there");
  CHECK(complaint(kSplit, {.kind = DigestKind::kXxh3}) ==
        "cannot merge: digest kind differs: xxh64 here, xxh3 there");
  CHECK(complaint(kSplit, {.seed = 99}) == "cannot merge: digest seed differs");
  const auto whole = std::move(CountingBloomFilter::CreateWithGeometry(With([](Geometry& g) {
                       g.kind = Kind::kCountingBloom;
                     }))).value();
  CHECK(filter.Merge(whole).error().message ==
        "cannot merge: kind differs: split counting here, counting bloom there");
  filter.Insert(1);
  for (int i = 0; i < 62; ++i) REQUIRE(filter.Merge(filter).ok());
  CHECK(filter.Merge(filter).error().message ==
        "cannot merge: 4611686018427387904 and 4611686018427387904 keys are together more than "
        "2^62");
}

TEST_CASE("a folded classic filter is the one built at half size", "[engine][classic]") {
  const auto keys = MemberKeys(300, Catch::rngSeed());
  auto filter = NewSplit();
  filter.Insert(keys);
  auto half = NewSplit(With([](Geometry& g) { g.num_positions = 512; }));
  half.Insert(keys);
  REQUIRE(filter.Fold().ok());
  CHECK((filter.Serialize() == half.Serialize()));
  CHECK(filter.Erase(keys) == EraseOutcome{300, 0});
  CHECK(filter.GetStats().fill_ratio == 0);

  auto odd = NewSplit(With([](Geometry& g) { g.num_positions = 77; }));
  CHECK(odd.Fold().error().message ==
        "cannot fold: num_positions is 77, and only an even number can be halved");
}

TEST_CASE("a counter that was stuck before a fold stays so", "[engine][classic]") {
  const auto small = [](uint64_t num_positions) {
    return NewSplit(With([=](Geometry& g) {
      g.counter_bits = 2;
      g.num_positions = num_positions;
    }));
  };
  auto filter = small(1024);
  auto half = small(512);
  for (int i = 0; i < 5; ++i) {
    filter.Insert("hot");
    half.Insert("hot");
  }
  for (int i = 0; i < 5; ++i) filter.Erase("hot");
  REQUIRE(filter.Fold().ok());
  CHECK(filter.MayContain("hot"));
  CHECK(filter.GetStats().num_stuck == 7);
}

TEST_CASE("statistics of a classic filter are what its counters hold", "[engine][classic]") {
  auto filter = NewSplit();
  filter.Insert(MemberKeys(500, Catch::rngSeed()));
  const Stats stats = filter.GetStats();
  CHECK(stats.num_keys == 500);
  CHECK(stats.num_bytes == 7 * 1024);
  CHECK(stats.slice_fills.size() == 7);
  double product = 1;
  double sum = 0;
  for (const double fill : stats.slice_fills) {
    product *= fill;
    sum += fill;
  }
  CHECK(stats.current_fpr == Approx(product));
  CHECK(stats.fill_ratio == Approx(sum / 7));
  CHECK(stats.num_stuck == 0);

  const std::vector<uint64_t> histogram = filter.CounterHistogram();
  REQUIRE(histogram.size() == 256);
  uint64_t num_counters = 0;
  uint64_t num_counts = 0;
  for (uint64_t c = 0; c < histogram.size(); ++c) {
    num_counters += histogram[c];
    num_counts += c * histogram[c];
  }
  CHECK(num_counters == 7 * 1024);
  CHECK(num_counts == 7 * 500);
  CHECK(1 - static_cast<double>(histogram[0]) / (7 * 1024) == Approx(stats.fill_ratio));

  // Three bits stand in fields of four.
  auto narrow = NewSplit(With([](Geometry& g) { g.counter_bits = 3; }));
  for (int i = 0; i < 9; ++i) narrow.Insert(7);
  CHECK(narrow.CounterHistogram() == std::vector<uint64_t>{7 * 1023, 0, 0, 0, 0, 0, 0, 7});
}

}  // namespace
}  // namespace trommel::classic
