// Blocks of fingerprints in slots of 8 bits, changed in place (fingerprint_layout.h).
//
// A promoted block shows each of its distinct keys once, but none of a bin that is cut off. What it
// does not show is *hidden*: the caller keeps it. These functions move keys between the two:
//
//   full block --Promote--> promoted <--Put, Take--> promoted --Return--> block, no longer promoted
//                                      Cut: fewer bins are shown
#ifndef TROMMEL_KERNELS_NARROW_CHANGE_H_
#define TROMMEL_KERNELS_NARROW_CHANGE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/fingerprint_layout.h"

namespace trommel::kernels {

// The copies of the key that the block shows, promoted or not.
size_t CountNarrow(uint32_t key, uint32_t fingerprint_bits, const uint32_t* block);

// The keys that the block shows, with their copies.
size_t NumKeysOfNarrow(const uint32_t* block);

// Makes a block a promoted one. Writes the second and further copies of its keys to the front of
// `hidden`; returns how many there are.
size_t PromoteNarrow(uint32_t fingerprint_bits, uint32_t* block,
                     std::span<uint32_t, kNarrowSlots> hidden);

// The following require a promoted block.

enum class NarrowPut : uint8_t {
  kDone,     // the block shows the key
  kHidden,   // nothing changed: its bin is cut off, or the key is shown already
  kNoSpace,  // nothing changed
};
NarrowPut PutNarrow(uint32_t key, uint32_t fingerprint_bits, uint32_t* block);

// Returns false, and changes nothing, if the block does not show the key.
bool TakeNarrow(uint32_t key, uint32_t fingerprint_bits, uint32_t* block);

// Makes space for a key that PutNarrow has no space for, unless its own bin is cut off by that: the
// last bin with keys that share this space is cut off. Writes its keys to the front of `hidden`;
// returns how many there are.
size_t CutNarrow(uint32_t key, uint32_t fingerprint_bits, uint32_t* block,
                 std::span<uint32_t, kMaxKeysPerBinWord> hidden);

// Makes the block one that is not promoted, of the keys that it shows and of `hidden`, in any
// order. Returns false, and changes nothing, if they do not fit.
bool ReturnNarrow(std::span<const uint32_t> hidden, uint32_t fingerprint_bits, uint32_t* block);

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_NARROW_CHANGE_H_
