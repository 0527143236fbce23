// What only slices allow: fewer probes, and fewer slices.
#include "trommel/classic/split_counting_filter.h"

#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/base/out_of_range.h"
#include "engine/src/classic/filter_impl.h"
#include "engine/src/keys/batch_output.h"

namespace trommel::classic {

uint32_t SplitCountingFilter::ProbesFor(double target_fpr) const noexcept {
  for (uint32_t probes = 1; probes < geometry().num_hashes; ++probes) {
    if (impl_->store.FillProduct(probes) <= target_fpr) return probes;
  }
  return geometry().num_hashes;
}

size_t SplitCountingFilter::QueryFirst(Keys keys, uint32_t num_probes,
                                       std::span<uint64_t> maybe_present) const noexcept {
  CheckBitmap(keys, maybe_present);
  TROMMEL_CHECK(num_probes >= 1 && num_probes <= geometry().num_hashes,
                "more probes than slices, or none");
  return impl_->Query(keys, num_probes, maybe_present);
}

Status SplitCountingFilter::DropSlices(uint32_t num_slices) {
  if (num_slices == 0 || num_slices > geometry().num_hashes) {
    return OutOfRange("num_slices", num_slices, 1U, geometry().num_hashes);
  }
  Result<PositionStore> kept = impl_->store.FirstSlices(num_slices, impl_->memory_limit_bytes);
  if (!kept) return kept.error();
  impl_->store = *std::move(kept);
  return Ok();
}

}  // namespace trommel::classic
