#include "engine/src/matrix/literal_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/base/machine_memory.h"
#include "engine/src/base/out_of_range.h"
#include "engine/src/matrix/published_sets.h"
#include "engine/src/tuples/tuple_batch.h"
#include "kernels/cells.h"
#include "trommel/matrix/sizing.h"

namespace trommel::matrix {
namespace {

Status CheckLiteral(const AttributeSets& sets, std::span<const uint64_t> positions,
                    uint32_t num_hashes) {
  if (Status good = CheckPublishedSets(sets); !good.ok()) return good;
  if (num_hashes == 0 || num_hashes > kMaxHashes) {
    return OutOfRange("num_hashes", num_hashes, 1U, kMaxHashes);
  }
  if (positions.size() != sets.num_attributes()) {
    return OutOfRange("number of positions", positions.size(),
                      TextOf(sets.num_attributes()) + ", one for each attribute");
  }
  for (const uint64_t number : positions) {
    if (number == 0 || number > kMaxPositions) {
      return OutOfRange("positions of an attribute", number, uint64_t{1}, kMaxPositions);
    }
  }
  if (sets.cuts().size() > LiteralMatrix::kMaxCuts) {
    return OutOfRange("number of cuts", sets.cuts().size(), size_t{0}, LiteralMatrix::kMaxCuts);
  }
  const std::vector<double> real(positions.begin(), positions.end());
  const double num_cells = CbfmCells(sets, real);
  if (num_cells > static_cast<double>(kMaxCells)) {
    return OutOfRange("number of cells", num_cells,
                      "at most " + TextOf(kMaxCells) + "; these would take " +
                          TextOf(std::ceil(num_cells / 8)) + " bytes");
  }
  if (num_cells / 8 > static_cast<double>(MachineMemoryBytes())) {
    return Error{ErrorCode::kOutOfMemory, "the matrix takes " + TextOf(std::ceil(num_cells / 8)) +
                                              " bytes; the machine has " +
                                              TextOf(MachineMemoryBytes())};
  }
  return Ok();
}

}  // namespace

LiteralMatrix::LiteralMatrix(AttributeSets sets, std::vector<uint64_t> positions,
                             uint32_t num_hashes)
    : sets_(std::move(sets)), positions_(std::move(positions)), num_hashes_(num_hashes) {
  num_cells_ = CountKept(0, sets_.num_attributes());
}

Result<LiteralMatrix> LiteralMatrix::Create(const AttributeSets& sets,
                                            std::span<const uint64_t> positions,
                                            uint32_t num_hashes) {
  if (Status checked = CheckLiteral(sets, positions, num_hashes); !checked) return checked.error();
  try {
    LiteralMatrix matrix(sets, {positions.begin(), positions.end()}, num_hashes);
    matrix.words_.resize((matrix.num_cells_ + 63) / 64);
    return matrix;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "the system has no memory for the matrix"};
  }
}

bool LiteralMatrix::CanAnswer(AttributeMask queried) const noexcept {
  return (queried & ~sets_.full()) == 0;
}

std::vector<AttributeMask> LiteralMatrix::PartsOf(AttributeMask queried) const {
  return sets_.PartsOf(queried);
}

uint64_t LiteralMatrix::num_bytes() const noexcept { return words_.size() * sizeof(uint64_t); }

