#include "engine/src/keys/merge_compatibility.h"

#include "engine/src/keys/digest_policy.h"

namespace trommel {
namespace {

std::string NameDiffers(std::string_view field, std::string_view ours, std::string_view theirs) {
  return std::string(field) + " differs: " + std::string(ours) + " here, " + std::string(theirs) +
         " there";
}

}  // namespace

std::string FieldDiffers(std::string_view field, uint64_t ours, uint64_t theirs) {
  return NameDiffers(field, std::to_string(ours), std::to_string(theirs));
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
    return NameDiffers("encoding", EncodingName(ours.encoding), EncodingName(theirs.encoding));
  }
  return PolicyDifference(our_policy, their_policy);
}

}  // namespace trommel
