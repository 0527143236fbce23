/// @file
/// Sizing of the published structures for tuples: from memory, or positions, to a geometry, and its
/// false-positive rates. Pure arithmetic.
#ifndef TROMMEL_MATRIX_SIZING_H_
#define TROMMEL_MATRIX_SIZING_H_

#include <cstdint>
#include <span>
#include <vector>

#include "trommel/export.h"
#include "trommel/matrix/geometry.h"
#include "trommel/result.h"

namespace trommel::matrix {

/// A factor on the memory that a set would have otherwise: WCBFM's weights of combinations.
struct SetWeight {
  AttributeMask set = 0;  ///< The set.
  double weight = 1;      ///< 1e-6 to 1e6.
};

/// What GeometryFor is to size. Exactly one of num_cells and positions is given.
struct Request {
  Kind kind = Kind::kCbfm;  ///< Which structure.
  AttributeSets sets = {};  ///< The attributes; cuts for kCbfm only.
  uint32_t num_hashes = 0;  ///< Required.
  /// Upper limit on the cells of all blocks. Positions are then the most that fit, at most
  /// kMaxPositions per attribute.
  uint64_t num_cells = 0;
  /// The positions of every attribute; for kSbf the one number of its joint block; for kCmdbf those
  /// of every attribute and then its joint block's.
  std::vector<uint64_t> positions = {};
  /// With num_cells: the positions of the attributes relative to each other (a joint block has
  /// weight 1), 1e-6 to 1e6; empty: all alike. Not for kSbf.
  std::vector<double> attribute_weights = {};
  /// For kCbfm: a block's cells are multiplied by its weight (each of its positions by the same
  /// factor), and with num_cells all are scaled to the same memory again. The sets must be allowed.
  std::vector<SetWeight> set_weights = {};
};

/// Returns the geometry of a request. Fails with kInvalidArgument for numbers out of range, for
/// weights and cuts that the kind does not have, if num_cells is too few for one position per
/// attribute, and if positions need more than kMaxCells, naming how much memory that would be.
/// Thread safety: any thread. Cost: up to milliseconds for 16 attributes.
TROMMEL_API Result<MatrixGeometry> GeometryFor(const Request& request);

/// Returns the source's formula (2) for the false-positive rate of a single attribute:
/// floor(log2(1 / fpr)), clamped to 1 to kMaxHashes.
TROMMEL_API uint32_t PublishedHashes(double fpr) noexcept;
/// Returns the source's formula (3) for n values of a single attribute: n log2(e) log2(1 / fpr).
TROMMEL_API double PublishedPositions(double fpr, uint64_t num_values) noexcept;
/// Returns the source's formula (4), (m+1)^(d - sum r) prod((m+1)^r_i - m^r_i), which holds for
/// disjoint cuts only. A double, because it may exceed any integer. Fails with kInvalidArgument for
/// other cuts.
TROMMEL_API Result<double> PublishedCells(const AttributeSets& sets, double positions);
/// Returns the general sum, for any cuts: the sum over allowed S of prod_{i in S} m_i, and 1 for
/// the cell of no given attribute. `positions` has num_attributes entries.
TROMMEL_API double CbfmCells(const AttributeSets& sets, std::span<const double> positions);

/// Returns the false-positive rate of a block by the model: n distinct projections set n k of its M
/// cells at random, so that (1 - (1 - 1/M)^(kn))^k of the non-members find all of their cells set.
/// This is for non-members with new values only; one that shares values with inserted tuples falls
/// into rows that are as full.
TROMMEL_API double PredictedFpr(const Block& block, uint32_t num_hashes,
                                uint64_t num_projections) noexcept;

}  // namespace trommel::matrix

#endif  // TROMMEL_MATRIX_SIZING_H_
