// What follows from the load of a block.
#include "engine/src/sizing/block_load.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "kernels/layout.h"
#include "kernels/run_slice.h"

namespace trommel {
namespace {

constexpr double kNumHalves = 4294967296.0;  // values of half a digest
constexpr uint32_t kHalfBits = 32;

// The side table keeps a block of up to kMaxKeysOfRecord keys as a record of run strings: 8 bytes
// per slice and 8 for the block's index, in arrays with a ninth to spare, and about 8 bytes to find
// it. A fuller block has a byte per counter besides.
constexpr uint64_t kMaxKeysOfRecord = kernels::kMaxLongRunKeys;
constexpr double kBytesOfIndex = 8;
constexpr double kBytesOfExactNode = 64;  // beside its counters
constexpr double kSpareRecords = 9.0 / 8;

// From this load on a block is promoted: its slices cannot hold more than kMaxPlaneCount keys per
// position, and slice 0 exactly full is the marker of promoted blocks.
constexpr size_t kFullLoad = kernels::kPositions * kernels::kMaxPlaneCount;

// The square of a polynomial. All coefficients are positive: nothing cancels.
std::vector<double> Square(const std::vector<double>& a) {
  std::vector<double> square(2 * a.size() - 1, 0.0);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < a.size(); ++j) square[i + j] += a[i] * a[j];
  }
  return square;
}

// fits[i] = P(no counter of a slice exceeds c_max | i keys) = i! / 32^i [x^i] (sum_c x^c / c!)^32:
// the exponential generating function of the multinomial distribution, one factor per position.
std::array<double, kFullLoad> SliceFitsTable() {
  std::vector<double> power = {1.0};
  for (size_t c = 1; c <= kernels::kMaxPlaneCount; ++c) {
    power.push_back(power.back() / static_cast<double>(c));
  }
  static_assert((kernels::kPositions & (kernels::kPositions - 1)) == 0, "squaring reaches it");
  for (size_t exponent = 1; exponent < kernels::kPositions; exponent *= 2) power = Square(power);

  std::array<double, kFullLoad> fits;
  double scale = 1;  // i! / 32^i lies between 1e-13 and 1e121, coefficients above 1e-148
  for (size_t i = 0; i < kFullLoad; ++i) {
    fits[i] = i <= kernels::kMaxPlaneCount ? 1.0 : std::min(1.0, power[i] * scale);
    scale *= static_cast<double>(i + 1) / static_cast<double>(kernels::kPositions);
  }
  return fits;
}

}  // namespace

LoadClasses ClassesOf(uint64_t num_blocks) noexcept {
  constexpr uint64_t kHalves = uint64_t{1} << 32;
  const uint64_t quotient = kHalves / num_blocks;
  const uint64_t remainder = kHalves % num_blocks;
  const double share = static_cast<double>(quotient) / kNumHalves;
  return {.smaller = {static_cast<double>(num_blocks - remainder), share},
          .larger = {static_cast<double>(remainder), share + 1 / kNumHalves}};
}

double BlockFpr(uint64_t load, uint32_t num_slices) noexcept {
  const double i = static_cast<double>(load);
  const uint32_t num_positions = kernels::SlicePositions(num_slices);
  const double fill = -std::expm1(i * std::log1p(-1.0 / num_positions));
  const double all_set = std::pow(fill, static_cast<double>(num_slices));
  const auto position_bits = static_cast<uint32_t>(std::countr_zero(num_positions)) * num_slices;
  if (position_bits <= kHalfBits) return all_set;
  const double same_half = -std::expm1(i * std::log1p(-1 / kNumHalves));
  return all_set + (1 - all_set) * same_half;
}

double PlanesPromotedChance(uint64_t load) noexcept {
  static const std::array<double, kFullLoad> fits = SliceFitsTable();
  if (load >= kFullLoad) return 1;
  return 1 - std::pow(fits[load], double{kernels::kWordSlices});
}

double PromotedBlockBytes(uint64_t load, uint32_t num_slices) noexcept {
  const double record = (8.0 * num_slices + 8) * kSpareRecords + kBytesOfIndex;
  if (load <= kMaxKeysOfRecord) return record;
  return record + static_cast<double>(kernels::SlicePositions(num_slices) * num_slices) +
         kBytesOfExactNode;
}

}  // namespace trommel
