// Whole classic filters: merge, subtract, fold, drop slices, statistics.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "trommel/classic/filter.h"

namespace trommel::classic {
namespace {

using Catch::Approx;
using tests::MemberKeys;

constexpr ArrayGeometry kSplit{.num_hashes = 7, .counter_bits = 8, .num_positions = 1024};

Filter NewSplit(const ArrayGeometry& geometry = kSplit, const DigestPolicy& policy = {}) {
  return std::move(Filter::CreateWithGeometry(geometry, policy)).value();
}

ArrayGeometry With(const std::function<void(ArrayGeometry&)>& edit) {
  ArrayGeometry geometry = kSplit;
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

  const ArrayGeometry bits{
      .kind = Kind::kBloom, .num_hashes = 7, .counter_bits = 1, .num_positions = 9000};
  auto plain = std::move(Filter::CreateWithGeometry(bits)).value();
  auto other = std::move(Filter::CreateWithGeometry(bits)).value();
  auto joined = std::move(Filter::CreateWithGeometry(bits)).value();
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
  const auto complaint = [&](const ArrayGeometry& geometry, const DigestPolicy& policy = {}) {
    const Status status = filter.Merge(NewSplit(geometry, policy));
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::kMismatch);
    CHECK(filter.Subtract(NewSplit(geometry, policy)).error().code == ErrorCode::kMismatch);
    return status.error().message;
  };
  CHECK(complaint(With([](ArrayGeometry& g) { g.num_hashes = 8; })) ==
        "cannot merge: num_hashes differs: 7 here, 8 there");
  CHECK(complaint(With([](ArrayGeometry& g) { g.num_positions = 9; })) ==
        "cannot merge: num_positions differs: 1024 here, 9 there");
  CHECK(complaint(With([](ArrayGeometry& g) { g.counter_bits = 7; })) ==
        "cannot merge: counter_bits differs: 8 here, 7 there");
  CHECK(complaint(With([](ArrayGeometry& g) { g.hashing = Hashing::kMixed; })) ==
        "cannot merge: hashing differs: double here, mixed there");
  CHECK(complaint(kSplit, {.kind = DigestKind::kXxh64}) ==
        "cannot merge: digest kind differs: xxh3 here, xxh64 there");
  CHECK(complaint(kSplit, {.seed = 99}) == "cannot merge: digest seed differs");
  const auto whole = std::move(Filter::CreateWithGeometry(With([](ArrayGeometry& g) {
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
  auto half = NewSplit(With([](ArrayGeometry& g) { g.num_positions = 512; }));
  half.Insert(keys);
  REQUIRE(filter.Fold().ok());
  CHECK((filter.Serialize() == half.Serialize()));
  CHECK(filter.Erase(keys) == EraseOutcome{300, 0});
  CHECK(filter.GetStats().fill_ratio == 0);

  auto odd = NewSplit(With([](ArrayGeometry& g) { g.num_positions = 77; }));
  CHECK(odd.Fold().error().message ==
        "cannot fold: num_positions is 77, and only an even number can be halved");
}

TEST_CASE("a counter that was stuck before a fold stays so", "[engine][classic]") {
  const auto small = [](uint64_t num_positions) {
    return NewSplit(With([=](ArrayGeometry& g) {
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
  auto narrow = NewSplit(With([](ArrayGeometry& g) { g.counter_bits = 3; }));
  for (int i = 0; i < 9; ++i) narrow.Insert(7);
  CHECK(narrow.CounterHistogram() == std::vector<uint64_t>{7 * 1023, 0, 0, 0, 0, 0, 0, 7});
}

constexpr ArrayGeometry k20Slices{
    .hashing = Hashing::kMixed, .num_hashes = 20, .num_positions = 14'500};

TEST_CASE("dropping slices leaves the filter that was built with fewer", "[engine][classic]") {
  auto filter = NewSplit(k20Slices);
  const auto members = MemberKeys(5000, Catch::rngSeed());
  filter.Insert(members);
  const uint64_t num_bytes = filter.GetStats().num_bytes;
  const double product = [&] {
    double fills = 1;
    for (int i = 0; i < 8; ++i) fills *= filter.GetStats().slice_fills[static_cast<size_t>(i)];
    return fills;
  }();
  auto whole = NewSplit(k20Slices);
  REQUIRE(filter.DropSlices(8).ok());

  CHECK(filter.GetStats().num_bytes == num_bytes / 20 * 8);
  CHECK(filter.GetStats().current_fpr == product);
  ArrayGeometry fewer = whole.geometry();
  fewer.num_hashes = 8;
  auto built = std::move(Filter::CreateWithGeometry(fewer)).value();
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
  const auto loaded = std::move(Filter::Deserialize(filter.Serialize())).value();
  CHECK(loaded.geometry().num_hashes == 8);
  CHECK(filter.Erase(members) == EraseOutcome{members.size(), 0});
  CHECK(filter.GetStats().fill_ratio == 0);
}

TEST_CASE("slices out of range, and of filters without slices, are not dropped",
          "[engine][classic]") {
  auto filter = NewSplit(k20Slices);
  CHECK(filter.DropSlices(0).error().message == "num_slices is 0; it must be between 1 and 20");
  CHECK(filter.DropSlices(21).error().message == "num_slices is 21; it must be between 1 and 20");
  CHECK(filter.DropSlices(20).ok());
  auto whole = NewSplit(With([](ArrayGeometry& g) { g.kind = Kind::kCountingBloom; }));
  const Status refused = whole.DropSlices(1);
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK(refused.error().message ==
        "cannot drop slices: the kind is counting bloom; it must be split counting");
}

}  // namespace
}  // namespace trommel::classic
