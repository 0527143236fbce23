// LiteralMatrix: CBFM (BFM without cuts) exactly as its source prints it, tuple by tuple.
//
// Algorithms 1 to 3 of Wang, Yun, Wang and Wang, "CBFM", section 3.2: logical coordinates of the
// whole matrix, a walk over its dimensions from the highest to the lowest that counts, by inclusion
// and exclusion over the cuts, how many cells below the coordinate were kept, and a list of all
// indices that is tested when it is complete. Slow on purpose: it is the scalar reference of Matrix
// and the baseline of measurements. Hash j of a value is Matrix's, so both find the same tuples.
//
// Threads: as Matrix.
#ifndef TROMMEL_MATRIX_LITERAL_MATRIX_H_
#define TROMMEL_MATRIX_LITERAL_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/result.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"

namespace trommel::matrix {

class LiteralMatrix final : public TupleIndex {
 public:
  static constexpr size_t kMaxCuts = 20;

  // positions: m_i of each attribute (all equal: CBFM; unequal: WCBFM by attribute), 1 ..
  // kMaxPositions. Fails with kInvalidArgument for numbers out of range, for more than kMaxCuts
  // cuts (every index takes 2^cuts steps a dimension), and for more than kMaxCells cells, saying
  // how much memory that would be; with kOutOfMemory when the system refuses.
  static Result<LiteralMatrix> Create(const AttributeSets& sets,
                                      std::span<const uint64_t> positions, uint32_t num_hashes);

  const AttributeSets& sets() const noexcept override { return sets_; }
  bool CanAnswer(AttributeMask asked) const noexcept override;
  std::vector<AttributeMask> PartsOf(AttributeMask asked) const override;
  InsertOutcome Insert(const Tuples& tuples) noexcept override;
  size_t Query(AttributeMask asked, const Tuples& tuples,
               std::span<uint64_t> maybe_present) const noexcept override;
  uint64_t num_tuples() const noexcept override { return num_tuples_; }
  uint64_t num_bytes() const noexcept override;
  void UseExecutor(std::shared_ptr<Executor>) noexcept override {}  // it never uses one

  // M of the source: the cells that were kept, that of no given attribute included.
  uint64_t num_cells() const noexcept { return num_cells_; }

  // Algorithm 3 alone: the index of a cell of an allowed set. coordinate[i] is in 1 .. m_i for
  // attributes of the set; others are not read. d 2^cuts steps.
  uint64_t CalculateIndex(AttributeMask set, std::span<const uint64_t> coordinate) const noexcept;
  // Algorithm 2 without its last loop: all indices of one tuple's question, whose parts are
  // PartsOf(asked). `indices` is emptied first.
  void IndicesOf(std::span<const AttributeMask> parts, const Tuples& tuples, size_t tuple_idx,
                 std::vector<uint64_t>& indices) const;

 private:
  LiteralMatrix(AttributeSets sets, std::vector<uint64_t> positions, uint32_t num_hashes);

  uint64_t CountKept(AttributeMask given, uint32_t num_below) const noexcept;

  AttributeSets sets_;
  std::vector<uint64_t> positions_;
  uint32_t num_hashes_;
  uint64_t num_cells_ = 0;
  uint64_t num_tuples_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace trommel::matrix

#endif  // TROMMEL_MATRIX_LITERAL_MATRIX_H_
