// Digest policies of a caller, of a file and of another filter: validity, keys, comparison.
#ifndef TROMMEL_ENGINE_SRC_KEYS_DIGEST_POLICY_H_
#define TROMMEL_ENGINE_SRC_KEYS_DIGEST_POLICY_H_

#include <cstdint>
#include <string>

#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

inline constexpr DigestKind kLastDigestKind = DigestKind::kSipHash;

// Fails with kInvalidArgument for an unknown kind, and for a key that does not fit kind or seed. A
// kSipHash policy without its key is valid: merging filters needs no hashing.
Status CheckPolicy(const DigestPolicy& policy);

// The policy of a file with this kind and seed, loaded with this key or without one. Requires a
// known kind. Fails with kInvalidArgument for a key that is not the file's, or if the kind takes
// none.
Result<DigestPolicy> PolicyOfFile(uint32_t kind, uint64_t seed, const DigestKey& key);

// Names the first field in which two policies differ, with both values unless they are secret:
// "digest kind differs: xxh64 here, xxh3 there". Empty if they are equal.
std::string PolicyDifference(const DigestPolicy& ours, const DigestPolicy& theirs);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_DIGEST_POLICY_H_
