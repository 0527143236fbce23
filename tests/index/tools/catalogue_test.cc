// The catalogue that the demo and benchmarks make.
#include "bench/sides/catalogue.h"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "support/catch.h"
#include "trommel/index/region_table.h"

namespace trommel::bench {
namespace {

TEST_CASE("a product depends on the seed and its number alone", "[bench]") {
  const Catalogue forwards(1);
  const Catalogue backwards(1);
  const Catalogue other(2);
  std::vector<index::Row> rows;
  for (uint64_t i = 0; i < 100; ++i) rows.push_back(forwards.Product(i));
  size_t num_equal = 0;
  for (uint64_t i = 100; i-- > 0;) {
    CHECK(backwards.Product(i) == rows[i]);
    if (other.Product(i).attributes == rows[i].attributes) ++num_equal;
  }
  CHECK(num_equal == 0);
}

TEST_CASE("products are rows of the catalogue's schema, with different keys", "[bench]") {
  const Catalogue catalogue(3);
  const index::Schema schema = Catalogue::MakeSchema();
  REQUIRE(index::Validate(schema).ok());
  std::set<std::string> keys;
  for (uint64_t i = 0; i < 5000; ++i) {
    const index::Row row = catalogue.Product(i);
    REQUIRE(index::Validate(schema, row).ok());
    CHECK(keys.insert(row.key).second);
  }
}

TEST_CASE("ranks follow Zipf's distribution", "[bench]") {
  constexpr size_t kNumRanks = 10;
  constexpr size_t kNumDraws = 20'000;
  const ZipfRanks ranks(kNumRanks);
  std::vector<size_t> counts(kNumRanks);
  for (size_t i = 0; i < kNumDraws; ++i) {
    ++counts[ranks((static_cast<double>(i) + 0.5) / kNumDraws)];
  }
  double sum = 0;
  for (size_t rank = 0; rank < kNumRanks; ++rank) sum += 1.0 / static_cast<double>(rank + 1);
  for (size_t rank = 0; rank < kNumRanks; ++rank) {
    const double expected = kNumDraws / (static_cast<double>(rank + 1) * sum);
    CHECK(std::fabs(static_cast<double>(counts[rank]) - expected) <= 1);  // evenly spaced draws
  }
  CHECK(ranks(0) == 0);
  CHECK(ranks(std::nextafter(1.0, 0.0)) == kNumRanks - 1);
}

TEST_CASE("splits cut a catalogue into regions of a table", "[bench]") {
  const Catalogue catalogue(4);
  const std::vector<std::string> splits = catalogue.Splits(10'000, 64);
  CHECK(splits.size() == 63);
  CHECK(index::RegionTable::Split(splits, 16).ok());
  CHECK(catalogue.Splits(3, 64).size() == 2);
  CHECK(catalogue.Splits(1, 64).empty());
}

}  // namespace
}  // namespace trommel::bench
