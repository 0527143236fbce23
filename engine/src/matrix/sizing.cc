#include "trommel/matrix/sizing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "engine/src/base/out_of_range.h"
#include "engine/src/matrix/published_sets.h"

namespace trommel::matrix {
namespace {

constexpr double kMinWeight = 1e-6;
constexpr double kMaxWeight = 1e6;

Error Refusal(const Request& request, std::string message) {
  return {ErrorCode::kInvalidArgument,
          std::string(KindName(request.kind)) + ": " + std::move(message)};
}

Status CheckWeight(const std::string& name, double weight) {
  if (weight >= kMinWeight && weight <= kMaxWeight) return Ok();  // not so for NaN
  return OutOfRange(name, weight, kMinWeight, kMaxWeight);
}

bool HasJointBlock(Kind kind) { return kind == Kind::kSbf || kind == Kind::kCmdbf; }

// How many entries request.positions must have.
size_t NumRows(const Request& request) {
  const size_t alone = request.kind == Kind::kSbf ? 0 : request.sets.num_attributes();
  return alone + (HasJointBlock(request.kind) ? 1 : 0);
}

Status CheckWeights(const Request& request) {
  if (!request.attribute_weights.empty()) {
    if (request.num_cells == 0 || request.kind == Kind::kSbf) {
      return Refusal(
          request,
          "attribute weights divide num_cells among attributes: they need num_cells, and "
          "a kind other than SBF");
    }
    if (request.attribute_weights.size() != request.sets.num_attributes()) {
      return OutOfRange("number of attribute weights", request.attribute_weights.size(),
                        "one for each of " + std::to_string(request.sets.num_attributes()) +
                            " attributes, or none");
    }
  }
  for (size_t i = 0; i < request.attribute_weights.size(); ++i) {
    Status status =
        CheckWeight("weight of attribute " + std::to_string(i), request.attribute_weights[i]);
    if (!status.ok()) return status;
  }
  if (!request.set_weights.empty() && request.kind != Kind::kCbfm) {
    return Refusal(request, "has no weights of sets; CBFM has");
  }
  for (const SetWeight& weight : request.set_weights) {
    const std::string name = "set " + AttributeMaskText(weight.set);
    if (!request.sets.IsAllowed(weight.set)) {
      return Refusal(request, name + " has a weight but is not an allowed set");
    }
    if (Status status = CheckWeight("weight of " + name, weight.weight); !status.ok()) {
      return status;
    }
  }
  return Ok();
}

Status CheckRequest(const Request& request) {
  if (request.kind > Kind::kCbfm) {
    return OutOfRange("kind", static_cast<unsigned>(request.kind), "between 0 (SBF) and 5 (CBFM)");
  }
  if (request.num_hashes == 0 || request.num_hashes > kMaxHashes) {
    return OutOfRange("num_hashes", request.num_hashes, 1U, kMaxHashes);
  }
  if (Status good = CheckPublishedSets(request.sets); !good.ok()) return good;
  if (request.kind != Kind::kCbfm && !request.sets.cuts().empty()) {
    return Refusal(request, "has no cuts; CBFM has");
  }
  if ((request.num_cells == 0) == request.positions.empty()) {
    return Refusal(request, "either num_cells or positions must be given");
  }
  if (request.num_cells > kMaxCells) {
    return OutOfRange("num_cells", request.num_cells, uint64_t{1}, kMaxCells);
  }
  if (!request.positions.empty() && request.positions.size() != NumRows(request)) {
    return OutOfRange("number of positions", request.positions.size(),
                      TextOf(NumRows(request)) + " for these attributes");
  }
  for (size_t i = 0; i < request.positions.size(); ++i) {
    if (request.positions[i] >= 1 && request.positions[i] <= kMaxPositions) continue;
    return OutOfRange("positions of row " + std::to_string(i), request.positions[i], uint64_t{1},
                      kMaxPositions);
  }
  return CheckWeights(request);
}

// The factor of each block's positions: weights are of cells.
std::vector<double> FactorsOf(const Request& request, const std::vector<Block>& blocks) {
  std::vector<double> factors(blocks.size(), 1);
  for (const SetWeight& weight : request.set_weights) {
    const double dimensions = std::popcount(weight.set);
    factors[request.sets.IndexOf(weight.set)] *= std::pow(weight.weight, 1 / dimensions);
  }
  return factors;
}

// Positions of every row (attributes, then the joint block).
using Rows = std::vector<double>;

// Rounded down, to at least one; where num_cells is given, to at most kMaxPositions.
double PositionsFor(const Request& request, double row, double factor) {
  const double positions = std::max(1.0, std::floor(row * factor));
  return request.num_cells == 0 ? positions
                                : std::min(positions, static_cast<double>(kMaxPositions));
}

double CellsFor(const Request& request, const std::vector<Block>& blocks,
                const std::vector<double>& factors, const Rows& rows, double scale) {
  double sum = request.kind == Kind::kBfm || request.kind == Kind::kCbfm ? 1 : 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const double factor = factors[b] * scale;
    double cells = 1;
    if (blocks[b].is_joint) {
      cells = PositionsFor(request, rows.back(), factor);
    } else {
      for (AttributeMask left = blocks[b].set; left != 0; left &= left - 1) {
        cells *= PositionsFor(request, rows[static_cast<size_t>(std::countr_zero(left))], factor);
      }
    }
    sum += cells;
  }
  return sum;
}

Status SetPositions(const Request& request, const std::vector<double>& factors, const Rows& rows,
                    double scale, std::vector<Block>& blocks) {
  const auto positions_of = [&](const Block& block, double row, double factor) -> Result<uint64_t> {
    const double positions = PositionsFor(request, row, factor);
    if (positions <= static_cast<double>(kMaxPositions)) return static_cast<uint64_t>(positions);
    return OutOfRange("positions of block " + AttributeMaskText(block.set), positions, 1.0,
                      static_cast<double>(kMaxPositions));
  };
  for (size_t b = 0; b < blocks.size(); ++b) {
    const double factor = factors[b] * scale;
    std::vector<double> own;
    if (blocks[b].is_joint) own.push_back(rows.back());
    for (AttributeMask left = blocks[b].is_joint ? 0 : blocks[b].set; left != 0; left &= left - 1) {
      own.push_back(rows[static_cast<size_t>(std::countr_zero(left))]);
    }
    for (const double row : own) {
      const Result<uint64_t> positions = positions_of(blocks[b], row, factor);
      if (!positions.ok()) return positions.error();
      blocks[b].positions.push_back(*positions);
    }
  }
  return Ok();
}

bool AreDisjoint(std::span<const AttributeMask> cuts) {
  AttributeMask seen = 0;
  for (const AttributeMask cut : cuts) {
    if ((seen & cut) != 0) return false;
    seen |= cut;
  }
  return true;
}

}  // namespace

