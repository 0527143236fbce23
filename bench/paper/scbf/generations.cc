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
      "of them.";
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
    // The formula of the source beside the measurement.
    row.given = row.allowed->Contains(*row.formula) ? Verdict::kAgrees : Verdict::kWrong;
    table.rows.push_back(row);
  }
  return table;
}

Table EraseTable(const Options& options) {
  const uint64_t num_keys = options.quick ? 8'000 : 40'000;  // half of them are erased
  const classic::ArrayGeometry geometry = Shape(5, num_keys / 16);
  Table table{.title =
                  "Scalable filter: live keys that answer \"absent\" after others were erased"};
  const struct {
    EraseRule rule;
    const char* name;
  } rules[] = {{EraseRule::kEverywhere, "erased from each that shows them"},
               {EraseRule::kNewest, "erased from the newest that shows them"},
               {EraseRule::kOldest, "oldest rule"}};
  for (const auto& [rule, name] : rules) {
    Generations generations(geometry, rule);
    RandomStream random(options.seed, 120);
    const std::vector<uint64_t> digests = random.Take(num_keys);
    for (const uint64_t digest : digests) generations.Insert(digest);
    for (size_t i = 0; i < digests.size(); i += 2) generations.Erase(digests[i]);
    uint64_t num_lost = 0;
    for (size_t i = 1; i < digests.size(); i += 2) num_lost += !generations.MayContain(digests[i]);
    Row row{.what = name, .unit = Unit::kCount};
    row.measured = static_cast<double>(num_lost);
    if (rule == EraseRule::kOldest) {
      row.exact = 0;
      row.allowed = Exactly(0);
      row.given = Verdict::kSoundForm;
      row.note =
          "Only the newest generation gains presence bits: a key for which an older one answers "
          "\"maybe present\" is counted there, and erased from the oldest that answers so.";
    } else {
      row.given = Verdict::kWrong;
    }
    table.rows.push_back(row);
    table.text = std::to_string(num_keys) + " keys in " + std::to_string(generations.size()) +
                 " generations of 5 slices, every other one erased again. The text does not say "
                 "from which generation.";
  }
  table.axis = Axis::kLinear;
  return table;
}

}  // namespace

Generations::Generations(const classic::ArrayGeometry& geometry, EraseRule rule)
    : geometry_(geometry), rule_(rule), capacity_(HalfFull(geometry)) {}

classic::Filter& Generations::Newest() {
  if (generations_.empty() || num_in_newest_ == capacity_) {
    generations_.push_back(classic::Filter::CreateWithGeometry(geometry_).value());
    num_in_newest_ = 0;
  }
  return generations_.back();
}

void Generations::Insert(uint64_t digest) {
  if (rule_ == EraseRule::kOldest) {
    for (auto& generation : generations_) {
      if (generation.MayContain(Key::Digest(digest))) return generation.Insert(Key::Digest(digest));
    }
  }
  Newest().Insert(Key::Digest(digest));
  ++num_in_newest_;
}

void Generations::Erase(uint64_t digest) {
  const Key key = Key::Digest(digest);
  if (rule_ == EraseRule::kNewest) {
    for (size_t i = generations_.size(); i-- > 0;) {
      if (generations_[i].Erase(key)) return;
    }
    return;
  }
  for (auto& generation : generations_) {
    if (generation.Erase(key) && rule_ == EraseRule::kOldest) return;
  }
}

bool Generations::MayContain(uint64_t digest) const {
  for (const auto& generation : generations_) {
    if (generation.MayContain(Key::Digest(digest))) return true;
  }
  return false;
}

std::vector<Table> ScbfGenerations(const Options& options) {
  return {RateTable(options), EraseTable(options)};
}

}  // namespace trommel::paper
