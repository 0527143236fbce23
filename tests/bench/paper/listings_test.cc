// The listings do what they say, and no more than that.
#include "bench/paper/listings.h"

#include "bench/paper/random_stream.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("bits of a listing hold what was added and nothing when it is removed", "[paper]") {
  ListingBits bits(1'000);
  CHECK(bits.Fill() == 0);
  bits.Add(7, 3);
  CHECK(bits.MightContain(7, 3));
  CHECK(bits.Fill() > 0);
  CHECK(bits.Fill() <= 0.003);
  bits.Remove(7, 3);
  CHECK_FALSE(bits.MightContain(7, 3));
  CHECK(bits.Fill() == 0);
}

TEST_CASE("the adaptive listing takes hashes away after 100 keys and adds them when full",
          "[paper]") {
  AdaptiveListing filter;
  RandomStream random(Catch::rngSeed(), 1);
  for (int i = 0; i < 100; ++i) filter.Add(random.Next());
  CHECK(filter.num_hashes() == 3);
  filter.Add(random.Next());
  CHECK(filter.num_hashes() == 2);
  filter.Add(random.Next());
  CHECK(filter.num_hashes() == 1);
  for (int i = 102; i < 1'000; ++i) filter.Add(random.Next());
  CHECK(filter.num_hashes() == 5);
}

TEST_CASE("the doubling listing doubles at its 801st key", "[paper]") {
  DoublingListing filter;
  RandomStream random(Catch::rngSeed(), 2);
  const auto keys = random.Take(800);
  for (const uint64_t key : keys) filter.Add(key);
  CHECK(filter.bits().size() == 1'000);
  for (const uint64_t key : keys) CHECK(filter.MightContain(key));
  filter.Add(1);
  CHECK(filter.bits().size() == 2'000);
  CHECK(filter.MightContain(1));
}

TEST_CASE("the expiring listing clears what is older than its lifetime", "[paper]") {
  ExpiringListing filter(100'000);
  filter.Add(1, 0);
  filter.Add(2, 50);
  filter.CleanExpired(100, 50);
  CHECK_FALSE(filter.MightContain(1));
  CHECK(filter.MightContain(2));
}

TEST_CASE("the layered listing asks both layers", "[paper]") {
  LayeredListing filter;
  CHECK(filter.num_bits() == 11'000);
  CHECK_FALSE(filter.MightContain(5));
  filter.Add(5);
  CHECK(filter.MightContain(5));
  CHECK(filter.HighFill() > 0);
  CHECK(filter.LowFill() > 0);
}

TEST_CASE("as printed a listing throws for a negative index beyond the first byte", "[paper]") {
  uint64_t num_thrown = 0;
  for (uint64_t key = 0; key < 1'000; ++key) num_thrown += ThrowsAsPrinted(key, 1, 10'000);
  CHECK(num_thrown > 350);
  CHECK(num_thrown < 650);
  for (uint64_t key = 0; key < 1'000; ++key) CHECK_FALSE(ThrowsAsPrinted(key, 3, 8));
}

}  // namespace
}  // namespace trommel::paper
