// The structures, and the model of their answers to non-members.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "bench/paper/cbfm/cbfm.h"
#include "bench/sides/demand.h"
#include "trommel/matrix/matrix.h"
#include "trommel/sizing.h"

namespace trommel::paper {
namespace {

AttributeSets ThreeWithout(std::initializer_list<AttributeMask> cuts) {
  return bench::ValueOrExit(AttributeSets::Create(3, {cuts.begin(), cuts.size()}), "cuts");
}

std::vector<AttributeMask> SinglesOf(AttributeMask queried) {
  std::vector<AttributeMask> singles;
  for (AttributeMask bit = 1; bit != 0 && bit <= queried; bit <<= 1) {
    if ((queried & bit) != 0) singles.push_back(bit);
  }
  return singles;
}

}  // namespace

AttributeSets OneCut() { return ThreeWithout({kCutPair}); }
AttributeSets TwoCuts() { return ThreeWithout({kCutPair, kSecondCut}); }

std::vector<AttributeMask> Structure::PartsOf(AttributeMask queried) const {
  if (!geometry) return sets.PartsOf(queried);
  switch (geometry->kind) {
    case matrix::Kind::kSbf:
    case matrix::Kind::kBfm:
    case matrix::Kind::kCartesian:
      return {queried};
    case matrix::Kind::kMdbf:
      return SinglesOf(queried);
    case matrix::Kind::kCmdbf: {
      std::vector<AttributeMask> parts = SinglesOf(queried);
      if (queried == sets.full()) parts.push_back(queried);
      return parts;
    }
    case matrix::Kind::kCbfm:
      break;
  }
  return sets.PartsOf(queried);
}

Structure MakeMatrix(std::string name, const matrix::Request& request) {
  matrix::MatrixGeometry geometry = bench::ValueOrExit(matrix::GeometryFor(request), name);
  auto index =
      std::make_unique<matrix::Matrix>(bench::ValueOrExit(matrix::Matrix::Create(geometry), name));
  return {std::move(name), request.sets, std::move(geometry), std::move(index)};
}

Structure MakeAttributeFilter(std::string name, const AttributeConfig& config) {
  auto index =
      std::make_unique<AttributeFilter>(bench::ValueOrExit(AttributeFilter::Create(config), name));
  return {std::move(name), config.sets, std::nullopt, std::move(index)};
}

Structure MakeAttributeFilter(std::string name, const AttributeSets& sets, uint64_t capacity,
                              double target_fpr) {
  AttributeConfig config;
  config.sets = sets;
  config.capacity = capacity;
  config.max_capacity = capacity;  // its rate is the one that is compared
  config.target_fpr = target_fpr;
  return MakeAttributeFilter(std::move(name), config);
}

double TargetForRate(double rate) {
  // A filter of 10 % has at most 1.1 %: of its rates the highest.
  return std::clamp(rate, kMinTargetFpr, kMaxTargetFpr);
}

std::vector<NamedRequest> PublishedRequests(uint64_t num_cells) {
  const AttributeSets all = ThreeWithout({});
  const auto request = [&](matrix::Kind kind, const AttributeSets& sets) {
    matrix::Request made;
    made.kind = kind;
    made.sets = sets;
    made.num_hashes = kCbfmHashes;
    made.num_cells = num_cells;
    return made;
  };
  std::vector<NamedRequest> requests;
  for (const matrix::Kind kind : {matrix::Kind::kSbf, matrix::Kind::kMdbf, matrix::Kind::kCmdbf,
                                  matrix::Kind::kBfm, matrix::Kind::kCartesian}) {
    requests.push_back({std::string(KindName(kind)), request(kind, all)});
  }
  requests.push_back({"CBFM, one cut", request(matrix::Kind::kCbfm, OneCut())});
  requests.push_back({"CBFM, two cuts", request(matrix::Kind::kCbfm, TwoCuts())});
  return requests;
}

namespace {

struct Chance {
  double rate = 0;
  double sigma = 0;  // of the rate itself, which depends on the cells that these tuples mark
};

// Of queries that read one cell per hash in a block of several attributes, or of one. Non-members
// of `queried` are not in: a block of just these attributes has no others.
Chance BlockChance(const matrix::Block& block, uint32_t num_hashes, uint64_t num_tuples,
                   AttributeMask queried, double alpha) {
  const auto num_cells = static_cast<double>(block.num_cells());
  const auto num_marks = static_cast<double>(num_tuples) * num_hashes;
  const double unmarked = std::exp(num_marks * std::log1p(-1 / num_cells));
  const size_t num_values = block.positions.size();
  const bool is_whole_question = block.set == queried;
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
  if (!is_whole_question && num_values > 1) {  // by chance all values may be of one tuple
    const auto d = static_cast<double>(num_values);
    const double all = std::pow(alpha, d) / std::pow(static_cast<double>(num_tuples), d - 1);
    rate += all * (1 - rate);
  }
  // Where less than one unmarked cell is expected, their number is not normal: without the 1, six
  // sigmas do not include the single cell that a few matrices in a hundred have.
  return {rate, slope * std::sqrt(num_cells * unmarked * (1 - unmarked) + 1) / num_cells};
}

// Of a Cartesian join queried for some attributes: the cells of all values of the others are read.
Chance TraversalChance(const matrix::MatrixGeometry& geometry, AttributeMask queried,
                       uint64_t num_tuples, double alpha) {
  const matrix::Block& block = geometry.blocks.front();
  matrix::Block seen{.set = queried, .is_joint = false, .positions = {}};
  for (size_t i = 0; i < block.positions.size(); ++i) {
    if ((queried >> i & 1) != 0) seen.positions.push_back(block.positions[i]);
  }
  return BlockChance(seen, geometry.num_hashes, num_tuples, queried, alpha);
}

Chance MatrixChance(const Structure& structure, AttributeMask queried, double alpha,
                    uint64_t num_tuples) {
  const matrix::MatrixGeometry& geometry = *structure.geometry;
  if (geometry.kind == matrix::Kind::kCartesian && queried != structure.sets.full()) {
    return TraversalChance(geometry, queried, num_tuples, alpha);
  }
  const std::vector<AttributeMask> parts = structure.PartsOf(queried);
  Chance all{1, 0};
  for (const matrix::Block& block : geometry.blocks) {
    if (std::ranges::find(parts, block.set) == parts.end()) continue;
    const Chance one = BlockChance(block, geometry.num_hashes, num_tuples, queried, alpha);
    all.sigma = std::hypot(all.sigma * one.rate, one.sigma * all.rate);
    all.rate *= one.rate;
  }
  return all;
}

Chance FilterChance(const Structure& structure, AttributeMask queried, double alpha,
                    uint64_t num_tuples) {
  const AttributeStats stats = structure.filter()->GetStats();
  Chance all{1, 0};
  for (const AttributeMask part : structure.sets.PartsOf(queried)) {
    const SetStats& set = stats.sets[structure.sets.IndexOf(part)];
    const double size = std::popcount(part);
    const double n = static_cast<double>(num_tuples);
    const double in = part == queried ? 0 : std::pow(alpha, size) / std::pow(n, size - 1);
    const double rate = in + (1 - in) * set.stats.predicted_fpr;
    // With all possible queries only the variance of the filter itself is left. From block to block
    // rates differ by about as much as they are.
    const double num_blocks = static_cast<double>(set.stats.num_bytes) / 64;
    const double own = set.stats.predicted_fpr / std::sqrt(std::max(1.0, num_blocks));
    all.sigma = std::hypot(all.sigma * rate, own * all.rate);
    all.rate *= rate;
  }
  return all;
}

Chance ChanceOf(const Structure& structure, AttributeMask queried, double alpha,
                uint64_t num_tuples) {
  return structure.geometry ? MatrixChance(structure, queried, alpha, num_tuples)
                            : FilterChance(structure, queried, alpha, num_tuples);
}

}  // namespace

double ModelledRate(const Structure& structure, AttributeMask queried, double alpha,
                    uint64_t num_tuples) {
  return ChanceOf(structure, queried, alpha, num_tuples).rate;
}

Range ModelledRange(const Structure& structure, AttributeMask queried, double alpha,
                    uint64_t num_tuples, uint64_t num_queries) {
  const Chance chance = ChanceOf(structure, queried, alpha, num_tuples);
  return BinomialRange(std::min(chance.rate, 1.0), num_queries, chance.sigma);
}

}  // namespace trommel::paper
