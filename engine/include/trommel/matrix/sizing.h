// Sizing of the published structures: from memory, or positions, to a geometry, and its rates.
// Pure arithmetic.
#ifndef TROMMEL_MATRIX_SIZING_H_
#define TROMMEL_MATRIX_SIZING_H_

#include <cstdint>
#include <span>
#include <vector>

#include "trommel/matrix/geometry.h"
#include "trommel/result.h"

namespace trommel::matrix {

// A set's share of the memory over what it would have: WCBFM's weights of combinations.
struct SetWeight {
  AttributeMask set = 0;
  double weight = 1;  // 1e-6 .. 1e6
};

struct Request {
  Kind kind = Kind::kCbfm;
  AttributeSets sets = {};  // cuts are kCbfm's only
  uint32_t num_hashes = 0;  // required
  // Either the cells that all blocks together may have: positions are then the most that fit, and
  // no attribute's more than kMaxPositions, ...
  uint64_t num_cells = 0;
  // ... or the positions of every attribute; of kSbf the one number of its joint block; of kCmdbf
  // those of every attribute and then its joint block's.
  std::vector<uint64_t> positions = {};
  // With num_cells: positions of the attributes over each other's (a joint block weighs 1); empty:
  // all alike. 1e-6 .. 1e6. Not for kSbf.
  std::vector<double> attribute_weights = {};
  // kCbfm: a block's cells are multiplied by its weight (its positions by the same factor each),
  // and with num_cells all are scaled to the same memory again. A set that is not allowed is an
  // error.
  std::vector<SetWeight> set_weights = {};
};

// Fails with kInvalidArgument for numbers out of range, for weights and cuts that the kind does not
// have, when num_cells is too few for one position an attribute, and when positions need more than
// kMaxCells: the error says how much memory that would be. Any thread; up to milliseconds
// for 16 attributes.
Result<MatrixGeometry> GeometryFor(const Request& request);

// The source's formulas (2) and (3), for the rate of a single attribute and n values of it:
uint32_t PublishedHashes(double fpr) noexcept;  // floor(log2(1 / fpr)), 1 .. kMaxHashes
double PublishedPositions(double fpr, uint64_t num_values) noexcept;  // n log2(e) log2(1 / fpr)
// Formula (4): (m+1)^(d - sum r) prod((m+1)^r_i - m^r_i), which holds for disjoint cuts only; fails
// with kInvalidArgument for others. As a double: it may be beyond any integer.
Result<double> PublishedCells(const AttributeSets& sets, double positions);
// The general sum, for any cuts: sum over allowed S of prod_{i in S} m_i, and 1 for the cell where
// no attribute is given. positions has num_attributes entries.
double CbfmCells(const AttributeSets& sets, std::span<const double> positions);

// The model: n different projections onto a block's set mark n k cells of M at random, so that
// (1 - (1 - 1/M)^(kn))^k of non-members meet marked cells only. Non-members all of whose values are
// new; one that shares values with tuples that are in falls into rows that are as full.
double PredictedFpr(const Block& block, uint32_t num_hashes, uint64_t num_projections) noexcept;

}  // namespace trommel::matrix

#endif  // TROMMEL_MATRIX_SIZING_H_
