// What the reproductions of the articles are made of: listings, formulas, hashes, and
// lines split by hash.
#include <cmath>
#include <numeric>

#include "bench/paper/articles/articles.h"
#include "bench/paper/articles/bloom_model.h"
#include "bench/paper/articles/hashes.h"
#include "bench/paper/articles/layers.h"
#include "bench/paper/articles/listings.h"
#include "bench/paper/report/random.h"
#include "bench/paper/report/report.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("bits of a listing contain an added key, and are clear after its removal", "[paper]") {
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

TEST_CASE("the adaptive listing removes hashes after 100 keys and adds them when full", "[paper]") {
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

TEST_CASE("the layered listing queries both layers", "[paper]") {
  LayeredListing filter;
  CHECK(filter.num_bits() == 11'000);
  CHECK_FALSE(filter.MightContain(5));
  filter.Add(5);
  CHECK(filter.MightContain(5));
  CHECK(filter.HighFill() > 0);
  CHECK(filter.LowFill() > 0);
}

TEST_CASE("layers of two filters answer as the large one alone", "[paper]") {
  const uint64_t num_keys = GENERATE(1'000U, 5'000U, 40'000U);
  Layers layers = Layers::Create(num_keys, 0.01);
  RandomStream random(Catch::rngSeed(), 3);
  std::vector<uint64_t> digests = random.Take(num_keys);
  layers.Insert(Keys::Digests(digests));
  for (uint64_t i = 0; i < 50'001; ++i) digests.push_back(random.Next());
  std::vector<uint64_t> got(BitmapWords(digests.size()), ~uint64_t{0});
  std::vector<uint64_t> want(got);
  const size_t num_present = layers.Query(Keys::Digests(digests), got);
  CHECK(num_present == layers.large().Query(Keys::Digests(digests), want));
  CHECK(got == want);
  CHECK(num_present >= num_keys);
  CHECK(layers.first().Query(Keys::Digests(digests), want) > num_present);
}

TEST_CASE("as printed a listing throws for a negative index beyond the first byte", "[paper]") {
  uint64_t num_thrown = 0;
  for (uint64_t key = 0; key < 1'000; ++key) num_thrown += ThrowsAsPrinted(key, 1, 10'000);
  CHECK(num_thrown > 350);
  CHECK(num_thrown < 650);
  for (uint64_t key = 0; key < 1'000; ++key) CHECK_FALSE(ThrowsAsPrinted(key, 3, 8));
}

TEST_CASE("bits per key give the rate that they were computed for", "[paper]") {
  CHECK(BestBitsPerKey(0.01) == Catch::Approx(9.585058));
  CHECK(std::round(1e10 * BestBitsPerKey(1e-4)) == 191'701'167'547);
  for (const double fpr : {0.2, 0.01, 1e-4}) {
    for (const uint32_t k : {1, 3, 7, 20}) {
      CHECK(FprAt(BitsPerKey(k, fpr), k) == Catch::Approx(fpr));
      CHECK(BitsPerKey(k, fpr) >= BestBitsPerKey(fpr));
      CHECK(BitsPerKey(k, fpr) >= LeastBitsPerKey(fpr));
    }
    CHECK(LeastBitsPerKey(fpr) > FewestBitsPerKey(fpr));
  }
  CHECK(BestHashes(0.01) == 7);
  CHECK(BestHashes(1e-4) == 13);
  CHECK(FewestBitsPerKey(0.25) == 2);
}

TEST_CASE("the exact rate of a tiny array equals that of counting all throws", "[paper]") {
  // Two positions, two hashes, one key: both throws equal (1/2) or not.
  CHECK(ExactFpr(2, 2, 1) == Catch::Approx(0.5 * 0.25 + 0.5 * 1));
  // Three positions, one hash, two keys: one position set (1/3) or two.
  CHECK(ExactFpr(3, 1, 2) == Catch::Approx(1 / 3.0 * (1 / 3.0) + 2 / 3.0 * (2 / 3.0)));
  CHECK(ExactFpr(10, 3, 0) == 0);
  CHECK(ExactFpr(10, 3, 2) > FprAt(5, 3));
  CHECK(ExactFpr(100'000 / 8, 6, 100) == Catch::Approx(FprAt(125, 6)).epsilon(0.01));
}

TEST_CASE("each hash gives every key a digest of its own", "[paper][hash]") {
  const std::vector<std::string_view> keys = {"", "a", "b", "ab", "a rather longer key than that"};
  REQUIRE(HashSides().size() >= 3);
  for (const HashSide& side : HashSides()) {
    INFO(side.name);
    std::vector<uint64_t> digests(keys.size());
    side.digests(keys, digests);
    for (size_t i = 0; i < keys.size(); ++i) {
      for (size_t j = 0; j < i; ++j) CHECK(digests[i] != digests[j]);
    }
  }
  CHECK((HashSides().size() == 5) == MissingHashes().empty());
}

TEST_CASE("XXH64 of nothing is the published value", "[paper][hash]") {
  const std::vector<std::string_view> keys = {""};
  std::vector<uint64_t> digests(1);
  HashSides()[0].digests(keys, digests);
  CHECK(HashSides()[0].name == "XXH64");
  CHECK(digests[0] == 0xef46db3751d8e999U);
}

TEST_CASE("every copy of a string goes to one machine, and strings are spread evenly", "[paper]") {
  const auto trial = RunPartition(100'000, 10'000, 20, RandomStream(Catch::rngSeed(), 1));
  CHECK(trial.num_on_two_machines == 0);
  CHECK(std::reduce(trial.lines.begin(), trial.lines.end()) == 100'000);
  CHECK(std::reduce(trial.distinct.begin(), trial.distinct.end()) == trial.num_distinct);
  CHECK(trial.num_distinct > 8'000);
  CHECK(trial.num_distinct <= 10'000);
  CHECK(SigmaRange(19, std::sqrt(2.0 * 19)).Contains(trial.ChiSquare()));
}

TEST_CASE("chi-square detects an uneven share", "[paper]") {
  const PartitionTrial even{.distinct = {50, 50}, .num_distinct = 100};
  CHECK(even.ChiSquare() == 0);
  const PartitionTrial uneven{.distinct = {60, 40}, .num_distinct = 100};
  CHECK(uneven.ChiSquare() == Catch::Approx(4));
}

}  // namespace

}  // namespace trommel::paper
