// The scalable filter's rate, of d generations.
#include <cmath>

#include "bench/paper/report/random.h"
#include "bench/paper/scbf/scbf.h"
#include "bench/sides/fpr_bounds.h"

namespace trommel::paper {
namespace {

Table RateTable(const Options& options) {
  constexpr uint32_t kHashes = 7;
  constexpr double kRate = 0x1p-7;
  const uint64_t slice_positions = options.quick ? 4'096 : 65'536;
  classic::ScalableSplit filter(kHashes * slice_positions, kRate, classic::InsertRule::kNewest,
                                classic::EraseRule::kEverywhere);
  const uint64_t num_keys = filter.half_full();
  const uint64_t num_non_members = options.quick ? 100'000 : 2'000'000;
  Table table{.title = "Scalable filter: P_d = 1 - (1 - P)^d"};
  table.text =
      "Generations of 7 slices, each half full; a non-member is \"maybe present\" if it is in any "
      "of them. The text has the formula and no figure of it; P is 2^-7 there, and f^7 of the true "
      "fill in the exact model.";
  const double p = filter.generation_fpr();
  const double own =
      bench::TextbookOwnSigma(filter.geometry().total_positions(), kHashes, num_keys);
  for (const uint32_t d : {1U, 2U, 4U, 8U, 16U}) {
    while (filter.num_generations() < d) {
      InsertRandom(filter, RandomStream(options.seed, 100 + filter.num_generations()), num_keys);
    }
    const double exact = classic::ScalableSplit::FprOf(p, d);
    Row row{.what = "d = " + std::to_string(d), .unit = Unit::kShare};
    row.formula = classic::ScalableSplit::FprOf(kRate, d);
    row.exact = exact;
    row.measured = MeasuredFpr(filter, RandomStream(options.seed, 99), num_non_members);
    row.allowed = BinomialRange(exact, num_non_members, own * std::sqrt(d));
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace

std::vector<Table> ScbfGenerations(const Options& options) {
  return {RateTable(options), ScbfErasing(options)};
}

}  // namespace trommel::paper
