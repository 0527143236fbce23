#include "engine/src/keys/merge_compatibility.h"

#include "engine/src/keys/digest_policy.h"

namespace trommel {

std::string FieldDiffers(std::string_view field, std::string_view ours, std::string_view theirs) {
  return std::string(field) + " differs: " + std::string(ours) + " here, " + std::string(theirs) +
         " there";
}

std::string FieldDiffers(std::string_view field, uint64_t ours, uint64_t theirs) {
  return FieldDiffers(field, std::to_string(ours), std::to_string(theirs));
}

std::string DifferenceOf(const Geometry& ours, const DigestPolicy& our_policy,
                         const Geometry& theirs, const DigestPolicy& their_policy) {
  if (ours.num_slices != theirs.num_slices) {
    return FieldDiffers("num_slices", ours.num_slices, theirs.num_slices);
  }
  if (ours.num_blocks != theirs.num_blocks) {
    return FieldDiffers("num_blocks", ours.num_blocks, theirs.num_blocks);
  }
  if (ours.shard_bits != theirs.shard_bits) {
    return FieldDiffers("shard_bits", ours.shard_bits, theirs.shard_bits);
  }
  if (ours.encoding != theirs.encoding) {
    return FieldDiffers("encoding", EncodingName(ours.encoding), EncodingName(theirs.encoding));
  }
  if (ours.slots != theirs.slots) return FieldDiffers("slots", ours.slots, theirs.slots);
  if (ours.fingerprint_bits != theirs.fingerprint_bits) {
    return FieldDiffers("fingerprint_bits", ours.fingerprint_bits, theirs.fingerprint_bits);
  }
  return PolicyDifference(our_policy, their_policy);
}

Status CheckMerge(const std::string& difference, uint64_t ours, uint64_t theirs) {
  if (!difference.empty()) return Error{ErrorCode::kMismatch, "cannot merge: " + difference};
  constexpr uint64_t kMostKeys = uint64_t{1} << 62;
  if (ours <= kMostKeys && theirs <= kMostKeys - ours) return Ok();
  return Error{ErrorCode::kInvalidArgument, "cannot merge: " + std::to_string(ours) + " and " +
                                                std::to_string(theirs) +
                                                " keys are together more than 2^62"};
}

}  // namespace trommel
