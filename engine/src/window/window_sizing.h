// Sizing of windows: the rate by the number of live keys, and the smallest geometry.
// A window's live keys load its blocks as those of a filter of fingerprints do, whatever the bucket
// they came in: so the rate does not depend on the pattern of arrival.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_WINDOW_SIZING_H_
#define TROMMEL_ENGINE_SRC_WINDOW_WINDOW_SIZING_H_

#include <cstdint>
#include <optional>

#include "trommel/sizing.h"

namespace trommel {

// The probability that a non-member's fingerprint is that of one of num_keys distinct live keys in
// its block. `geometry` as StampedStore::Create.
double WindowFpr(const Geometry& geometry, uint64_t num_keys) noexcept;

// The share of non-members for which queries answer "maybe present" because a block has keys in the
// side table alone, with num_keys distinct live keys.
double WindowUndecidedShare(const Geometry& geometry, uint64_t num_keys) noexcept;

// Most buckets with slots of 16 bits.
inline constexpr uint32_t kMaxSlots16Buckets = 12;

// The geometry that keeps both within the rate with that many live keys: slots of 16 or of 24 bits,
// whichever need fewer blocks. None where a block would hold less than one key: below
// WindowFilter::kMinTargetFpr, or with more keys than there can be blocks for.
std::optional<Geometry> WindowGeometry(uint32_t num_buckets, uint64_t num_keys, double target_fpr);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_WINDOW_SIZING_H_
