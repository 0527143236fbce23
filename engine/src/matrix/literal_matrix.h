// LiteralMatrix, the cut Bloom filter matrix exactly as its source prints it.
#ifndef TROMMEL_ENGINE_SRC_MATRIX_LITERAL_MATRIX_H_
#define TROMMEL_ENGINE_SRC_MATRIX_LITERAL_MATRIX_H_

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

// CBFM (BFM without cuts) exactly as its source prints it, tuple by tuple.
//
// It implements algorithms 1 to 3 of Wang, Yun, Wang and Wang, "CBFM", section 3.2: logical
// coordinates of the whole matrix; a walk over its dimensions from the highest to the lowest that
// counts, by inclusion and exclusion over the cuts, how many cells below the coordinate were kept;
// and a list of all indices that is tested when it is complete. It is slow on purpose: it is the
// scalar reference of Matrix and the baseline of measurements. Hash j of a value is that of
// Matrix, so both find the same tuples.
//
// Thread safety: const members may run in any number of threads at once, as long as no other
// member runs; all other members are exclusive.
class LiteralMatrix final : public TupleIndex {
 public:
  // Most cuts: each index takes 2^cuts steps per dimension.
  static constexpr size_t kMaxCuts = 20;

  // Creates an empty matrix. `positions` has m_i for each attribute, 1 to kMaxPositions (all
  // equal: CBFM; unequal: WCBFM by attribute). Fails with kInvalidArgument for numbers out of
  // range, for more than kMaxMatrixAttributes, sets with a limit or listed, more than kMaxCuts
  // cuts, and for more than kMaxCells cells, naming how much memory that would be; with
  // kOutOfMemory if the system refuses memory.
  static Result<LiteralMatrix> Create(const AttributeSets& sets,
                                      std::span<const uint64_t> positions, uint32_t num_hashes);

  // Members of TupleIndex, as there.
  const AttributeSets& sets() const noexcept override { return sets_; }  // As TupleIndex::sets.
  bool CanAnswer(AttributeMask queried) const noexcept override;  // As TupleIndex::CanAnswer.
  // As AttributeSets::PartsOf.
  std::vector<AttributeMask> PartsOf(AttributeMask queried) const override;
  InsertOutcome Insert(const Tuples& tuples) noexcept override;  // Inserts all tuples.
  // As TupleIndex::Query.
  size_t Query(AttributeMask queried, const Tuples& tuples,
               std::span<uint64_t> maybe_present) const noexcept override;
  uint64_t num_tuples() const noexcept override { return num_tuples_; }  // Returns insertions.
  uint64_t num_bytes() const noexcept override;                     // Returns the cells' bytes.
  void UseExecutor(std::shared_ptr<Executor>) noexcept override {}  // Does nothing.

  // Returns M of the source: the cells that were kept, including that of no given attribute.
  uint64_t num_cells() const noexcept { return num_cells_; }

  // Returns the index of a cell of an allowed set: algorithm 3 alone. coordinate[i] is in 1 to m_i
  // for attributes of the set; others are not read. Cost: d 2^cuts steps.
  uint64_t CalculateIndex(AttributeMask set, std::span<const uint64_t> coordinate) const noexcept;
  // Replaces `indices` by all indices of the query for one tuple: algorithm 2 without its last
  // loop. `parts` are the query's PartsOf.
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

#endif  // TROMMEL_ENGINE_SRC_MATRIX_LITERAL_MATRIX_H_
