// Where the published structures for tuples keep them: blocks of cells, one bit each.
//
// A block belongs to a set of attributes. Attribute i of it has m_i positions, hash j of a value is
// one of them, and a tuple marks k cells of the block: for each j the one whose coordinates are its
// values' positions under hash j. (A matrix over d attributes, each with one position more that
// means "not given", falls apart into these blocks: one for each set of given attributes.)
//
//   set {0,2}, m_0 = 5, m_2 = 3        cell = first + position(x_0) * 3 + position(x_2)
//
// The structures differ only in which blocks they have, for n tuples, d attributes and M cells:
//
//   kind        blocks                                           cells
//   kSbf        the whole tuple as one value                     m
//   kMdbf       every attribute alone                            sum m_i
//   kCmdbf      both of these                                    sum m_i + m
//   kBfm        every set                                        prod (m_i + 1) - 1
//   kCartesian  the set of all attributes; others by traversal   prod m_i
//   kCbfm       every allowed set                                sum over sets S of prod_{S} m_i
//
// Sources: Bloom 1970 (SBF); Guo et al. 2006 (MDBF); Xie et al. 2008 (CMDBF); Wang et al. 2013
// (BFM) and 2014 (Cartesian join, there CBF); Wang, Yun, Wang and Wang, "CBFM: cutted Bloom filter
// matrix for multi-dimensional membership query" (CBFM; with unequal m_i WCBFM), sections 2.2
// and 3.2.
#ifndef TROMMEL_MATRIX_GEOMETRY_H_
#define TROMMEL_MATRIX_GEOMETRY_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/result.h"

namespace trommel::matrix {

enum class Kind : uint8_t { kSbf, kMdbf, kCmdbf, kBfm, kCartesian, kCbfm };

std::string_view KindName(Kind kind) noexcept;  // "SBF", "MDBF", "CMDBF", "BFM", "CBF", "CBFM"

inline constexpr uint32_t kMaxHashes = 64;
inline constexpr uint64_t kMaxPositions = (uint64_t{1} << 32) - 1;  // of an attribute
inline constexpr uint64_t kMaxCells = uint64_t{1} << 42;            // half a terabyte

struct Block {
  AttributeMask set = 0;
  // The set's values are hashed together and have one row of positions: a plain Bloom filter.
  bool is_joint = false;
  // One number for each attribute of the set, ascending; of a joint block one. 1 .. kMaxPositions.
  std::vector<uint64_t> positions = {};

  // Their product. At most kMaxCells in a valid geometry.
  uint64_t num_cells() const noexcept;
  friend bool operator==(const Block&, const Block&) = default;
};

// Two structures of one geometry and digest policy have the same cells for the same tuples.
struct MatrixGeometry {
  Kind kind = Kind::kCbfm;
  AttributeSets sets = {};
  uint32_t num_hashes = 0;  // k: 1 .. kMaxHashes
  std::vector<Block> blocks = {};

  uint64_t num_cells() const noexcept;  // of all blocks
  // As the source counts: with the one cell of a matrix where no attribute is given (kBfm, kCbfm).
  uint64_t published_cells() const noexcept;
  // Blocks begin on cache lines, so that they may be written at the same time.
  uint64_t num_bytes() const noexcept;
  friend bool operator==(const MatrixGeometry&, const MatrixGeometry&) = default;
};

// The blocks that the kind has for these attributes, in their order (ascending sets, a joint one
// last), without positions.
std::vector<Block> EmptyBlocks(Kind kind, const AttributeSets& sets);

// kInvalidArgument, naming the value and the legal range, unless the blocks are EmptyBlocks', in
// the same order, and every number is in its range.
Status Validate(const MatrixGeometry& geometry);

}  // namespace trommel::matrix

#endif  // TROMMEL_MATRIX_GEOMETRY_H_
