// Digest policies that are not our own: a caller's, a file's, another filter's.
#ifndef TROMMEL_ENGINE_SRC_KEYS_DIGEST_POLICY_H_
#define TROMMEL_ENGINE_SRC_KEYS_DIGEST_POLICY_H_

#include <cstdint>
#include <string>

#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

inline constexpr DigestKind kLastDigestKind = DigestKind::kSipHash;

// kInvalidArgument for a kind there is not, and for a key that does not go with kind or seed. A
// kSipHash policy without its key is good: what merges filters need not hash.
Status CheckPolicy(const DigestPolicy& policy);

// The policy of a file with this kind, which must exist, and seed, loaded with this key or without
// one. kInvalidArgument for a key that is not the file's, or if its kind takes none.
Result<DigestPolicy> PolicyOfFile(uint32_t kind, uint64_t seed, const DigestKey& key);

// The first field in which two policies differ, with both names where it is no secret: "digest kind
// differs: xxh64 here, xxh3 there". Empty if they are equal.
std::string PolicyDifference(const DigestPolicy& ours, const DigestPolicy& theirs);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_KEYS_DIGEST_POLICY_H_
