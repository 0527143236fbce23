// Projections: a set's part of a tuple as one digest.
#ifndef TROMMEL_ENGINE_SRC_TUPLES_PROJECTION_H_
#define TROMMEL_ENGINE_SRC_TUPLES_PROJECTION_H_

#include <cstdint>
#include <span>

#include "trommel/attribute_sets.h"
#include "trommel/tuples.h"

namespace trommel {

// XXH3 of the set's digests, ascending by attribute, 8 little-endian bytes each, with the set as
// seed; the digest itself for a single attribute. Written to files by their filters: never change
// it. digests.size() must equal tuples.size, the set must not be empty, and its columns must be
// given; else message and abort. Some nanoseconds a tuple.
void ProjectionDigests(AttributeMask set, const Tuples& tuples,
                       std::span<uint64_t> digests) noexcept;

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_TUPLES_PROJECTION_H_
