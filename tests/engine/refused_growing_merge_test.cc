// Merges of filters that grow for which a limit or the system leaves no memory: they fail and
// change nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/catch.h"
#include "trommel/scalable_filter.h"

namespace trommel {
namespace {

using MergedDigests = std::vector<uint64_t>;

ScalableFilter GrowingOfDigests(uint64_t side_memory_limit_bytes = 0) {
  return ScalableFilter::Create({.first_capacity = 1000,
                                 .digest = {.kind = DigestKind::kCaller},
                                 .side_memory_limit_bytes = side_memory_limit_bytes})
      .value();
}

// So many keys of the first of 64 parts, some of them hot.
MergedDigests DigestsOfOnePart(size_t num_keys, std::mt19937_64& random) {
  MergedDigests digests(num_keys);
  for (uint64_t& digest : digests) digest = random() >> 6;
  for (size_t i = 0; i < 10 + num_keys / 250; ++i) {
    digests.insert(digests.end(), i % 9, digests[i]);
  }
  std::ranges::shuffle(digests, random);
  return digests;
}

// Each of the 64 parts has so many keys of which two copies are in: each takes an entry of side
// memory.
MergedDigests HotInAllParts(size_t num_of_part, std::mt19937_64& random) {
  MergedDigests digests;
  for (uint64_t i = 0; i < 64 * num_of_part; ++i) {
    digests.insert(digests.end(), 2, random() >> 6 | i % 64 << 58);
  }
  return digests;
}

// All of these are in, nothing else is, and all can be erased.
void CheckHoldsOnly(ScalableFilter& filter, const MergedDigests& digests) {
  CHECK(filter.num_keys() == digests.size());
  std::vector<uint64_t> bits(BitmapWords(digests.size()));
  CHECK(filter.Query(Keys::Digests(digests), bits) == digests.size());
  CHECK(filter.Erase(Keys::Digests(digests)).num_refused == 0);
  CHECK((filter.Serialize() == GrowingOfDigests().Serialize()));
}

}  // namespace

TEST_CASE("a merge of filters that grow takes the keys in the order in which insertions would",
          "[engine][scalable][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  const MergedDigests here = DigestsOfOnePart(30'000, random);
  const MergedDigests there = DigestsOfOnePart(90'000, random);
  ScalableFilter filter = GrowingOfDigests();
  filter.Insert(Keys::Digests(here));
  ScalableFilter other = GrowingOfDigests();
  other.Insert(Keys::Digests(there));
  REQUIRE(filter.Merge(other).ok());
  ScalableFilter inserted = GrowingOfDigests();
  inserted.Insert(Keys::Digests(here));
  inserted.Insert(Keys::Digests(there));
  CHECK(filter.GetStats().num_blocks == inserted.GetStats().num_blocks);
  REQUIRE(filter.Merge(filter).ok());
  CHECK(filter.num_keys() == 2 * (here.size() + there.size()));
  CHECK(filter.CountEstimate(Key::Digest(here[0])) % 2 == 0);
  CHECK(filter.Erase(Keys::Digests(here)).num_refused == 0);
  CHECK(filter.Erase(Keys::Digests(there)).num_refused == 0);
  MergedDigests all = here;
  all.insert(all.end(), there.begin(), there.end());
  CheckHoldsOnly(filter, all);
}

TEST_CASE("a limit of side memory holds for a merge: what needs more fails and changes nothing",
          "[engine][scalable][growing][side_limit]") {
  constexpr uint64_t kLimit = 64 * 64 * 8;  // space for 4 entries in each part
  std::mt19937_64 random(Catch::rngSeed());
  ScalableFilter filter = GrowingOfDigests(kLimit);
  const MergedDigests here = HotInAllParts(2, random);
  REQUIRE(filter.Insert(Keys::Digests(here)).num_refused == 0);
  const MergedDigests there = HotInAllParts(3, random);
  ScalableFilter other = GrowingOfDigests();
  other.Insert(Keys::Digests(there));
  const std::vector<std::byte> before = filter.Serialize();
  const Status failed = filter.Merge(other);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(failed.error().message, Catch::Matchers::ContainsSubstring("side_memory_limit_bytes"));
  CHECK((filter.Serialize() == before));
  CHECK(filter.GetStats().side_table_bytes == kLimit / 2);  // of digests
  CHECK(filter.GetStats().num_refused_inserts == 0);

  // With one entry less in each part it fits, and the limit stays.
  const MergedDigests fewer = HotInAllParts(2, random);
  ScalableFilter smaller = GrowingOfDigests();
  smaller.Insert(Keys::Digests(fewer));
  REQUIRE(filter.Merge(smaller).ok());
  CHECK(filter.GetStats().side_table_bytes == kLimit / 2);  // of digests
  CHECK(filter.Insert(Keys::Digests(HotInAllParts(1, random))).num_refused == 64);
  MergedDigests all = here;
  all.insert(all.end(), fewer.begin(), fewer.end());
  CHECK(filter.Erase(Keys::Digests(all)).num_refused == 0);
  CHECK(filter.LimitSideMemory(0).ok());
}

TEST_CASE("keys that fit a limit of side memory one by one fit it as a merged filter",
          "[engine][scalable][growing][side_limit]") {
  std::mt19937_64 random(Catch::rngSeed());
  ScalableFilter filter = GrowingOfDigests(64 * 64 * 64);
  ScalableFilter other = GrowingOfDigests();
  for (ScalableFilter* one : {&filter, &other}) {
    MergedDigests digests(200'000);
    for (uint64_t& digest : digests) digest = random();
    CHECK(one->Insert(Keys::Digests(digests)).num_refused == 0);
  }
  CHECK(filter.Merge(other).ok());
}

}  // namespace trommel
