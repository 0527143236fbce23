#include "bench/paper/cbfm_structures.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "trommel/matrix/matrix.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"

namespace trommel::paper {
namespace {

template <class T>
T Demanded(Result<T> result, const std::string& name) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "%s: %s\n", name.c_str(), result.error().message.c_str());
  std::exit(3);
}

AttributeSets ThreeWithout(std::initializer_list<AttributeMask> cuts) {
  return Demanded(AttributeSets::Create(3, {cuts.begin(), cuts.size()}), "cuts");
}

std::vector<AttributeMask> SinglesOf(AttributeMask asked) {
  std::vector<AttributeMask> singles;
  for (AttributeMask bit = 1; bit != 0 && bit <= asked; bit <<= 1) {
    if ((asked & bit) != 0) singles.push_back(bit);
  }
  return singles;
}

}  // namespace

AttributeSets OneCut() { return ThreeWithout({kCutPair}); }
AttributeSets TwoCuts() { return ThreeWithout({kCutPair, kSecondCut}); }

std::vector<AttributeMask> Structure::PartsOf(AttributeMask asked) const {
  if (!geometry) return sets.PartsOf(asked);
  switch (geometry->kind) {
    case matrix::Kind::kSbf:
    case matrix::Kind::kBfm:
    case matrix::Kind::kCartesian:
      return {asked};
    case matrix::Kind::kMdbf:
      return SinglesOf(asked);
    case matrix::Kind::kCmdbf: {
      std::vector<AttributeMask> parts = SinglesOf(asked);
      if (asked == sets.full()) parts.push_back(asked);
      return parts;
    }
    case matrix::Kind::kCbfm:
      break;
  }
  return sets.PartsOf(asked);
}

Structure MakeMatrix(std::string name, const matrix::Request& request) {
  matrix::MatrixGeometry geometry = Demanded(matrix::GeometryFor(request), name);
  auto index = std::make_unique<matrix::Matrix>(Demanded(matrix::Matrix::Create(geometry), name));
  return {std::move(name), request.sets, std::move(geometry), std::move(index)};
}

Structure MakeAttributeFilter(std::string name, const AttributeConfig& config) {
  auto index = std::make_unique<AttributeFilter>(Demanded(AttributeFilter::Create(config), name));
  return {std::move(name), config.sets, std::nullopt, std::move(index)};
}

Structure MakeAttributeFilter(std::string name, const AttributeSets& sets, uint64_t capacity,
                              double target_fpr) {
  AttributeConfig config;
  config.sets = sets;
  config.capacity = capacity;
  config.target_fpr = target_fpr;
  return MakeAttributeFilter(std::move(name), config);
}

double TargetForRate(double rate) {
  const double first_share = 1 - ScalableConfig{}.tightening;
  return std::clamp(rate / first_share, kMinTargetFpr / first_share * (1 + 1e-9), kMaxTargetFpr);
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

}  // namespace trommel::paper
