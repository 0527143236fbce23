// The encodings there are.
#include "engine/src/encoding.h"

#include "kernels/plane_block.h"

namespace trommel {
namespace {

BlockKernelsMember PlaneKernels(size_t num_slices) {
  return num_slices == 8 ? &kernels::Kernels::planes8 : &kernels::Kernels::planes16;
}

constexpr BlockEncoding kPlanesTable = {
    .count_words_per_slice = kernels::kNumPlanes,
    .kernels = &PlaneKernels,
    .is_promoted = &kernels::IsPromoted,
    .mark_promoted = &kernels::MarkPromoted,
    .decode = &kernels::DecodePlanes,
    .fits = &kernels::FitsPlanes,
    .has_drained = &kernels::HasDrainedForPlanes,
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
