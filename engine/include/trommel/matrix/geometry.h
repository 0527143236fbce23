/// @file
/// Geometry of the published structures for tuples: blocks of cells, one bit each.
///
/// A block belongs to a set of attributes. Attribute i of it has m_i positions, and hash j of a
/// value is one of them. A tuple sets k cells of the block: for each j the one whose coordinates
/// are its values' positions under hash j. (A matrix over d attributes, each with one extra
/// position for "not given", decomposes into these blocks: one for each set of given attributes.)
/// @code{.unparsed}
///   set {0,2}, m_0 = 5, m_2 = 3        cell = first + position(x_0) * 3 + position(x_2)
/// @endcode
/// The structures differ only in which blocks they have, for n tuples, d attributes and M cells:
/// @code{.unparsed}
///   kind        blocks                                           cells
///   kSbf        the whole tuple as one value                     m
///   kMdbf       every attribute alone                            sum m_i
///   kCmdbf      both of these                                    sum m_i + m
///   kBfm        every set                                        prod (m_i + 1) - 1
///   kCartesian  the set of all attributes; others by traversal   prod m_i
///   kCbfm       every allowed set                                sum over sets S of prod_{S} m_i
/// @endcode
/// Sources: Bloom 1970 (SBF); Guo et al. 2006 (MDBF); Xie et al. 2008 (CMDBF); Wang et al. 2013
/// (BFM) and 2014 (Cartesian join, there CBF); Wang, Yun, Wang and Wang, "CBFM: cutted Bloom filter
/// matrix for multi-dimensional membership query" (CBFM; with unequal m_i WCBFM), sections 2.2
/// and 3.2.
#ifndef TROMMEL_MATRIX_GEOMETRY_H_
#define TROMMEL_MATRIX_GEOMETRY_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/export.h"
#include "trommel/result.h"

/// The published structures for tuples, for reproduction, teaching and comparison.
namespace trommel::matrix {

/// Which structure: the table above lists their blocks.
enum class Kind : uint8_t {
  kSbf,        ///< A Bloom filter of whole tuples.
  kMdbf,       ///< A Bloom filter per attribute.
  kCmdbf,      ///< Both of these.
  kBfm,        ///< Bloom filter matrix.
  kCartesian,  ///< Cartesian join of the attributes.
  kCbfm,       ///< Cut Bloom filter matrix.
};

/// Returns "SBF", "MDBF", "CMDBF", "BFM", "CBF" or "CBFM".
TROMMEL_API std::string_view KindName(Kind kind) noexcept;

inline constexpr uint32_t kMaxMatrixAttributes = 16;  ///< Most attributes of a tuple.
inline constexpr uint32_t kMaxHashes = 64;            ///< Most hashes k.
inline constexpr uint64_t kMaxPositions =
    (uint64_t{1} << 32) - 1;                              ///< Most positions per attribute.
inline constexpr uint64_t kMaxCells = uint64_t{1} << 42;  ///< Most cells of all blocks: 512 GiB.

/// The cells of one set of attributes.
struct TROMMEL_API Block {
  AttributeMask set = 0;  ///< The set.
  /// Whether the set's values are hashed together to one row of positions: a plain Bloom filter.
  bool is_joint = false;
  /// The positions of each attribute of the set, ascending; of a joint block one number. Each 1 to
  /// kMaxPositions.
  std::vector<uint64_t> positions = {};

  /// Returns the product of the positions. At most kMaxCells in a valid geometry.
  uint64_t num_cells() const noexcept;
  /// Memberwise equality.
  friend bool operator==(const Block&, const Block&) = default;
};

/// Which cells a tuple sets. Two structures with the same geometry and digest policy have the same
/// cells for the same tuples.
struct TROMMEL_API MatrixGeometry {
  Kind kind = Kind::kCbfm;         ///< Which structure.
  AttributeSets sets = {};         ///< Of AttributeSets::Create; at most kMaxMatrixAttributes.
  uint32_t num_hashes = 0;         ///< k: 1 to kMaxHashes.
  std::vector<Block> blocks = {};  ///< As EmptyBlocks, with positions.

  /// Returns the cells of all blocks.
  uint64_t num_cells() const noexcept;
  /// Returns the cells as the source counts them: with the one cell of a matrix that stands for no
  /// given attribute (kBfm, kCbfm).
  uint64_t published_cells() const noexcept;
  /// Returns the bytes of all blocks. Each begins on a cache line, so that threads can write
  /// different blocks at the same time.
  uint64_t num_bytes() const noexcept;
  /// Memberwise equality.
  friend bool operator==(const MatrixGeometry&, const MatrixGeometry&) = default;
};

/// Returns the blocks of a kind for these attributes in their order (ascending sets, a joint one
/// last), without positions.
TROMMEL_API std::vector<Block> EmptyBlocks(Kind kind, const AttributeSets& sets);

/// Checks a geometry. Fails with kInvalidArgument, naming the value and the legal range, unless the
/// blocks are those of EmptyBlocks, in the same order, and every number is in its range.
TROMMEL_API Status Validate(const MatrixGeometry& geometry);

}  // namespace trommel::matrix

#endif  // TROMMEL_MATRIX_GEOMETRY_H_
