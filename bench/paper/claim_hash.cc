// A faster hash "saves 15 % of space".
#include <cmath>

#include "bench/paper/claims.h"
#include "bench/paper/hash_report.h"

namespace trommel::paper {

Table HashClaim(const Options& options) {
  Table table = HashRates(options);
  table.title = "Claim: CityHash instead of MurmurHash takes 15 % less space at the same rate";
  table.text +=
      "FarmHash is by CityHash's authors, its successor. What each costs a key: hash_bench.";
  // Bits a key grow as ln p: a rate off by a factor is space off by its logarithm.
  double least = 1;
  double most = 0;
  double reach = 0;
  for (const Row& row : table.rows) {
    least = std::min(least, *row.measured);
    most = std::max(most, *row.measured);
    reach = std::max(reach, row.allowed->high - *row.exact);
  }
  const double target = *table.rows.front().exact;
  Row space{.what = "space at the same rate, best against worst", .unit = Unit::kChange};
  space.paper = -0.15;
  space.exact = 0;
  space.measured = std::log(most / least) / std::log(target);
  space.allowed = Range{2 * reach / target / std::log(target), 0};
  space.given = JudgeClaim(*space.paper, *space.measured, 0.05);
  space.note = "From the rates above: what chance makes of equal rates.";
  table.rows.push_back(space);
  return table;
}

}  // namespace trommel::paper
