// The encodings there are.
#include "engine/src/encoding.h"

#include <algorithm>

#include "kernels/plane_block.h"
#include "kernels/run_slice.h"

namespace trommel {
namespace {

BlockKernelsMember PlaneKernels(size_t num_slices) {
  return num_slices == 8 ? &kernels::Kernels::planes8 : &kernels::Kernels::planes16;
}

bool HaveRunsDrainedForPlanes(std::span<const uint64_t> runs) {
  return std::ranges::none_of(runs, [](uint64_t slice) {
    return kernels::HasCountAbove(slice, kernels::kMaxDrainedCount);
  });
}

constexpr BlockEncoding kPlanesTable = {
    .count_words_per_slice = kernels::kNumPlanes,
    .kernels = &PlaneKernels,
    .is_promoted = &kernels::IsPromoted,
    .mark_promoted = &kernels::MarkPromoted,
    .decode = &kernels::DecodePlanes,
    .fits = &kernels::FitsPlanes,
    .has_drained = &kernels::HasDrainedForPlanes,
    .has_drained_runs = &HaveRunsDrainedForPlanes,
    .encode = &kernels::EncodePlanes,
    .count_at = &kernels::PlaneCountAt,
};

}  // namespace

const BlockEncoding& EncodingTable(Encoding encoding) noexcept {
  switch (encoding) {
    case Encoding::kPlanes:
    case Encoding::kRuns:  // not yet
      break;
  }
  return kPlanesTable;
}

}  // namespace trommel
