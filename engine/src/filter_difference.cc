#include "engine/src/filter_difference.h"

namespace trommel {

std::string FilterDifference(const CountingFilter& a, const CountingFilter& b) {
  const auto differs = [](const char* field, auto ours, auto theirs) {
    return std::string(field) + " differs: " + std::to_string(ours) + " here, " +
           std::to_string(theirs) + " there";
  };
  const Geometry& ours = a.geometry();
  const Geometry& theirs = b.geometry();
  if (ours.num_slices != theirs.num_slices) {
    return differs("num_slices", ours.num_slices, theirs.num_slices);
  }
  if (ours.num_blocks != theirs.num_blocks) {
    return differs("num_blocks", ours.num_blocks, theirs.num_blocks);
  }
  if (ours.shard_bits != theirs.shard_bits) {
    return differs("shard_bits", ours.shard_bits, theirs.shard_bits);
  }
  if (ours.encoding != theirs.encoding) {
    return std::string("encoding differs: ") + std::string(EncodingName(ours.encoding)) +
           " here, " + std::string(EncodingName(theirs.encoding)) + " there";
  }
  if (a.digest_policy().kind != b.digest_policy().kind) {
    return std::string("digest kind differs: ") +
           std::string(DigestKindName(a.digest_policy().kind)) + " here, " +
           std::string(DigestKindName(b.digest_policy().kind)) + " there";
  }
  // The seed may be a secret: say that it differs, not what it is.
  if (a.digest_policy().seed != b.digest_policy().seed) return "digest seed differs";
  return "";
}

}  // namespace trommel
