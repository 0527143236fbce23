// A catalogue of products for the secondary index: rows with twelve attributes whose values are
// spread as those of shops are. Row i depends on the seed and i alone, so that any part of a
// catalogue can be made in any order, and again.
//
//   key        supplier and number, "S0042-00000017": a supplier's products are neighbours
//   brand      2,000, Zipf; a supplier has few of them      category  300, Zipf
//   series     of its brand, 20 each                        supplier  500, Zipf
//   colour     a set of 0 to 3 of 24                        material  40, null for half
//   tag        a set of 0 to 6 of 3,000, Zipf               country   60, Zipf
//   warehouse  a set of 1 to 4 of 120                       price     50 bands
//   year       2005 to 2024                                 ean       different for each product
#ifndef TROMMEL_BENCH_SIDES_CATALOGUE_H_
#define TROMMEL_BENCH_SIDES_CATALOGUE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trommel/index/schema.h"

namespace trommel::bench {

// Ranks 0 to n - 1 with probabilities in proportion to 1 / (rank + 1).
class ZipfRanks {
 public:
  explicit ZipfRanks(size_t n);

  // The rank of a uniform number in [0, 1).
  size_t operator()(double uniform) const;

 private:
  std::vector<double> cumulated_;
};

// Thread safety: any thread may call anything.
class Catalogue {
 public:
  explicit Catalogue(uint64_t seed);

  // All attributes are indexed.
  static index::Schema MakeSchema();

  // Product i. Keys of different products differ.
  index::Row Product(uint64_t i) const;

  // Keys that cut the first `num_products` products into regions of about the same size, strictly
  // ascending; fewer than num_regions - 1 if there are too few products.
  std::vector<std::string> Splits(uint64_t num_products, size_t num_regions) const;

 private:
  uint64_t seed_;
  ZipfRanks supplier_{500};
  ZipfRanks brand_{8};  // of those that a supplier has
  ZipfRanks category_{300};
  ZipfRanks tag_{3000};
  ZipfRanks country_{60};
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_CATALOGUE_H_
