#include <bit>
#include <cmath>
#include <numbers>

#include "bench/paper/report/random.h"
#include "bench/paper/scbf/scbf.h"
#include "bench/sides/fpr_bounds.h"
#include "trommel/classic/formulas.h"

namespace trommel::paper {
namespace {

uint64_t HalfFull(const classic::ArrayGeometry& geometry) {
  return static_cast<uint64_t>(static_cast<double>(geometry.num_positions) * std::numbers::ln2);
}

classic::ArrayGeometry Shape(uint32_t num_hashes, uint64_t slice_positions) {
  return {.kind = classic::Kind::kSplitCounting,
          .hashing = classic::Hashing::kMixed,
          .num_hashes = num_hashes,
          .counter_bits = 8,
          .num_positions = slice_positions};
}

Table RateTable(const Options& options) {
  constexpr uint32_t kHashes = 7;
  const classic::ArrayGeometry geometry = Shape(kHashes, options.quick ? 4'096 : 65'536);
  const uint64_t num_keys = HalfFull(geometry);
  const uint64_t num_non_members = options.quick ? 100'000 : 2'000'000;
  Table table{.title = "Scalable filter: P_d = 1 - (1 - P)^d"};
  table.text =
      "Generations of 7 slices, each half full; a non-member is \"maybe present\" if it is in any "
      "of them. The text has the formula and no figure of it; P is 2^-7 there, and f^7 of the true "
      "fill in the exact model.";
  const double p = classic::SplitFpr(kHashes, geometry.num_positions, num_keys);
  const double total =
      bench::TextbookFprSigma(geometry.total_positions(), kHashes, num_keys, num_non_members);
  const double asking = bench::BinomialSigma(p, num_non_members);
  const double own = std::sqrt(std::max(0.0, total * total - asking * asking));
  std::vector<uint64_t> seen((num_non_members + 63) /
                             64);  // non-members that were "maybe present" so far
  uint32_t num_generations = 0;
  for (const uint32_t d : {1, 2, 4, 8, 16}) {
    for (; num_generations < d; ++num_generations) {
      auto filter = classic::Filter::CreateWithGeometry(geometry).value();
      InsertRandom(filter, RandomStream(options.seed, 100 + num_generations), num_keys);
      std::vector<uint64_t> bitmap;
      size_t word = 0;
      ForEachDigestBatch(RandomStream(options.seed, 99), num_non_members,
                         [&](const std::vector<uint64_t>& digests) {
                           bitmap.resize(classic::Filter::BitmapWords(digests.size()));
                           filter.Query(Keys::Digests(digests), bitmap);
                           for (const uint64_t bits : bitmap) seen[word++] |= bits;
                         });
    }
    uint64_t num_maybe = 0;
    for (const uint64_t bits : seen) num_maybe += static_cast<uint64_t>(std::popcount(bits));
    const double exact = -std::expm1(d * std::log1p(-p));
    Row row{.what = "d = " + std::to_string(d), .unit = Unit::kShare};
    row.formula = -std::expm1(d * std::log1p(-std::pow(0.5, kHashes)));
    row.exact = exact;
    row.measured = static_cast<double>(num_maybe) / static_cast<double>(num_non_members);
    row.allowed = BinomialRange(exact, num_non_members, own * std::sqrt(d));
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace

Generations::Generations(const classic::ArrayGeometry& geometry, InsertRule insert_rule,
                         EraseRule erase_rule)
    : geometry_(geometry),
      insert_rule_(insert_rule),
      erase_rule_(erase_rule),
      capacity_(HalfFull(geometry)) {}

Generations::Generation& Generations::WithPlace() {
  if (insert_rule_ == InsertRule::kBelowHalf) {
    for (Generation& generation : generations_) {
      if (generation.filter.num_keys() < capacity_) return generation;
    }
  }
  if (generations_.empty() || generations_.back().num_new == capacity_ ||
      insert_rule_ == InsertRule::kBelowHalf) {
    generations_.push_back({classic::Filter::CreateWithGeometry(geometry_).value()});
  }
  return generations_.back();
}

void Generations::Insert(uint64_t digest) {
  const Key key = Key::Digest(digest);
  if (insert_rule_ == InsertRule::kOldestShowing) {
    for (Generation& generation : generations_) {
      if (generation.filter.MayContain(key)) return generation.filter.Insert(key);
    }
  }
  Generation& generation = WithPlace();
  generation.filter.Insert(key);
  ++generation.num_new;
}

void Generations::Erase(uint64_t digest) {
  const Key key = Key::Digest(digest);
  if (erase_rule_ == EraseRule::kNewest) {
    for (size_t i = generations_.size(); i-- > 0;) {
      if (generations_[i].filter.Erase(key)) return;
    }
    return;
  }
  for (Generation& generation : generations_) {
    if (generation.filter.Erase(key) && erase_rule_ == EraseRule::kOldest) return;
  }
}

bool Generations::MayContain(uint64_t digest) const {
  for (const Generation& generation : generations_) {
    if (generation.filter.MayContain(Key::Digest(digest))) return true;
  }
  return false;
}

std::vector<Table> ScbfGenerations(const Options& options) {
  return {RateTable(options), ScbfErasing(options)};
}

}  // namespace trommel::paper
