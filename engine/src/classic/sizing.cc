#include "trommel/classic/sizing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/src/base/out_of_range.h"
#include "trommel/classic/formulas.h"
#include "trommel/sizing.h"

namespace trommel::classic {
namespace {

// Hashes that fall on one slice, or on the array: as many as can be counted.
uint64_t HashedInto(const ArrayGeometry& geometry, uint64_t num_keys) {
  if (geometry.kind == Kind::kSplitCounting) return num_keys;
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  return num_keys > kMost / geometry.num_hashes ? kMost : num_keys * geometry.num_hashes;
}

Status CheckRequest(const SizingRequest& request) {
  if (request.capacity == 0 || request.capacity > kMaxCapacity) {
    return OutOfRange("capacity", request.capacity, uint64_t{1}, kMaxCapacity);
  }
  if (!(request.target_fpr >= kMinTargetFpr && request.target_fpr <= kMaxTargetFpr)) {
    return OutOfRange("target_fpr", request.target_fpr, kMinTargetFpr, kMaxTargetFpr);
  }
  if (request.num_hashes > kMaxHashes) {
    return OutOfRange("num_hashes", request.num_hashes,
                      "between 1 and " + std::to_string(kMaxHashes) + ", or 0 (chosen)");
  }
  return Ok();
}

}  // namespace

Result<Sizing> SizeFor(const SizingRequest& request) {
  if (Status checked = CheckRequest(request); !checked) return checked.error();
  ArrayGeometry geometry{.kind = request.kind,
                         .hashing = request.hashing,
                         .num_hashes = request.num_hashes,
                         .counter_bits = request.kind == Kind::kBloom ? 1 : request.counter_bits,
                         .num_positions = kMaxPositions};
  if (geometry.num_hashes == 0) geometry.num_hashes = *NumHashesFor(request.target_fpr);
  if (Status valid = Validate(geometry); !valid) return valid.error();

  const auto is_enough = [&](uint64_t num_positions) {
    geometry.num_positions = num_positions;
    return PredictedFpr(geometry, request.capacity) <= request.target_fpr;
  };
  uint64_t low = 0;  // not enough
  uint64_t high = kMaxPositions;
  if (!is_enough(high)) {
    return Error{
        ErrorCode::kInvalidArgument,
        "capacity is " + TextOf(request.capacity) + " and target_fpr " +
            TextOf(request.target_fpr) + "; with " + TextOf(geometry.num_hashes) +
            " hashes they need more than " + TextOf(kMaxPositions) +
            (request.kind == Kind::kSplitCounting ? " positions per slice" : " positions") +
            ", the most there can be"};
  }
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (is_enough(middle) ? high : low) = middle;
  }
  geometry.num_positions = high;

  const uint64_t num_hashed = HashedInto(geometry, request.capacity);
  const bool is_counting = geometry.kind != Kind::kBloom;
  const auto chance_of = [&](uint64_t count) {
    return is_counting ? BinomialTail(num_hashed, high, count) : 0;
  };
  return Sizing{.geometry = geometry,
                .capacity = request.capacity,
                .target_fpr = request.target_fpr,
                .predicted_fpr = PredictedFpr(geometry, request.capacity),
                .predicted_fill = Fill(high, num_hashed),
                .predicted_stuck = chance_of(geometry.max_count()),
                .predicted_lossy = chance_of(uint64_t{geometry.max_count()} + 1),
                .bits_per_key = static_cast<double>(geometry.num_bytes()) * 8 /
                                static_cast<double>(request.capacity)};
}

double PredictedFpr(const ArrayGeometry& geometry, uint64_t num_keys) noexcept {
  return geometry.kind == Kind::kSplitCounting
             ? SplitFpr(geometry.num_hashes, geometry.num_positions, num_keys)
             : BloomFprSecondOrder(geometry.num_hashes, geometry.num_positions, num_keys);
}

double PredictedFpr(const ArrayGeometry& geometry, uint64_t num_keys,
                    uint32_t num_probes) noexcept {
  if (num_probes == geometry.num_hashes) return PredictedFpr(geometry, num_keys);
  return std::pow(Fill(geometry.num_positions, HashedInto(geometry, num_keys)), num_probes);
}

uint32_t PredictedProbes(const ArrayGeometry& geometry, uint64_t num_keys,
                         double target_fpr) noexcept {
  for (uint32_t probes = 1; probes < geometry.num_hashes; ++probes) {
    if (PredictedFpr(geometry, num_keys, probes) <= target_fpr) return probes;
  }
  return geometry.num_hashes;
}

}  // namespace trommel::classic
