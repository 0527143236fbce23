#include "trommel/classic/geometry.h"

#include <string>

#include "engine/src/base/out_of_range.h"

namespace trommel::classic {

std::string_view KindName(Kind kind) noexcept {
  switch (kind) {
    case Kind::kBloom:
      return "bloom";
    case Kind::kCountingBloom:
      return "counting bloom";
    case Kind::kSplitCounting:
      return "split counting";
  }
  return "unknown";
}

std::string_view HashingName(Hashing hashing) noexcept {
  switch (hashing) {
    case Hashing::kDouble:
      return "double";
    case Hashing::kMixed:
      return "mixed";
  }
  return "unknown";
}

Status Validate(const ArrayGeometry& geometry) {
  if (geometry.kind > Kind::kSplitCounting) {
    return OutOfRange("kind", static_cast<unsigned>(geometry.kind),
                      "0 (bloom), 1 (counting bloom) or 2 (split counting)");
  }
  if (geometry.hashing > Hashing::kMixed) {
    return OutOfRange("hashing", static_cast<unsigned>(geometry.hashing),
                      "0 (double) or 1 (mixed)");
  }
  if (geometry.num_hashes == 0 || geometry.num_hashes > kMaxHashes) {
    return OutOfRange("num_hashes", geometry.num_hashes, 1U, kMaxHashes);
  }
  if (geometry.kind == Kind::kBloom && geometry.counter_bits != 1) {
    return OutOfRange("counter_bits", geometry.counter_bits, "1 for the kind bloom");
  }
  if (geometry.counter_bits == 0 || geometry.counter_bits > kMaxCounterBits) {
    return OutOfRange("counter_bits", geometry.counter_bits, 1U, kMaxCounterBits);
  }
  if (geometry.num_positions == 0 || geometry.num_positions > kMaxPositions) {
    return OutOfRange("num_positions", geometry.num_positions, uint64_t{1}, kMaxPositions);
  }
  return Ok();
}

}  // namespace trommel::classic
