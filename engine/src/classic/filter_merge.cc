// Filters made of others, or of a part of themselves: merge, subtract, fold, drop slices.
#include <string>
#include <utility>

#include "engine/src/base/out_of_range.h"
#include "engine/src/classic/filter_impl.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/keys/merge_compatibility.h"
#include "trommel/classic/filter.h"

namespace trommel::classic {
namespace {

// Names the first field in which two filters differ; empty if they agree in all.
std::string Difference(const Filter& a, const Filter& b) {
  const ArrayGeometry& ours = a.geometry();
  const ArrayGeometry& theirs = b.geometry();
  if (ours.kind != theirs.kind) {
    return FieldDiffers("kind", KindName(ours.kind), KindName(theirs.kind));
  }
  if (ours.num_hashes != theirs.num_hashes) {
    return FieldDiffers("num_hashes", ours.num_hashes, theirs.num_hashes);
  }
  if (ours.num_positions != theirs.num_positions) {
    return FieldDiffers("num_positions", ours.num_positions, theirs.num_positions);
  }
  if (ours.counter_bits != theirs.counter_bits) {
    return FieldDiffers("counter_bits", ours.counter_bits, theirs.counter_bits);
  }
  if (ours.hashing != theirs.hashing) {
    return FieldDiffers("hashing", HashingName(ours.hashing), HashingName(theirs.hashing));
  }
  return PolicyDifference(a.digest_policy(), b.digest_policy());
}

}  // namespace

Status Filter::Merge(const Filter& other) {
  if (Status good = CheckMerge(Difference(*this, other), num_keys(), other.num_keys()); !good) {
    return good;
  }
  impl_->store.Merge(other.impl_->store);
  impl_->num_keys += other.impl_->num_keys;
  return Ok();
}

Status Filter::Subtract(const Filter& other) {
  if (std::string difference = Difference(*this, other); !difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot subtract: " + difference};
  }
  if (geometry().kind == Kind::kBloom) {
    return Error{ErrorCode::kInvalidArgument,
                 "cannot subtract: filters of the kind bloom have no counters"};
  }
  if (!impl_->store.CanSubtract(other.impl_->store)) {
    return Error{ErrorCode::kInvalidArgument,
                 "cannot subtract: the other filter holds keys that were not inserted here"};
  }
  impl_->store.Subtract(other.impl_->store);
  impl_->TakeKeys(other.impl_->num_keys);
  return Ok();
}

Status Filter::Fold() {
  const uint64_t num_positions = geometry().num_positions;
  if (num_positions % 2 != 0) {
    return Error{ErrorCode::kInvalidArgument, "cannot fold: num_positions is " +
                                                  std::to_string(num_positions) +
                                                  ", and only an even number can be halved"};
  }
  Result<PositionStore> folded = impl_->store.Folded(impl_->memory_limit_bytes);
  if (!folded) return folded.error();
  impl_->store = *std::move(folded);
  return Ok();
}

Status Filter::DropSlices(uint32_t num_slices) {
  if (geometry().kind != Kind::kSplitCounting) {
    return Error{ErrorCode::kInvalidArgument, "cannot drop slices: the kind is " +
                                                  std::string(KindName(geometry().kind)) +
                                                  "; it must be split counting"};
  }
  if (num_slices == 0 || num_slices > geometry().num_hashes) {
    return OutOfRange("num_slices", num_slices, 1U, geometry().num_hashes);
  }
  Result<PositionStore> kept = impl_->store.FirstSlices(num_slices, impl_->memory_limit_bytes);
  if (!kept) return kept.error();
  impl_->store = *std::move(kept);
  return Ok();
}

}  // namespace trommel::classic
