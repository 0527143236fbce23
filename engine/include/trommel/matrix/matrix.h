/// @file
/// Matrix, the published structures for tuples on Trommel's kernels.
#ifndef TROMMEL_MATRIX_MATRIX_H_
#define TROMMEL_MATRIX_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trommel/executor.h"
#include "trommel/export.h"
#include "trommel/impl_ptr.h"
#include "trommel/matrix/geometry.h"
#include "trommel/result.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"

namespace trommel::matrix {

/// Statistics of one block.
struct BlockStats {
  AttributeMask set = 0;    ///< As Block::set.
  bool is_joint = false;    ///< As Block::is_joint.
  uint64_t num_cells = 0;   ///< As Block::num_cells.
  uint64_t num_marked = 0;  ///< Cells that are set.
  double current_fpr = 0;   ///< num_marked / num_cells to the power of k.
};

/// The published structures for tuples (Kind), on Trommel's kernels.
///
/// They are here for reproduction, teaching and comparison. A query reads k cells all over memory
/// for each of its parts, where AttributeFilter reads one cache line; nothing can be erased; and a
/// block has m^|S| cells however few tuples there are. LiteralMatrix computes the same cells as
/// published, step by step, and is the reference.
///
/// The parts of a query, and the strides of their blocks, are a *plan*: it is made on first use and
/// kept until a tuple is inserted. The block that passes the fewest non-members is queried first,
/// saturated ones not at all. The positions of many tuples under one hash are lanes of vectors;
/// after each cell only the tuples for which it is set continue.
///
/// Thread safety: const members may run in any number of threads at once, as long as no other
/// member runs; all other members are exclusive. With an executor, queries are spread over its
/// threads, and insertions with one task per block; the result is the same, bit for bit.
class TROMMEL_API Matrix final : public TupleIndex {
 public:
  /// Creates an empty structure. Fails as Validate does, and with kOutOfMemory, naming how much
  /// memory it takes, if that exceeds the limit (0: the machine's memory) or the system
  /// refuses.
  static Result<Matrix> Create(const MatrixGeometry& geometry, uint64_t memory_limit_bytes = 0);

  /// Moves the matrix. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message.
  /// @{
  Matrix(Matrix&&) noexcept;
  Matrix& operator=(Matrix&&) noexcept;
  ~Matrix() override;
  /// @}

  /// @name Members of TupleIndex
  /// @{
  const AttributeSets& sets()
      const noexcept override;  ///< Returns the attributes and allowed sets.
  /// Returns whether queries for this set can be answered. kSbf: full() only. kMdbf and kCmdbf: any
  /// set, attribute by attribute, with the joint block of kCmdbf for full(). kCartesian: any set;
  /// for all but full() a query traverses, for every hash, prod m_i cells over the attributes that
  /// are not given.
  bool CanAnswer(AttributeMask queried) const noexcept override;
  std::vector<AttributeMask> PartsOf(AttributeMask queried) const override;  ///< As in TupleIndex.
  InsertOutcome Insert(const Tuples& tuples) noexcept override;  ///< Inserts all tuples.
  /// As TupleIndex::Query.
  size_t Query(AttributeMask queried, const Tuples& tuples,
               std::span<uint64_t> maybe_present) const noexcept override;
  uint64_t num_tuples() const noexcept override;  ///< Returns insertions.
  uint64_t num_bytes() const noexcept override;   ///< Returns the bytes of all blocks.
  /// As TupleIndex::UseExecutor.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept override;
  /// @}

  void Clear() noexcept;                            ///< Removes all tuples.
  const MatrixGeometry& geometry() const noexcept;  ///< Returns the geometry.
  std::vector<BlockStats> GetBlockStats() const;    ///< Returns statistics, block by block.

  /// Replaces `cells` by the cells that Query would test for these tuples, in the order of parts,
  /// then hashes, then tuples: the index computation alone, for measurements and tests. Cells are
  /// numbered from the first block on, without gaps. Not for partial queries of kCartesian.
  void CellsOf(AttributeMask queried, const Tuples& tuples, std::vector<uint64_t>& cells) const;

 private:
  struct Impl;
  explicit Matrix(std::unique_ptr<Impl> impl) noexcept;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel::matrix

#endif  // TROMMEL_MATRIX_MATRIX_H_
