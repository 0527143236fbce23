// Random matrices against their definitions and against the source's own algorithms; what fails is
// shrunk.
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engine/src/matrix/literal_matrix.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/matrix_reference.h"
#include "support/shrink.h"
#include "support/targets.h"
#include "support/tuple_rows.h"
#include "trommel/matrix/matrix.h"

namespace trommel::matrix {
namespace {

using tests::TupleColumns;
using tests::TupleRow;

// A matrix, the tuples inserted, and the tuples queried under every set.
struct MatrixProgram {
  MatrixGeometry geometry;
  std::vector<uint64_t> positions;  // of the attributes
  std::vector<TupleRow> members;
  std::vector<TupleRow> queried;
};

template <class Visit>
void ForEachList(MatrixProgram& program, const Visit& visit) {
  visit(program.members);
  visit(program.queried);
}

std::string ToText(const MatrixProgram& program) {
  std::ostringstream text;
  text << KindName(program.geometry.kind) << ", k = " << program.geometry.num_hashes << ", m =";
  for (const uint64_t m : program.positions) text << ' ' << m;
  text << ", cuts";
  for (const AttributeMask cut : program.geometry.sets.cuts())
    text << ' ' << AttributeMaskText(cut);
  const auto add = [&](const char* name, const std::vector<TupleRow>& rows) {
    for (const TupleRow& row : rows) {
      text << "\n  " << name << std::hex;
      for (const uint64_t digest : row) text << ' ' << digest;
      text << std::dec;
    }
  };
  add("insert", program.members);
  add("ask", program.queried);
  return text.str();
}

MatrixProgram RandomMatrix(Kind kind, uint64_t seed) {
  std::mt19937_64 random(seed);
  MatrixProgram program;
  const auto num_attributes = static_cast<uint32_t>(1 + random() % 6);
  std::vector<AttributeMask> cuts;
  if (kind == Kind::kCbfm && num_attributes > 1) {
    // Of two attributes or more; they may overlap, and contain each other.
    for (uint64_t n = random() % 4; n > 0; --n) {
      AttributeMask cut = 0;
      while ((cut & (cut - 1)) == 0) {
        cut = static_cast<AttributeMask>(random()) & ((1U << num_attributes) - 1);
      }
      cuts.push_back(cut);
    }
  }
  const AttributeSets sets = *AttributeSets::Create(num_attributes, cuts);
  // Any number of positions, so that blocks have up to thousands of cells.
  const uint64_t most = num_attributes < 3 ? 90 : num_attributes < 5 ? 12 : 5;
  for (uint32_t a = 0; a < num_attributes; ++a) {
    program.positions.push_back(random() % 8 == 0 ? 1 : 1 + random() % most);
  }
  const auto num_hashes = static_cast<uint32_t>(1 + random() % 7);
  program.geometry = tests::MadeGeometry(kind, sets, program.positions, num_hashes);
  const size_t sizes[] = {1, 5, 63, 64, 65, 130};
  program.members = tests::DrawnTuples(random() % 40, num_attributes, 1 + random() % 60, seed);
  program.queried =
      tests::DrawnTuples(sizes[random() % 6], num_attributes, 1 + random() % 60, seed + 1);
  return program;
}

using Invariant = std::function<std::string(const MatrixProgram&)>;  // empty: it holds

std::string Disagreement(const TupleIndex& got, const TupleIndex& want,
                         const std::vector<TupleRow>& rows) {
  for (AttributeMask queried = 0; queried <= want.sets().full(); ++queried) {
    std::vector<uint64_t> got_answers(TupleIndex::BitmapWords(rows.size()));
    std::vector<uint64_t> want_answers = got_answers;
    const TupleColumns batch(rows);
    const size_t num_got = got.Query(queried, batch.view(), got_answers);
    const size_t num_want = want.Query(queried, batch.view(), want_answers);
    if (num_got != num_want || got_answers != want_answers) {
      return "other answers for " + AttributeMaskText(queried);
    }
  }
  return "";
}

TEST_CASE("random matrices of every kind answer as their definitions on every target",
          "[engine][matrix][invariants]") {
  const Kind kind =
      GENERATE(Kind::kSbf, Kind::kMdbf, Kind::kCmdbf, Kind::kBfm, Kind::kCartesian, Kind::kCbfm);
  // WCBFM: a set's own positions, whatever the others have.
  const bool is_weighted = GENERATE(false, true);
  if (is_weighted && kind != Kind::kCbfm) return;
  const Invariant invariant = [](const MatrixProgram& program) -> std::string {
    tests::MatrixReference reference(program.geometry);
    for (const TupleRow& row : program.members) reference.Insert(row);
    std::string found;
    tests::ForEachRunnableTarget([&] {
      Matrix matrix = *Matrix::Create(program.geometry);
      if (!program.members.empty()) matrix.Insert(TupleColumns(program.members).view());
      const std::vector<BlockStats> stats = matrix.GetBlockStats();
      for (size_t b = 0; b < stats.size(); ++b) {
        if (stats[b].num_marked != reference.marked(b).size()) found = "marks other cells";
      }
      for (AttributeMask queried = 0; queried <= program.geometry.sets.full(); ++queried) {
        if (matrix.CanAnswer(queried) != reference.CanAnswer(queried)) found = "answers other sets";
        if (!reference.CanAnswer(queried)) continue;
        std::vector<uint64_t> answers(TupleIndex::BitmapWords(program.queried.size()));
        matrix.Query(queried, TupleColumns(program.queried, queried).view(), answers);
        for (size_t i = 0; i < program.queried.size(); ++i) {
          const bool answer = tests::BitAt(answers, i);
          if (answer == reference.MayContain(queried, program.queried[i])) continue;
          found = "tuple " + std::to_string(i) + " queried for " + AttributeMaskText(queried);
        }
      }
    });
    return found;
  };
  std::mt19937_64 random(Catch::rngSeed());
  for (uint64_t seed = 0; seed < tests::Scaled(12); ++seed) {
    MatrixProgram program = RandomMatrix(kind, Catch::rngSeed() * 1000 + seed);
    for (Block& block : program.geometry.blocks) {
      const uint64_t most = block.positions.size() > 3 ? 5 : 30;
      for (uint64_t& m : block.positions) m = is_weighted ? 1 + random() % most : m;
    }
    tests::CheckInvariant(program, invariant);
  }
}

TEST_CASE("random matrices answer as the source's algorithms do on every target",
          "[engine][matrix][invariants]") {
  const Kind kind = GENERATE(Kind::kBfm, Kind::kCbfm);
  const Invariant invariant = [](const MatrixProgram& program) -> std::string {
    LiteralMatrix literal = *LiteralMatrix::Create(program.geometry.sets, program.positions,
                                                   program.geometry.num_hashes);
    // In two batches: plans and fills change between them.
    const auto half = static_cast<std::ptrdiff_t>(program.members.size() / 2);
    const std::vector<TupleRow> parts[] = {
        {program.members.begin(), program.members.begin() + half},
        {program.members.begin() + half, program.members.end()}};
    std::vector<Matrix> matrices;
    std::string found;
    for (const std::vector<TupleRow>& part : parts) {
      if (!part.empty()) literal.Insert(TupleColumns(part).view());
      size_t m = 0;
      tests::ForEachRunnableTarget([&] {
        if (m == matrices.size()) matrices.push_back(*Matrix::Create(program.geometry));
        if (!part.empty()) matrices[m].Insert(TupleColumns(part).view());
        if (found.empty()) found = Disagreement(matrices[m], literal, program.queried);
        ++m;
      });
    }
    return found;
  };
  for (uint64_t seed = 0; seed < tests::Scaled(25); ++seed) {
    tests::CheckInvariant(RandomMatrix(kind, Catch::rngSeed() * 2000 + seed), invariant);
  }
}

TEST_CASE("cells of a matrix are the source's indices, one for one",
          "[engine][matrix][invariants]") {
  const Kind kind = GENERATE(Kind::kBfm, Kind::kCbfm);
  for (uint64_t seed = 0; seed < tests::Scaled(15); ++seed) {
    const MatrixProgram program = RandomMatrix(kind, Catch::rngSeed() * 3000 + seed);
    const LiteralMatrix literal = *LiteralMatrix::Create(program.geometry.sets, program.positions,
                                                         program.geometry.num_hashes);
    const Matrix matrix = *Matrix::Create(program.geometry);
    const TupleColumns batch(program.queried);
    std::map<uint64_t, uint64_t> index_of_cell;
    std::map<uint64_t, uint64_t> cell_of_index;
    for (const AttributeMask set : program.geometry.sets.allowed()) {
      std::vector<uint64_t> cells;
      matrix.CellsOf(set, batch.view(), cells);
      REQUIRE(cells.size() == program.geometry.num_hashes * program.queried.size());
      for (size_t i = 0; i < program.queried.size(); ++i) {
        std::vector<uint64_t> indices;
        literal.IndicesOf({&set, 1}, batch.view(), i, indices);
        REQUIRE(indices.size() == program.geometry.num_hashes);
        for (size_t j = 0; j < indices.size(); ++j) {
          const uint64_t cell = cells[j * program.queried.size() + i];
          REQUIRE(cell < program.geometry.num_cells());
          REQUIRE(index_of_cell.try_emplace(cell, indices[j]).first->second == indices[j]);
          REQUIRE(cell_of_index.try_emplace(indices[j], cell).first->second == cell);
        }
      }
    }
  }
}

}  // namespace
}  // namespace trommel::matrix
