// Merge compatibility: why two filters cannot be merged, in the words of error messages.
#ifndef TROMMEL_ENGINE_SRC_KEYS_MERGE_COMPATIBILITY_H_
#define TROMMEL_ENGINE_SRC_KEYS_MERGE_COMPATIBILITY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "trommel/digest.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

// "num_blocks differs: 16 here, 18 there".
std::string FieldDiffers(std::string_view field, uint64_t ours, uint64_t theirs);
std::string FieldDiffers(std::string_view field, std::string_view ours, std::string_view theirs);

// Names the first field in which two filters differ, as above; empty if there is none.
std::string DifferenceOf(const Geometry& ours, const DigestPolicy& our_policy,
                         const Geometry& theirs, const DigestPolicy& their_policy);

// What every Merge checks first. Fails with kMismatch where there is a difference, and with
// kInvalidArgument when filters of so many keys hold more than 2^62 together: merging a filter with
// itself doubles it, and must stop where a snapshot still holds it and counters cannot wrap.
Status CheckMerge(const std::string& difference, uint64_t ours, uint64_t theirs);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_MERGE_COMPATIBILITY_H_
