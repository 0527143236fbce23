// What the reproductions of the articles are made of: listings, formulas, hashes, and
// lines split by hash.
#include <cmath>
#include <numeric>

#include "bench/paper/articles/articles.h"
#include "bench/paper/articles/bloom_model.h"
#include "bench/paper/articles/listings.h"
#include "bench/paper/report/random.h"
#include "bench/paper/report/report.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

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

}  // namespace

}  // namespace trommel::paper
