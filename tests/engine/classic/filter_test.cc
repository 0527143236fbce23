// Classic filters of every kind beside the exact model and beside their definition.
#include "engine/src/classic/filter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "engine/src/classic/formulas.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/statistics.h"

namespace trommel::classic {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr Kind kKinds[] = {Kind::kBloom, Kind::kCountingBloom, Kind::kSplitCounting};

std::vector<uint64_t> Digests(size_t count, uint64_t stream) {
  std::mt19937_64 random(Catch::rngSeed() + stream);
  std::vector<uint64_t> digests(count);
  for (uint64_t& digest : digests) digest = random();
  return digests;
}

// A filter for so many keys at so many hashes, half full then.
ArrayGeometry HalfFullAt(Kind kind, uint64_t num_keys, uint32_t num_hashes) {
  const double per_hash = std::ceil(static_cast<double>(num_keys) / std::log(2.0));
  return {.kind = kind,
          .hashing = Hashing::kMixed,
          .num_hashes = num_hashes,
          .counter_bits = kind == Kind::kBloom ? 1U : 8U,
          .num_positions =
              static_cast<uint64_t>(per_hash) * (kind == Kind::kSplitCounting ? 1 : num_hashes)};
}

size_t NumPresent(const Filter& filter, const std::vector<uint64_t>& digests, uint32_t num_probes) {
  std::vector<uint64_t> bitmap((digests.size() + 63) / 64);
  return filter.QueryFirst(Keys::Digests(digests), num_probes, bitmap);
}

// The definition, in 64 bits and by division: no wrap-around to rely on.
uint64_t PositionByDivision(const ArrayGeometry& geometry, uint64_t digest, uint32_t i) {
  constexpr uint64_t kRange = uint64_t{1} << 32;
  const uint64_t f1 = digest / kRange;
  const uint64_t f2 = digest % kRange / 2 * 2 + 1;
  uint64_t hash = (f1 + i * f2) % kRange;
  if (geometry.hashing == Hashing::kMixed) {
    hash ^= hash / 65536;
    hash = hash * 0x85ebca6b % kRange;
    hash ^= hash / 8192;
    hash = hash * 0xc2b2ae35 % kRange;
    hash ^= hash / 65536;
  }
  const uint64_t slice = geometry.kind == Kind::kSplitCounting ? i : 0;
  return slice * geometry.num_positions + hash * geometry.num_positions / kRange;
}

TEST_CASE("positions are those of the definition", "[engine][classic]") {
  for (const Kind kind : kKinds) {
    for (const Hashing hashing : {Hashing::kDouble, Hashing::kMixed}) {
      for (const uint64_t num_positions : {uint64_t{1}, uint64_t{1001}, kMaxPositions}) {
        const ArrayGeometry geometry{
            .kind = kind, .hashing = hashing, .num_hashes = 64, .num_positions = num_positions};
        auto digests = Digests(20, 1);
        for (const uint64_t half : {0x00000000ULL, 0x00000001ULL, 0x7fffffffULL, 0xffffffffULL}) {
          digests.push_back(half << 32 | 0xffffffffU);
          digests.push_back(half << 32);
        }
        for (const uint64_t digest : digests) {
          for (uint32_t i = 0; i < 64; ++i) {
            REQUIRE(PositionOf(geometry, digest, i) == PositionByDivision(geometry, digest, i));
          }
        }
      }
    }
  }
  // By hand: f1 = 0xfffffff0, f2 = 6, which becomes 7; the fourth hash wraps around to 5.
  const ArrayGeometry whole{.kind = Kind::kBloom, .num_hashes = 4, .num_positions = kMaxPositions};
  CHECK(PositionOf(whole, 0xfffffff000000006ULL, 0) == 0xffffffefU);
  CHECK(PositionOf(whole, 0xfffffff000000006ULL, 3) == 4);
  // MurmurHash3's finalizer leaves zero alone, and this is a known value.
  CHECK(Mixed(0) == 0);
  CHECK(Mixed(1) == 0x514e28b7U);
}

// Random insertions and erasures beside a map of counters, one hash at a time.
TEST_CASE("counters are those that the definition leaves", "[engine][classic]") {
  const ArrayGeometry geometry = GENERATE(
      ArrayGeometry{.num_hashes = 10, .counter_bits = 4, .num_positions = 100},
      ArrayGeometry{
          .hashing = Hashing::kMixed, .num_hashes = 3, .counter_bits = 1, .num_positions = 77},
      ArrayGeometry{
          .kind = Kind::kCountingBloom, .num_hashes = 7, .counter_bits = 3, .num_positions = 90},
      ArrayGeometry{
          .kind = Kind::kCountingBloom, .num_hashes = 13, .counter_bits = 8, .num_positions = 5},
      ArrayGeometry{
          .kind = Kind::kBloom, .num_hashes = 5, .counter_bits = 1, .num_positions = 513});
  Filter filter(geometry);
  std::vector<uint64_t> counters(geometry.total_positions());
  std::mt19937_64 random(Catch::rngSeed());
  const auto pool = Digests(200, 2);
  for (int step = 0; step < 600; ++step) {
    const uint64_t digest = pool[random() % pool.size()];
    std::map<uint64_t, uint64_t> hits;
    for (uint32_t i = 0; i < geometry.num_hashes; ++i) {
      ++hits[PositionByDivision(geometry, digest, i)];
    }
    if (geometry.kind == Kind::kBloom || random() % 3 != 0) {
      filter.Insert(digest);
      for (const auto& [position, count] : hits) {
        counters[position] = std::min<uint64_t>(counters[position] + count, geometry.max_count());
      }
      continue;
    }
    const bool is_refused = std::ranges::any_of(hits, [&](const auto& hit) {
      return counters[hit.first] != geometry.max_count() && counters[hit.first] < hit.second;
    });
    REQUIRE(filter.Erase(digest) == !is_refused);
    if (is_refused) continue;
    for (const auto& [position, count] : hits) {
      if (counters[position] != geometry.max_count()) counters[position] -= count;
    }
  }
  REQUIRE(std::ranges::equal(filter.counters(), counters));
  for (const uint64_t digest : pool) {
    bool is_present = true;
    for (uint32_t i = 0; i < geometry.num_hashes; ++i) {
      is_present = is_present && counters[PositionByDivision(geometry, digest, i)] != 0;
    }
    REQUIRE(filter.MayContain(digest) == is_present);
  }
}

TEST_CASE("while no counter sticks, no key is lost, and erasing undoes inserting",
          "[engine][classic]") {
  Filter filter(HalfFullAt(GENERATE(Kind::kSplitCounting, Kind::kCountingBloom), 2000, 7));
  const auto digests = Digests(2000, 3);
  filter.Insert(Keys::Digests(digests));
  filter.Insert(Keys::Digests(digests));
  CHECK(filter.num_keys() == 4000);
  for (int copies = 2; copies > 0; --copies) {
    for (size_t i = 0; i < digests.size(); ++i) {
      REQUIRE(filter.MayContain(digests[i]));
      REQUIRE(filter.Erase(digests[i]));
    }
  }
  CHECK(filter.num_keys() == 0);
  CHECK(std::ranges::count(filter.counters(), 0) == std::ssize(filter.counters()));
}

TEST_CASE("a stuck counter keeps keys present that are gone, and never hides one",
          "[engine][classic]") {
  Filter filter({.num_hashes = 7, .counter_bits = 4, .num_positions = 1000});
  constexpr uint64_t kHot = 0x0123456789abcdefULL;
  constexpr uint64_t kCold = 0xfedcba9876543210ULL;
  for (int i = 0; i < 100; ++i) filter.Insert(kHot);
  filter.Insert(kCold);
  CHECK(std::ranges::count(filter.counters(), 15) == 7);
  for (int i = 0; i < 200; ++i) REQUIRE(filter.Erase(kHot));  // more than any caller may
  CHECK(filter.num_keys() == 0);
  CHECK(filter.MayContain(kHot));
  CHECK(filter.MayContain(kCold));
  filter.Clear();
  CHECK_FALSE(filter.MayContain(kHot));
}

TEST_CASE("non-members are answered as the fills say, by as many probes as are asked for",
          "[engine][classic][long]") {
  constexpr uint64_t kKeys = 20'000;
  constexpr uint32_t kHashes = 10;
  const auto members = Digests(kKeys, 4);
  const auto non_members = Digests(400'000, 5);
  for (const Kind kind : kKinds) {
    Filter filter(HalfFullAt(kind, kKeys, kHashes));
    filter.Insert(Keys::Digests(members));
    double product = 1;
    for (uint32_t probes = 1; probes <= kHashes; ++probes) {
      const double fill = filter.Fill(probes - 1);
      CHECK(fill == Catch::Approx(0.5).epsilon(0.05));
      product *= fill;
      const size_t num_present = NumPresent(filter, non_members, probes);
      CHECK(tests::BinomialBound(product, non_members.size()).ContainsHits(num_present));
      CHECK(NumPresent(filter, members, probes) == kKeys);
    }
  }
}

TEST_CASE("a filter far from full needs few probes, and a full one all", "[engine][classic]") {
  constexpr uint64_t kKeys = 10'000;
  Filter filter(HalfFullAt(Kind::kSplitCounting, kKeys, 20));
  CHECK(filter.ProbesFor(0.01) == 1);  // empty
  const auto digests = Digests(kKeys, 6);
  uint32_t least = 1;
  for (const size_t num_keys : {10, 100, 1000, 3000, 10'000}) {
    while (filter.num_keys() < num_keys) filter.Insert(digests[filter.num_keys()]);
    const uint32_t probes = filter.ProbesFor(1e-3);
    CHECK(probes >= least);
    double product = 1;
    for (uint32_t i = 0; i + 1 < probes; ++i) product *= filter.Fill(i);
    CHECK((probes == 1 || product > 1e-3));  // one fewer would not do
    CHECK(product * filter.Fill(probes - 1) <= 1e-3);
    least = probes;
  }
  // 2^-10 is under a thousandth, but slices may be a little more than half full.
  CHECK(least >= 10);
  CHECK(least <= 11);
  CHECK(filter.ProbesFor(1e-9) == 20);  // not met: all
  CHECK(filter.ProbesFor(std::nan("")) == 20);
  CHECK(filter.ProbesFor(1) == 1);
}

TEST_CASE("dropping slices leaves the filter that was built with fewer", "[engine][classic]") {
  ArrayGeometry geometry = HalfFullAt(Kind::kSplitCounting, 500, 9);
  Filter filter(geometry);
  geometry.num_hashes = 4;
  Filter fewer(geometry);
  const auto digests = Digests(500, 7);
  filter.Insert(Keys::Digests(digests));
  fewer.Insert(Keys::Digests(digests));
  filter.DropSlices(4);
  CHECK(filter.geometry() == fewer.geometry());
  CHECK(std::ranges::equal(filter.counters(), fewer.counters()));
  for (const uint64_t digest : digests) REQUIRE(filter.Erase(digest));
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("what classic filters require is checked, and ends the program with a message",
          "[engine][classic]") {
  const auto digests = Digests(65, 8);
  const std::vector<int32_t> no_digests = {1};
  std::vector<uint64_t> word(1);
  Filter filter({.num_hashes = 5, .num_positions = 10});
  Filter bits({.kind = Kind::kBloom, .num_hashes = 5, .counter_bits = 1, .num_positions = 10});
  const std::pair<const char*, std::function<void()>> mistakes[] = {
      {"another size", [&] { filter.Query(Keys::Digests(digests), word); }},
      {"are digests", [&] { filter.Query(no_digests, word); }},
      {"num_probes must be between 1 and num_hashes",
       [&] { filter.QueryFirst(Keys::Digests(std::span(digests).first(1)), 6, word); }},
      {"num_slices must be between 1 and num_hashes", [&] { filter.DropSlices(0); }},
      {"only split filters have slices", [&] { bits.DropSlices(1); }},
      {"plain bits has no counters", [&] { bits.Erase(1); }},
      {"out of range", [] { Filter({.num_hashes = 5}); }},
      {"out of range", [] { Filter({.num_hashes = 65, .num_positions = 1}); }},
      {"out of range", [] { Filter({.kind = Kind::kBloom, .num_hashes = 1, .num_positions = 1}); }},
      {"out of range", [] { Filter({.num_hashes = 1, .counter_bits = 9, .num_positions = 1}); }}};
  for (const auto& [message, mistake] : mistakes) {
    CHECK_THAT(tests::AbortMessage(mistake), ContainsSubstring(message));
  }
}

}  // namespace
}  // namespace trommel::classic
