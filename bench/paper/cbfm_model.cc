// What the structures answer to strangers, by arithmetic.
#include <algorithm>
#include <bit>
#include <cmath>

#include "bench/fpr_bounds.h"
#include "bench/paper/cbfm_structures.h"

namespace trommel::paper {
namespace {

struct Chance {
  double rate = 0;
  double sigma = 0;  // of the rate itself: which cells these tuples happened to mark
};

// Of questions that look at one cell a hash in a block of several attributes, or of one. Strangers
// to `asked` are not in: a block of just these attributes sees no others.
Chance BlockChance(const matrix::Block& block, uint32_t num_hashes, uint64_t num_tuples,
                   AttributeMask asked, double alpha) {
  const auto num_cells = static_cast<double>(block.num_cells());
  const auto num_marks = static_cast<double>(num_tuples) * num_hashes;
  const double unmarked = std::exp(num_marks * std::log1p(-1 / num_cells));
  const size_t num_values = block.positions.size();
  const bool is_whole_question = block.set == asked;
  const double taken_chance = is_whole_question && num_values == 1 ? 0 : alpha;
  double rate = 0;
  double slope = 0;  // of the rate by the fill
  for (uint32_t taken = 0; taken >> num_values == 0; ++taken) {
    double chance = 1;
    double still_unmarked = unmarked;
    for (size_t i = 0; i < num_values; ++i) {
      const bool is_taken = (taken >> i & 1) != 0;
      chance *= is_taken ? taken_chance : 1 - taken_chance;
      if (is_taken && !block.is_joint) {
        still_unmarked *= 1 - static_cast<double>(block.positions[i]) / num_cells;
      }
    }
    const double fill = 1 - still_unmarked;
    rate += chance * std::pow(fill, num_hashes);
    slope += chance * num_hashes * std::pow(fill, num_hashes - 1);
  }
  if (!is_whole_question && num_values > 1) {  // values may happen to be all of one tuple
    const auto d = static_cast<double>(num_values);
    const double all = std::pow(alpha, d) / std::pow(static_cast<double>(num_tuples), d - 1);
    rate += all * (1 - rate);
  }
  return {rate, slope * std::sqrt(unmarked * (1 - unmarked) / num_cells)};
}

// Of a Cartesian join asked for some attributes: the cells of all values of the others are one.
Chance TraversalChance(const matrix::MatrixGeometry& geometry, AttributeMask asked,
                       uint64_t num_tuples, double alpha) {
  const matrix::Block& block = geometry.blocks.front();
  matrix::Block seen{.set = asked, .is_joint = false, .positions = {}};
  for (size_t i = 0; i < block.positions.size(); ++i) {
    if ((asked >> i & 1) != 0) seen.positions.push_back(block.positions[i]);
  }
  return BlockChance(seen, geometry.num_hashes, num_tuples, asked, alpha);
}

Chance MatrixChance(const Structure& structure, AttributeMask asked, double alpha,
                    uint64_t num_tuples) {
  const matrix::MatrixGeometry& geometry = *structure.geometry;
  if (geometry.kind == matrix::Kind::kCartesian && asked != structure.sets.full()) {
    return TraversalChance(geometry, asked, num_tuples, alpha);
  }
  const std::vector<AttributeMask> parts = structure.PartsOf(asked);
  Chance all{1, 0};
  for (const matrix::Block& block : geometry.blocks) {
    if (std::ranges::find(parts, block.set) == parts.end()) continue;
    const Chance one = BlockChance(block, geometry.num_hashes, num_tuples, asked, alpha);
    all.sigma = std::hypot(all.sigma * one.rate, one.sigma * all.rate);
    all.rate *= one.rate;
  }
  return all;
}

Chance FilterChance(const Structure& structure, AttributeMask asked, double alpha,
                    uint64_t num_tuples) {
  const AttributeStats stats = structure.filter()->GetStats();
  Chance all{1, 0};
  for (const AttributeMask part : structure.sets.PartsOf(asked)) {
    const SetStats& set = stats.sets[structure.sets.IndexOf(part)];
    const double size = std::popcount(part);
    const double n = static_cast<double>(num_tuples);
    const double in = part == asked ? 0 : std::pow(alpha, size) / std::pow(n, size - 1);
    const double rate = in + (1 - in) * set.stats.predicted_fpr;
    double own = 0;
    for (const GenerationStats& generation : set.stats.generations) {
      // All questions in the world: only the filter's own luck is left.
      own = std::hypot(own, bench::BlockFprSigma(generation.geometry, generation.load, ~0ULL));
    }
    all.sigma = std::hypot(all.sigma * rate, own * all.rate);
    all.rate *= rate;
  }
  return all;
}

Chance ChanceOf(const Structure& structure, AttributeMask asked, double alpha,
                uint64_t num_tuples) {
  return structure.geometry ? MatrixChance(structure, asked, alpha, num_tuples)
                            : FilterChance(structure, asked, alpha, num_tuples);
}

}  // namespace

double ModelledRate(const Structure& structure, AttributeMask asked, double alpha,
                    uint64_t num_tuples) {
  return ChanceOf(structure, asked, alpha, num_tuples).rate;
}

Range ModelledRange(const Structure& structure, AttributeMask asked, double alpha,
                    uint64_t num_tuples, uint64_t num_questions) {
  const Chance chance = ChanceOf(structure, asked, alpha, num_tuples);
  return BinomialRange(std::min(chance.rate, 1.0), num_questions, chance.sigma);
}

}  // namespace trommel::paper
