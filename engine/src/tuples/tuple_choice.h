// Some tuples of a batch, by their places, and the digests of their projections.
#ifndef TROMMEL_ENGINE_SRC_TUPLES_TUPLE_CHOICE_H_
#define TROMMEL_ENGINE_SRC_TUPLES_TUPLE_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "trommel/attribute_sets.h"
#include "trommel/tuples.h"

namespace trommel {

// The projections onto `set` of the tuples at these places, which ascend; as many places as tuples
// are all of them. Written to the front of `buffer`, which must have room for them, unless they are
// a whole column already.
std::span<const uint64_t> ChosenDigests(AttributeMask set, const Tuples& tuples,
                                        std::span<const uint32_t> places,
                                        std::span<uint64_t> buffer) noexcept;

// Writes the places of the bits that are set, of the first num_bits, ascending; how many.
size_t PlacesOf(std::span<const uint64_t> bitmap, size_t num_bits, uint32_t* places) noexcept;

// Keeps those places whose bit is set, the k-th place's being bit k; how many.
size_t KeepPlaces(std::span<const uint64_t> bits, std::span<uint32_t> places) noexcept;

// A bitmap of these places; the others' bits are cleared.
void SetOnly(std::span<const uint32_t> places, std::span<uint64_t> bitmap) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_TUPLES_TUPLE_CHOICE_H_
