#include "engine/src/counting/fill_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/src/sizing/block_load.h"

namespace trommel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSigmas = 2;
// With so many empty positions expected, none is seen with a chance of 2.3 %: two sigmas, one side.
constexpr double kEmptyOfFull = 3.8;

// e^x - 1 - x without cancellation.
double ExpAbove(double x) {
  if (x < 1e-3) return x * x / 2 * (1 + x / 3 * (1 + x / 4));
  return std::expm1(x) - x;
}

// A block of fingerprints is as one slice whose positions are the values of a key.
double PositionsOf(const Geometry& geometry) {
  if (HasFingerprints(geometry.encoding)) return static_cast<double>(geometry.num_values());
  return geometry.slice_positions();
}
double SlicesOf(const Geometry& geometry) {
  return HasFingerprints(geometry.encoding) ? 1 : geometry.num_slices;
}
double TablePlaces(const Geometry& geometry) {
  return static_cast<double>(geometry.num_blocks) * PositionsOf(geometry);
}
double AllPositions(const Geometry& geometry) { return TablePlaces(geometry) * SlicesOf(geometry); }

// Positions that num_keys leave empty in the mean. A key misses one with chance 1 - share / m: no
// limit is taken.
double MeanEmpty(const Geometry& geometry, double num_keys) {
  const auto [smaller, larger] = ClassesOf(geometry.num_blocks);
  const double positions = PositionsOf(geometry);
  const auto left_by = [&](double share) {
    return std::exp(num_keys * std::log1p(-share / positions));
  };
  return positions * SlicesOf(geometry) *
         (smaller.num_blocks * left_by(smaller.share) + larger.num_blocks * left_by(larger.share));
}

// A share of two estimates, between 0 and 1.
Estimate ShareOf(double value, double variance) {
  const double error = std::sqrt(std::max(0.0, variance));
  const double share = std::clamp(value, 0.0, 1.0);
  return {.value = share,
          .standard_error = error,
          .low = std::max(0.0, share - kSigmas * error),
          .high = std::min(1.0, share + kSigmas * error)};
}

}  // namespace

double FillVariance(const Geometry& geometry, double num_keys) noexcept {
  const double places = TablePlaces(geometry);
  const double slices = SlicesOf(geometry);
  const double positions = PositionsOf(geometry);
  const double load = num_keys / places;
  return places / slices * ExpAbove(load) +
         (slices - 1) / slices * places * positions * ExpAbove(load / positions);
}

double KeysLeavingEmpty(const Geometry& geometry, double num_empty) noexcept {
  const double share = num_empty / AllPositions(geometry);
  // Near the answer for many positions, all alike; Newton's steps do the rest.
  double num_keys = -TablePlaces(geometry) * std::log(share);
  const double step = std::max(1.0, num_keys * 1e-6);
  for (int i = 0; i < 8; ++i) {
    const double here = std::log(MeanEmpty(geometry, num_keys) / num_empty);
    const double slope = std::log(MeanEmpty(geometry, num_keys + step) / num_empty) - here;
    if (!(slope < 0)) break;
    num_keys = std::max(0.0, num_keys - here * step / slope);
  }
  return num_keys;
}

Estimate KeysFromFill(const Geometry& geometry, uint64_t num_present) noexcept {
  if (num_present == 0) return {};
  const double empty = AllPositions(geometry) - static_cast<double>(num_present);
  if (empty == 0) {
    return {
        .value = KeysLeavingEmpty(geometry, 1),
        .standard_error = kInfinity,
        .low = KeysLeavingEmpty(geometry, std::min(kEmptyOfFull, static_cast<double>(num_present))),
        .high = kInfinity};
  }
  const double keys = KeysLeavingEmpty(geometry, empty);
  const double error = std::sqrt(FillVariance(geometry, keys));
  // Back from keys to empty positions, which is where two sigmas are taken.
  const double sigma = error * empty / TablePlaces(geometry);
  const double most = std::min(empty + kSigmas * sigma, AllPositions(geometry));
  const double least = empty - kSigmas * sigma;
  return {.value = keys,
          .standard_error = error,
          .low = KeysLeavingEmpty(geometry, most),
          .high = least > 0 ? KeysLeavingEmpty(geometry, least) : kInfinity};
}

Overlap OverlapFromFills(const Geometry& geometry, uint64_t num_a, uint64_t num_b,
                         uint64_t num_either) noexcept {
  Overlap overlap;
  overlap.keys_of_a = KeysFromFill(geometry, num_a);
  overlap.keys_of_b = KeysFromFill(geometry, num_b);
  overlap.union_keys = KeysFromFill(geometry, num_either);
  const double a = overlap.keys_of_a.value;
  const double b = overlap.keys_of_b.value;
  const double both = overlap.union_keys.value;
  const double most = std::min(overlap.keys_of_a.high, overlap.keys_of_b.high);
  const double shared = std::clamp(a + b - both, 0.0, std::min(a, b));
  if (static_cast<double>(num_either) ==
      AllPositions(geometry)) {  // nothing is known but that there are limits
    const Estimate any{.value = 0.5, .standard_error = kInfinity, .low = 0, .high = 1};
    overlap.intersection_keys = {
        .value = shared, .standard_error = kInfinity, .low = 0, .high = most};
    overlap.jaccard = overlap.a_in_b = overlap.b_in_a = any;
    return overlap;
  }
  const double of_a = FillVariance(geometry, a);
  const double of_b = FillVariance(geometry, b);
  const double of_both = FillVariance(geometry, both);
  const double of_shared = FillVariance(geometry, shared);
  const double error = std::sqrt(std::max(0.0, of_both - of_a - of_b + 2 * of_shared));
  overlap.intersection_keys = {.value = shared,
                               .standard_error = error,
                               .low = std::max(0.0, shared - kSigmas * error),
                               .high = std::min(most, shared + kSigmas * error)};
  if (both > 0) {
    // (a + b - both) / both moves by 1 / both with a and b, by -(a + b) / both^2 with both.
    const double turn = (a + b) / both;
    overlap.jaccard = ShareOf(
        shared / both,
        ((1 - 2 * turn) * (of_a + of_b) + 2 * of_shared + turn * turn * of_both) / (both * both));
  }
  // 1 - (both - b) / a moves by 1 / a with b, -1 / a with both, (both - b) / a^2 with a.
  const auto contained = [&](double keys, double of_keys, double of_other) {
    if (keys == 0) return Estimate{};
    const double rest = 1 - shared / keys;
    return ShareOf(
        shared / keys,
        (of_both - of_other + rest * (rest - 2) * of_keys + 2 * rest * of_shared) / (keys * keys));
  };
  overlap.a_in_b = contained(a, of_a, of_b);
  overlap.b_in_a = contained(b, of_b, of_a);
  return overlap;
}

}  // namespace trommel
