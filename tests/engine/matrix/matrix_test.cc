// The published structures by their public interface. Random ones: matrix_invariants_test.cc.
#include "trommel/matrix/matrix.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/grouped_text.h"
#include "kernels/cells.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/matrix_reference.h"
#include "support/tuple_rows.h"

namespace trommel::matrix {
namespace {

using tests::DrawnTuples;
using tests::MadeGeometry;
using tests::TupleColumns;
using tests::TupleRow;

MatrixGeometry GeometryOf(Kind kind, uint32_t num_attributes, uint64_t positions,
                          uint32_t num_hashes) {
  std::vector<AttributeMask> cuts;
  if (kind == Kind::kCbfm && num_attributes > 2) cuts = {0b101, 0b011};
  return MadeGeometry(kind, *AttributeSets::Create(num_attributes, cuts),
                      std::vector<uint64_t>(num_attributes, positions), num_hashes);
}

std::vector<uint64_t> AnswersOf(const TupleIndex& index, AttributeMask queried,
                                const std::vector<TupleRow>& rows, size_t* num_present = nullptr) {
  std::vector<uint64_t> answers(TupleIndex::BitmapWords(rows.size()), 0xa5a5a5a5a5a5a5a5);
  const size_t count = index.Query(queried, TupleColumns(rows, queried).view(), answers);
  if (num_present != nullptr) *num_present = count;
  return answers;
}

TEST_CASE("saturated blocks are not probed, and where none is left the answer is maybe present",
          "[engine][matrix]") {
  Matrix matrix = *Matrix::Create(MadeGeometry(
      Kind::kCbfm, *AttributeSets::Create(3, std::vector<AttributeMask>{5, 3}), {4, 500, 500}, 2));
  CHECK(matrix.PartsOf(7) == std::vector<AttributeMask>{6, 1});
  matrix.Insert(TupleColumns(DrawnTuples(200, 3, 1 << 20, Catch::rngSeed())).view());
  CHECK(matrix.PartsOf(7) == std::vector<AttributeMask>{6});
  CHECK(matrix.PartsOf(1).empty());
  const auto non_members = DrawnTuples(3, 3, 1 << 20, Catch::rngSeed() + 1);
  CHECK(AnswersOf(matrix, 1, non_members) == std::vector<uint64_t>{7});
  matrix.Clear();
  CHECK(matrix.num_tuples() == 0);
  CHECK(matrix.PartsOf(7) == std::vector<AttributeMask>{6, 1});
  CHECK(AnswersOf(matrix, 1, non_members) == std::vector<uint64_t>{0});
}

TEST_CASE("plans change with the inserted tuples", "[engine][matrix]") {
  // Two attributes of one size: the one with fewer different values passes fewer non-members.
  Matrix matrix =
      *Matrix::Create(MadeGeometry(Kind::kMdbf, *AttributeSets::Create(2), {3000, 3000}, 2));
  std::vector<TupleRow> rows = DrawnTuples(300, 2, 1 << 30, Catch::rngSeed());
  for (TupleRow& row : rows) row[1] = rows[0][1];
  matrix.Insert(TupleColumns(rows).view());
  CHECK(matrix.PartsOf(3) == std::vector<AttributeMask>{2, 1});
  std::vector<TupleRow> others = DrawnTuples(900, 2, 1 << 30, Catch::rngSeed() + 1);
  for (TupleRow& row : others) row[0] = rows[0][0];
  matrix.Insert(TupleColumns(others).view());
  CHECK(matrix.PartsOf(3) == std::vector<AttributeMask>{1, 2});
}

TEST_CASE("batches of any size get the answers of their tuples", "[engine][matrix]") {
  const Kind kind = GENERATE(Kind::kSbf, Kind::kCbfm);  // with joint digests, and without
  Matrix matrix = *Matrix::Create(GeometryOf(kind, 3, 2000, 3));
  const auto members = DrawnTuples(300, 3, 1000, Catch::rngSeed());
  matrix.Insert(TupleColumns(members).view());
  auto rows = DrawnTuples(kernels::kMaxCellTuples * 2 + 66, 3, 1000, Catch::rngSeed() + 1);
  for (size_t i = 0; i < rows.size(); i += 5) rows[i] = members[i % members.size()];
  std::vector<bool> want;
  for (const TupleRow& row : rows)
    want.push_back(AnswersOf(matrix, 7, {row}) != std::vector{uint64_t{0}});
  for (const size_t size : {size_t{0}, size_t{63}, size_t{64}, size_t{65}, kernels::kMaxCellTuples,
                            kernels::kMaxCellTuples + 1, rows.size()}) {
    size_t num_present = 0;
    const std::vector<TupleRow> batch(rows.begin(), rows.begin() + static_cast<int>(size));
    const auto answers = AnswersOf(matrix, 7, batch, &num_present);
    size_t num_want = 0;
    for (size_t i = 0; i < size; ++i) {
      REQUIRE((answers[i / 64] >> i % 64 & 1) == (want[i] ? 1 : 0));
      num_want += want[i] ? 1 : 0;
    }
    CHECK(num_present == num_want);
    if (size % 64 != 0) CHECK(answers.back() >> size % 64 == 0);
  }
}

TEST_CASE("an executor changes no cell and no answer of a matrix", "[engine][matrix][threads]") {
  const Kind kind = GENERATE(Kind::kSbf, Kind::kCmdbf, Kind::kCartesian, Kind::kCbfm);
  Matrix alone = *Matrix::Create(GeometryOf(kind, 3, 60, 3));
  Matrix spread = *Matrix::Create(alone.geometry());
  spread.UseExecutor(*Executor::Create(4));
  const auto rows = DrawnTuples(40'000, 3, 500, Catch::rngSeed());
  const std::vector<TupleRow> members(rows.begin(), rows.begin() + 20'000);
  alone.Insert(TupleColumns(members).view());
  spread.Insert(TupleColumns(members).view());
  for (size_t b = 0; b < alone.GetBlockStats().size(); ++b) {
    CHECK(alone.GetBlockStats()[b].num_marked == spread.GetBlockStats()[b].num_marked);
  }
  for (AttributeMask queried = 1; queried < 8; ++queried) {
    if (!alone.CanAnswer(queried)) continue;
    size_t num_alone = 0;
    size_t num_spread = 1;
    CHECK(AnswersOf(alone, queried, rows, &num_alone) ==
          AnswersOf(spread, queried, rows, &num_spread));
    CHECK(num_alone == num_spread);
  }
}

TEST_CASE("the statistics of a matrix are those of its blocks", "[engine][matrix]") {
  Matrix matrix = *Matrix::Create(GeometryOf(Kind::kCmdbf, 2, 100, 1));
  const std::vector<TupleRow> rows = {{1ULL << 33, 5ULL << 40}};
  matrix.Insert(TupleColumns(rows).view());
  const std::vector<BlockStats> stats = matrix.GetBlockStats();
  REQUIRE(stats.size() == 3);
  CHECK(stats[0].set == 1);
  CHECK(stats[1].set == 2);
  CHECK(stats[2].set == 3);
  CHECK(stats[2].is_joint);
  for (const BlockStats& block : stats) {
    CHECK(block.num_cells == 100);
    CHECK(block.num_marked == 1);
    CHECK(block.current_fpr == Approx(0.01));
  }
  CHECK(matrix.num_bytes() == matrix.geometry().num_bytes());
  const Matrix moved = std::move(matrix);
  CHECK(moved.num_tuples() == 1);
  CHECK(AnswersOf(moved, 3, rows) == std::vector<uint64_t>{1});
}

TEST_CASE("cells beyond the limit are refused with what they take", "[engine][matrix]") {
  const MatrixGeometry geometry = GeometryOf(Kind::kBfm, 2, 10'000, 3);
  const Result<Matrix> matrix = Matrix::Create(geometry, 1 << 20);
  REQUIRE_FALSE(matrix.ok());
  CHECK(matrix.error().code == ErrorCode::kOutOfMemory);
  CHECK(matrix.error().message.find(GroupedText(geometry.num_bytes())) != std::string::npos);
  CHECK(matrix.error().message.find("1,048,576") != std::string::npos);
  MatrixGeometry wrong = geometry;
  wrong.num_hashes = 65;
  CHECK(Matrix::Create(wrong, 0).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("misuse of a matrix ends the program with a message", "[engine][matrix]") {
  const auto rows = DrawnTuples(10, 3, 10, Catch::rngSeed());
  const TupleColumns batch(rows);
  std::vector<uint64_t> answers(1);
  const auto message = [&](Kind kind, const auto& body) {
    return tests::AbortMessage([&] {
      Matrix matrix = *Matrix::Create(GeometryOf(kind, 3, 10, 1));
      body(matrix);
    });
  };
  const std::string refused = "a set that this matrix does not answer";
  CHECK(message(Kind::kSbf, [&](Matrix& m) { m.Query(3, batch.view(), answers); }).find(refused) !=
        std::string::npos);
  CHECK(message(Kind::kBfm, [&](Matrix& m) { (void)m.PartsOf(8); }).find(refused) !=
        std::string::npos);
  CHECK(message(Kind::kBfm, [&](Matrix& m) {
          m.Query(3, TupleColumns(rows, 1).view(), answers);
        }).find("a column of the set is not given") != std::string::npos);
  CHECK(message(Kind::kBfm, [&](Matrix& m) {
          m.Insert(TupleColumns(rows, 3).view());
        }).find("a column of the set is not given") != std::string::npos);
  CHECK(message(Kind::kBfm, [&](Matrix& m) {
          m.Query(3, batch.view(), {});
        }).find("bitmap of another size") != std::string::npos);
  CHECK(message(Kind::kCartesian, [&](Matrix& m) {
          std::vector<uint64_t> cells;
          m.CellsOf(1, batch.view(), cells);
        }).find("a traversal visits more than one cell") != std::string::npos);
}

}  // namespace
}  // namespace trommel::matrix
