// Projections: a tuple's attributes of one set as one digest; of all tuples of a batch or of some.
#ifndef TROMMEL_ENGINE_SRC_TUPLES_PROJECTION_H_
#define TROMMEL_ENGINE_SRC_TUPLES_PROJECTION_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "trommel/attribute_sets.h"
#include "trommel/tuples.h"

namespace trommel {

// XXH3 of the set's digests, ascending by attribute, 8 little-endian bytes each, with the set as
// seed; of a single attribute, its digest itself. Files depend on it: never change it. Requires
// digests.size() == tuples.size, a set that is not empty, and its columns; else aborts with a
// message. Cost: some nanoseconds per tuple.
void ProjectionDigests(AttributeMask set, const Tuples& tuples,
                       std::span<uint64_t> digests) noexcept;

// The same of one tuple, which has a digest for each attribute; those beside the set are not read.
uint64_t ProjectionDigest(AttributeMask set, std::span<const uint64_t> tuple) noexcept;

// The same of the tuples at these places, which ascend; as many places as tuples are all of them.
// Returns a view of the front of `buffer`, which must have space for them, or of a column where the
// projections are one.
std::span<const uint64_t> ChosenDigests(AttributeMask set, const Tuples& tuples,
                                        std::span<const uint32_t> places,
                                        std::span<uint64_t> buffer) noexcept;

// Writes the places of the set bits among the first num_bits, ascending; returns how many.
size_t PlacesOf(std::span<const uint64_t> bitmap, size_t num_bits, uint32_t* places) noexcept;

// Keeps the places whose bit is set: bit k for the k-th place. Returns how many.
size_t KeepPlaces(std::span<const uint64_t> bits, std::span<uint32_t> places) noexcept;

// Sets the bits of these places and clears all others.
void SetOnly(std::span<const uint32_t> places, std::span<uint64_t> bitmap) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_TUPLES_PROJECTION_H_
