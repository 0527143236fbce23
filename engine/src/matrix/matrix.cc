#include "trommel/matrix/matrix.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/matrix/cell_store.h"
#include "engine/src/matrix/plans.h"
#include "engine/src/tuples/projection.h"
#include "engine/src/tuples/tuple_batch.h"
#include "kernels/targets.h"

namespace trommel::matrix {
namespace {

// A round's tuples, whose cells are marked block by block: few enough that their digests stay in a
// second-level cache. With several threads, enough that starting the tasks costs little.
constexpr size_t kRoundTuples = size_t{1} << 14;
constexpr size_t kParallelRoundTuples = size_t{1} << 18;
// The tuples of one task of a traversal: each takes long.
constexpr size_t kTraversedTuples = 64;

size_t AnswerYes(size_t num_tuples, std::span<uint64_t> maybe_present) {
  std::ranges::fill(maybe_present, ~uint64_t{0});
  if (num_tuples % 64 != 0) maybe_present.back() = (uint64_t{1} << num_tuples % 64) - 1;
  return num_tuples;
}

}  // namespace

struct Matrix::Impl {
  explicit Impl(CellStore cells)
      : store(std::move(cells)), plans(store.geometry().sets.num_attributes()) {}

  CellStore store;
  Plans plans;
  std::shared_ptr<Executor> executor;
  uint64_t num_tuples = 0;
};

Matrix::Matrix(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Matrix::Matrix(Matrix&&) noexcept = default;
Matrix& Matrix::operator=(Matrix&&) noexcept = default;
Matrix::~Matrix() = default;

Result<Matrix> Matrix::Create(const MatrixGeometry& geometry, uint64_t memory_limit_bytes) try {
  Result<CellStore> store = CellStore::Create(geometry, memory_limit_bytes);
  if (!store) return store.error();
  return Matrix(std::make_unique<Impl>(*std::move(store)));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for the plans and block lists of the matrix"};
}

InsertOutcome Matrix::Insert(const Tuples& tuples) noexcept {
  const AttributeMask full = sets().full();
  CheckColumns(tuples, full);
  if (tuples.size == 0) return {};
  impl_->plans.Drop();
  Executor* const executor = impl_->executor.get();
  const size_t round_size =
      std::min(tuples.size, executor == nullptr ? kRoundTuples : kParallelRoundTuples);
  const bool has_joint = geometry().blocks.back().is_joint;
  const auto joint = std::make_unique_for_overwrite<uint64_t[]>(has_joint ? round_size : 0);
  for (size_t first = 0; first < tuples.size; first += round_size) {
    const size_t count = std::min(round_size, tuples.size - first);
    if (has_joint) {
      ForEachTask(executor, count, kTaskKeys, [&](size_t begin, size_t size) {
        ProjectionDigests(full, tuples.From(first + begin, size), {joint.get() + begin, size});
      });
    }
    impl_->store.Mark(ColumnsFrom(tuples, first, joint.get()), count, executor);
  }
  impl_->num_tuples += tuples.size;
  return {.num_inserted = tuples.size};
}

size_t Matrix::Query(AttributeMask queried, const Tuples& tuples,
                     std::span<uint64_t> maybe_present) const noexcept {
  TROMMEL_CHECK(CanAnswer(queried), "a set that this matrix does not answer");
  CheckBitmap(tuples, queried, maybe_present);
  CheckColumns(tuples, queried);
  const Plan& plan = impl_->plans.For(impl_->store, queried);
  if (plan.blocks.empty()) return AnswerYes(tuples.size, maybe_present);
  const kernels::CellKernels& run = kernels::ActiveKernels().cells;
  const size_t num_hashes = geometry().num_hashes;
  const uint64_t* const words = impl_->store.words();
  const size_t task_tuples = plan.traversal ? kTraversedTuples : kTaskKeys;
  std::atomic<size_t> num_present{0};
  ForEachTask(impl_->executor.get(), tuples.size, task_tuples, [&](size_t begin, size_t size) {
    size_t num_in_task = 0;
    std::array<uint64_t, kernels::kMaxCellTuples> joint;
    for (size_t first = begin; first < begin + size; first += joint.size()) {
      const size_t count = std::min(joint.size(), begin + size - first);
      if (plan.has_joint) {
        ProjectionDigests(queried, tuples.From(first, count), std::span(joint).first(count));
      }
      const CellColumns columns = ColumnsFrom(tuples, first, joint.data());
      uint64_t* const answers = maybe_present.data() + first / 64;
      num_in_task += plan.traversal
                         ? plan.traversal->Query(columns.data(), count, words, num_hashes, answers)
                         : run.query(columns.data(), count, words, plan.blocks.data(),
                                     plan.blocks.size(), num_hashes, answers);
    }
    num_present.fetch_add(num_in_task, std::memory_order_relaxed);
  });
  return num_present.load(std::memory_order_relaxed);
}

void Matrix::CellsOf(AttributeMask queried, const Tuples& tuples,
                     std::vector<uint64_t>& cells) const {
  TROMMEL_CHECK(CanAnswer(queried), "a set that this matrix does not answer");
  CheckColumns(tuples, queried);
  const Plan& plan = impl_->plans.For(impl_->store, queried);
  TROMMEL_CHECK(!plan.traversal, "a traversal visits more than one cell per hash");
  std::vector<uint64_t> joint(plan.has_joint ? tuples.size : 0);
  if (plan.has_joint) ProjectionDigests(queried, tuples, joint);
  const size_t num_hashes = geometry().num_hashes;
  cells.resize(plan.blocks.size() * num_hashes * tuples.size);
  uint64_t* next = cells.data();
  for (const size_t b : plan.block_idxs) {
    kernels::CellBlock block = impl_->store.block(b);
    block.first = impl_->store.first_cell(b);
    for (size_t j = 0; j < num_hashes; ++j) {
      for (size_t first = 0; first < tuples.size; first += kernels::kMaxCellTuples) {
        const size_t count = std::min(kernels::kMaxCellTuples, tuples.size - first);
        const CellColumns columns =
            ColumnsFrom(tuples, first, plan.has_joint ? joint.data() + first : nullptr);
        kernels::ActiveKernels().cells.cells(columns.data(), count, block, j, next);
        next += count;
      }
    }
  }
}

// --- Properties.

std::vector<BlockStats> Matrix::GetBlockStats() const {
  std::vector<BlockStats> stats;
  for (size_t b = 0; b < impl_->store.num_blocks(); ++b) {
    stats.push_back({.set = geometry().blocks[b].set,
                     .is_joint = geometry().blocks[b].is_joint,
                     .num_cells = impl_->store.num_cells(b),
                     .num_marked = impl_->store.num_marked(b),
                     .current_fpr = impl_->store.CurrentFpr(b)});
  }
  return stats;
}

void Matrix::Clear() noexcept {
  impl_->plans.Drop();
  impl_->store.Clear();
  impl_->num_tuples = 0;
}

void Matrix::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  impl_->executor = std::move(executor);
}

bool Matrix::CanAnswer(AttributeMask queried) const noexcept {
  return matrix::CanAnswer(geometry(), queried);
}

std::vector<AttributeMask> Matrix::PartsOf(AttributeMask queried) const {
  TROMMEL_CHECK(CanAnswer(queried), "a set that this matrix does not answer");
  return impl_->plans.For(impl_->store, queried).parts;
}

const MatrixGeometry& Matrix::geometry() const noexcept { return impl_->store.geometry(); }
const AttributeSets& Matrix::sets() const noexcept { return geometry().sets; }
uint64_t Matrix::num_tuples() const noexcept { return impl_->num_tuples; }
uint64_t Matrix::num_bytes() const noexcept { return impl_->store.num_bytes(); }

}  // namespace trommel::matrix
