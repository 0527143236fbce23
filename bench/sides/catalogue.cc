// Each product draws its numbers from a generator that begins at its own number.
#include "bench/sides/catalogue.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "bench/sides/workload.h"

namespace trommel::bench {
namespace {

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
class ProductRandom {
 public:
  explicit ProductRandom(uint64_t state) : state_(state) {}

  uint64_t Next() { return KeyAt(std::exchange(state_, state_ + 0x9E3779B97F4A7C15)); }
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  size_t Below(size_t n) { return static_cast<size_t>(Uniform() * static_cast<double>(n)); }

 private:
  uint64_t state_;
};

std::string Digits(uint64_t number, size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

std::string Numbered(std::string_view prefix, uint64_t number, size_t width) {
  return std::string(prefix) + Digits(number, width);
}

constexpr std::array<std::string_view, 24> kColours = {
    "black", "white", "grey",  "silver", "red",   "crimson", "orange", "amber",
    "gold",  "beige", "brown", "green",  "olive", "lime",    "teal",   "cyan",
    "blue",  "navy",  "azure", "violet", "pink",  "magenta", "clear",  "copper"};

constexpr std::array<std::string_view, 12> kNames = {
    "brand", "series",  "category",  "supplier", "colour", "material",
    "tag",   "country", "warehouse", "price",    "year",   "ean"};

void SortOnce(index::Values& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

ZipfRanks::ZipfRanks(size_t n) {
  double sum = 0;
  for (size_t rank = 0; rank < n; ++rank) {
    sum += 1 / static_cast<double>(rank + 1);
    cumulated_.push_back(sum);
  }
  for (double& cumulated : cumulated_) cumulated /= sum;
}

size_t ZipfRanks::operator()(double uniform) const {
  const auto rank =
      static_cast<size_t>(std::ranges::upper_bound(cumulated_, uniform) - cumulated_.begin());
  return std::min(rank, cumulated_.size() - 1);
}

Catalogue::Catalogue(uint64_t seed) : seed_(seed) {}

index::Schema Catalogue::MakeSchema() {
  index::Schema schema;
  for (const std::string_view name : kNames) schema.attributes.push_back({std::string(name), true});
  return schema;
}

index::Row Catalogue::Product(uint64_t i) const {
  ProductRandom random(ProductRandom(seed_ ^ (i * 0xD1342543DE82EF95)).Next());
  const size_t supplier = supplier_(random.Uniform());
  const size_t brand = (supplier * 37 + brand_(random.Uniform()) * 251) % 2000;
  index::Values colours;
  index::Values tags;
  index::Values warehouses;
  index::Values material;
  const size_t num_colours = random.Below(4);
  for (size_t c = 0; c < num_colours; ++c) {
    colours.emplace_back(kColours[random.Below(kColours.size())]);
  }
  const size_t num_tags = random.Below(7);
  for (size_t t = 0; t < num_tags; ++t) {
    tags.push_back(Numbered("tag-", tag_(random.Uniform()), 4));
  }
  const size_t num_warehouses = 1 + random.Below(4);
  for (size_t w = 0; w < num_warehouses; ++w) {
    warehouses.push_back(Numbered("W", random.Below(120), 3));
  }
  if (random.Below(2) == 0) material.push_back(Numbered("material-", random.Below(40), 2));
  for (index::Values* set : {&colours, &tags, &warehouses}) SortOnce(*set);

  index::Row row;
  row.key = Numbered("S", supplier, 4) + Numbered("-", i, 8);
  const std::string brand_name = Numbered("brand-", brand, 4);
  row.attributes.push_back({brand_name});
  row.attributes.push_back({brand_name + Numbered("/series-", random.Below(20), 2)});
  row.attributes.push_back({Numbered("category-", category_(random.Uniform()), 3)});
  row.attributes.push_back({Numbered("S", supplier, 4)});
  row.attributes.push_back(std::move(colours));
  row.attributes.push_back(std::move(material));
  row.attributes.push_back(std::move(tags));
  row.attributes.push_back({Numbered("country-", country_(random.Uniform()), 2)});
  row.attributes.push_back(std::move(warehouses));
  row.attributes.push_back({Numbered("band-", random.Below(50), 2)});
  row.attributes.push_back({Digits(2005 + random.Below(20), 4)});
  row.attributes.push_back({Digits(4'000'000'000'000 + i, 13)});
  return row;
}

std::vector<std::string> Catalogue::Splits(uint64_t num_products, size_t num_regions) const {
  constexpr uint64_t kMostSampled = 20'000;
  const uint64_t step = std::max<uint64_t>(num_products / kMostSampled, 1);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < num_products; i += step) keys.push_back(Product(i).key);
  std::ranges::sort(keys);
  std::vector<std::string> splits;
  for (size_t region = 1; region < num_regions; ++region) {
    const size_t at = region * keys.size() / num_regions;
    if (at > 0 && (splits.empty() || keys[at] > splits.back())) splits.push_back(keys[at]);
  }
  return splits;
}

}  // namespace trommel::bench
