#include "engine/src/keys/digest_policy.h"

#include "engine/src/base/out_of_range.h"

namespace trommel {

Status CheckPolicy(const DigestPolicy& policy) {
  if (policy.kind > kLastDigestKind) {
    return OutOfRange("digest kind", static_cast<unsigned>(policy.kind),
                      "between 0 and 3 (xxh64, xxh3, caller, siphash)");
  }
  if (!policy.digest_key.is_given()) return Ok();
  if (policy.kind != DigestKind::kSipHash) {
    return Error{ErrorCode::kInvalidArgument,
                 "digest kind is " + std::string(DigestKindName(policy.kind)) +
                     ", which takes no key; it must be siphash (DigestPolicy::Keyed)"};
  }
  if (policy != DigestPolicy::Keyed(policy.digest_key)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the digest's seed is not the check value of its key: create the policy with "
                 "DigestPolicy::Keyed"};
  }
  return Ok();
}

Result<DigestPolicy> PolicyOfFile(uint32_t kind, uint64_t seed, const DigestKey& key) {
  const DigestPolicy stored{.kind = static_cast<DigestKind>(kind), .seed = seed};
  if (!key.is_given()) return stored;
  if (stored.kind != DigestKind::kSipHash) {
    return Error{ErrorCode::kInvalidArgument, "a key was given, but the filter's digest is " +
                                                  std::string(DigestKindName(stored.kind)) +
                                                  ", which takes none: load it without"};
  }
  DigestPolicy keyed = DigestPolicy::Keyed(key);
  if (keyed != stored) {
    return Error{ErrorCode::kInvalidArgument,
                 "wrong key: the filter was made under another one (their check values differ)"};
  }
  return keyed;
}

std::string PolicyDifference(const DigestPolicy& ours, const DigestPolicy& theirs) {
  if (ours.kind != theirs.kind) {
    return "digest kind differs: " + std::string(DigestKindName(ours.kind)) + " here, " +
           std::string(DigestKindName(theirs.kind)) + " there";
  }
  if (ours.seed == theirs.seed) return "";
  return ours.kind == DigestKind::kSipHash ? "digest key differs" : "digest seed differs";
}

}  // namespace trommel