Result<MatrixGeometry> GeometryFor(const Request& request) {
  if (Status status = CheckRequest(request); !status.ok()) return status.error();
  MatrixGeometry geometry{request.kind, request.sets, request.num_hashes,
                          EmptyBlocks(request.kind, request.sets)};
  const std::vector<double> factors = FactorsOf(request, geometry.blocks);

  double scale = 1;
  Rows rows(request.positions.begin(), request.positions.end());
  if (request.num_cells != 0) {
    rows = request.attribute_weights;
    rows.resize(NumRows(request), 1);
    const auto fits = [&](double tried) {
      return CellsFor(request, geometry.blocks, factors, rows, tried) <=
             static_cast<double>(request.num_cells);
    };
    if (!fits(0)) {
      return OutOfRange("num_cells", request.num_cells,
                        "at least " + TextOf(CellsFor(request, geometry.blocks, factors, rows, 0)) +
                            " for one position per attribute");
    }
    double low = 0;  // fits
    double high = static_cast<double>(request.num_cells) / kMinWeight * 2 / kMinWeight;
    while (high - low > low * 1e-15) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      (fits(middle) ? low : high) = middle;
    }
    scale = low;
  }
  const double num_cells = CellsFor(request, geometry.blocks, factors, rows, scale);
  if (num_cells > static_cast<double>(kMaxCells)) {
    return Refusal(request, "these positions need " + TextOf(num_cells) + " cells, " +
                                TextOf(std::ceil(num_cells / 8)) +
                                " bytes of memory; a matrix has at most " + TextOf(kMaxCells / 8) +
                                " bytes");
  }
  Status status = SetPositions(request, factors, rows, scale, geometry.blocks);
  if (!status.ok()) return status.error();
  if (Status valid = Validate(geometry); !valid.ok()) return valid.error();
  return geometry;
}

uint32_t PublishedHashes(double fpr) noexcept {
  if (!(fpr > 0)) return kMaxHashes;
  return static_cast<uint32_t>(
      std::clamp(std::floor(-std::log2(fpr)), 1.0, static_cast<double>(kMaxHashes)));
}

double PublishedPositions(double fpr, uint64_t num_values) noexcept {
  return static_cast<double>(num_values) * std::numbers::log2e * -std::log2(fpr);
}

Result<double> PublishedCells(const AttributeSets& sets, double positions) {
  if (!AreDisjoint(sets.cuts())) {
    return Error{ErrorCode::kInvalidArgument,
                 "formula (4) holds for cuts that share no attribute; CbfmCells takes any"};
  }
  double cells = 1;
  uint32_t num_uncut = sets.num_attributes();
  for (const AttributeMask cut : sets.cuts()) {
    const int r = std::popcount(cut);
    cells *= std::pow(positions + 1, r) - std::pow(positions, r);
    num_uncut -= static_cast<uint32_t>(r);
  }
  return cells * std::pow(positions + 1, num_uncut);
}

double CbfmCells(const AttributeSets& sets, std::span<const double> positions) {
  double sum = 1;
  for (const AttributeMask set : sets.allowed()) {
    double cells = 1;
    for (AttributeMask left = set; left != 0; left &= left - 1) {
      cells *= positions[static_cast<size_t>(std::countr_zero(left))];
    }
    sum += cells;
  }
  return sum;
}

double PredictedFpr(const Block& block, uint32_t num_hashes, uint64_t num_projections) noexcept {
  const auto num_cells = static_cast<double>(block.num_cells());
  if (num_projections == 0) return 0;
  if (num_cells <= 1) return 1;
  const double marks = static_cast<double>(num_projections) * num_hashes;
  const double fill = -std::expm1(marks * std::log1p(-1 / num_cells));
  return std::pow(fill, num_hashes);
}

}  // namespace trommel::matrix
