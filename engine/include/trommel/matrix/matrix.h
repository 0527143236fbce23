// Matrix: the published structures for tuples (geometry.h says which), on our kernels.
//
// They are here for reproduction, teaching and comparison. A question reads k cells all over memory
// for each of its parts where AttributeFilter reads one cache line; nothing can be erased; and a
// block has m^|S| cells however few tuples there are. LiteralMatrix computes the same cells as
// published, step by step, and is the reference.
//
// A question's parts, and the strides of their blocks, are a *plan*: made on first use, kept while
// no tuple comes in. The block that lets fewest non-members pass is asked first, saturated ones not
// at all. Positions of many tuples under one hash are lanes of vectors, and with every cell only
// those stay that were found marked.
//
// Threads: const members may run in any number of threads at once as long as no other member runs.
// With an executor, queries are spread over its threads, and insertions, a task a block; the result
// is the same, bit for bit.
#ifndef TROMMEL_MATRIX_MATRIX_H_
#define TROMMEL_MATRIX_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trommel/executor.h"
#include "trommel/impl_ptr.h"
#include "trommel/matrix/geometry.h"
#include "trommel/result.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"

namespace trommel::matrix {

struct BlockStats {
  AttributeMask set = 0;
  bool is_joint = false;
  uint64_t num_cells = 0;
  uint64_t num_marked = 0;
  double current_fpr = 0;  // fill to the power of k
};

class Matrix final : public TupleIndex {
 public:
  // An empty structure. Fails as Validate does, and with kOutOfMemory over the limit (0: the
  // machine's physical memory) or when the system refuses; the error says how much it takes.
  static Result<Matrix> Create(const MatrixGeometry& geometry, uint64_t memory_limit_bytes = 0);

  Matrix(Matrix&&) noexcept;
  Matrix& operator=(Matrix&&) noexcept;
  ~Matrix() override;  // A moved-from matrix may only be destroyed or assigned to:
                       // anything else aborts with a message.

  const AttributeSets& sets() const noexcept override;
  // kSbf: full() only. kMdbf and kCmdbf: any set, attribute by attribute, with the joint block of
  // kCmdbf for full(). kCartesian: any set; all but full() by traversal of prod m_i cells over the
  // attributes that are not given, for every hash.
  bool CanAnswer(AttributeMask asked) const noexcept override;
  std::vector<AttributeMask> PartsOf(AttributeMask asked) const override;
  InsertOutcome Insert(const Tuples& tuples) noexcept override;  // refuses nothing
  size_t Query(AttributeMask asked, const Tuples& tuples,
               std::span<uint64_t> maybe_present) const noexcept override;
  uint64_t num_tuples() const noexcept override;
  uint64_t num_bytes() const noexcept override;
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept override;

  void Clear() noexcept;
  const MatrixGeometry& geometry() const noexcept;
  std::vector<BlockStats> GetBlockStats() const;

  // The cells that Query would test for these tuples, in the order of parts, then hashes, then
  // tuples: the index computation alone, for measurements and tests. Not for kCartesian's partial
  // questions. `cells` is resized; cells are numbered from the first block on, without gaps.
  void CellsOf(AttributeMask asked, const Tuples& tuples, std::vector<uint64_t>& cells) const;

 private:
  struct Impl;
  explicit Matrix(std::unique_ptr<Impl> impl) noexcept;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel::matrix

#endif  // TROMMEL_MATRIX_MATRIX_H_
