// Sizing of slot windows: the rate by the number of live keys, and the smallest geometry of a form.
// A window's live keys load its blocks as those of a filter of fingerprints do, whatever the bucket
// they came in: so the rate does not depend on the pattern of arrival.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_SLOT_SIZING_H_
#define TROMMEL_ENGINE_SRC_WINDOW_SLOT_SIZING_H_

#include <cstdint>
#include <optional>

#include "trommel/sizing.h"
#include "trommel/window_filter.h"

namespace trommel {

// The probability that a non-member's fingerprint is that of one of num_keys distinct live keys in
// its block. `geometry` as StampedStore::Create.
double SlotsFpr(const Geometry& geometry, uint64_t num_keys) noexcept;

// The share of non-members for which queries answer "maybe present" because a block has keys in the
// side table alone, with num_keys distinct live keys.
double SlotsUndecidedShare(const Geometry& geometry, uint64_t num_keys) noexcept;

// The smallest geometry of kSlots16 or kSlots24 that keeps both within the rate with that many live
// keys, if there is one of at least one key per block.
std::optional<Geometry> SlotsFor(WindowForm form, uint64_t num_keys, double target_fpr);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_SLOT_SIZING_H_