// How many cells were kept whose higher attributes are those of `given` (and no others), whatever
// the attributes below num_below. By inclusion and exclusion over the cuts: of the cells that
// contain all of some cuts, every attribute of theirs must be given, and any other may have its
// mark, too. Intermediate sums may pass 2^64: they wrap, and the result does not.
uint64_t LiteralMatrix::CountKept(AttributeMask given, uint32_t num_below) const noexcept {
  const auto cuts = sets_.cuts();
  const auto below = static_cast<AttributeMask>((uint64_t{1} << num_below) - 1);
  uint64_t num_kept = 0;
  for (uint32_t chosen = 0; chosen >> cuts.size() == 0; ++chosen) {
    AttributeMask all = 0;
    bool is_odd = false;
    for (size_t c = 0; c < cuts.size(); ++c) {
      if ((chosen >> c & 1) == 0) continue;
      all |= cuts[c];
      is_odd = !is_odd;
    }
    if ((all & ~below & ~given) != 0) continue;  // needs a higher attribute that has its mark
    uint64_t num_cells = 1;
    for (uint32_t i = 0; i < num_below; ++i) {
      num_cells *= positions_[i] + ((all >> i & 1) == 0 ? 1 : 0);
    }
    num_kept += is_odd ? ~num_cells + 1 : num_cells;
  }
  return num_kept;
}

// Figure 6. In a dimension whose coordinate is c >= 1, the cells of the mark come first, then those
// of the coordinates below c.
uint64_t LiteralMatrix::CalculateIndex(AttributeMask set,
                                       std::span<const uint64_t> coordinate) const noexcept {
  uint64_t index = 0;
  AttributeMask given = 0;
  for (uint32_t i = sets_.num_attributes(); i-- > 0;) {
    if ((set >> i & 1) == 0) continue;
    index += CountKept(given, i);
    given |= AttributeMask{1} << i;
    index += CountKept(given, i) * (coordinate[i] - 1);
  }
  return index;
}

void LiteralMatrix::IndicesOf(std::span<const AttributeMask> parts, const Tuples& tuples,
                              size_t tuple_idx, std::vector<uint64_t>& indices) const {
  std::array<std::array<uint64_t, kMaxMatrixAttributes>, kMaxHashes> hash_per_field;
  AttributeMask queried = 0;
  for (const AttributeMask part : parts) queried |= part;
  for (uint32_t i = 0; i < sets_.num_attributes(); ++i) {
    if ((queried >> i & 1) == 0) continue;
    const uint64_t digest = tuples.columns[i][tuple_idx];
    for (uint32_t j = 0; j < num_hashes_; ++j) {
      hash_per_field[j][i] = kernels::CellPosition(positions_[i], digest, j) + 1;
    }
  }
  indices.clear();
  for (const AttributeMask part : parts) {
    for (uint32_t j = 0; j < num_hashes_; ++j) {
      indices.push_back(CalculateIndex(part, hash_per_field[j]));
    }
  }
}

InsertOutcome LiteralMatrix::Insert(const Tuples& tuples) noexcept {
  CheckColumns(tuples, sets_.full());
  std::vector<uint64_t> indices;
  for (size_t t = 0; t < tuples.size; ++t) {
    IndicesOf(sets_.allowed(), tuples, t, indices);
    for (const uint64_t index : indices) words_[index / 64] |= uint64_t{1} << index % 64;
  }
  num_tuples_ += tuples.size;
  return {.num_inserted = tuples.size};
}

size_t LiteralMatrix::Query(AttributeMask queried, const Tuples& tuples,
                            std::span<uint64_t> maybe_present) const noexcept {
  TROMMEL_CHECK(CanAnswer(queried), "a query of attributes that the matrix does not have");
  CheckBitmap(tuples, queried, maybe_present);
  CheckColumns(tuples, queried);
  const std::vector<AttributeMask> parts = PartsOf(queried);
  std::ranges::fill(maybe_present, uint64_t{0});
  std::vector<uint64_t> indices;
  size_t num_present = 0;
  for (size_t t = 0; t < tuples.size; ++t) {
    IndicesOf(parts, tuples, t, indices);
    const bool is_present = std::ranges::all_of(
        indices, [this](uint64_t index) { return (words_[index / 64] >> index % 64 & 1) != 0; });
    maybe_present[t / 64] |= uint64_t{is_present} << t % 64;
    num_present += is_present ? 1 : 0;
  }
  return num_present;
}

}  // namespace trommel::matrix
