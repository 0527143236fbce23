// The tables of the encodings.
#include "engine/src/blocks/encoding.h"

#include <algorithm>

#include "kernels/plane_block.h"
#include "kernels/run_block.h"
#include "kernels/run_slice.h"

namespace trommel {
namespace {

using kernels::KernelTable;

BlockKernelsMember RunKernels(size_t num_slices) {
  switch (num_slices) {
    case 4:
      return &KernelTable::runs4;
    case 5:
      return &KernelTable::runs5;
    case 8:
      return &KernelTable::runs8;
    default:
      return &KernelTable::runs10;
  }
}

// Blocks of planes have kWordSlices slices.
constexpr BlockEncoding kPlanesTable = {
    .is_interleaved = false,
    .count_words = [](size_t) { return kernels::kWordSlices * kernels::kNumPlanes; },
    .kernels = [](size_t) -> BlockKernelsMember { return &KernelTable::planes; },
    .is_promoted = [](const uint32_t*, const uint32_t* planes,
                      size_t) { return kernels::IsPromoted(planes); },
    .mark_promoted = [](uint32_t* planes, size_t) { kernels::MarkPromoted(planes); },
    .decode =
        [](const uint32_t* presence, const uint32_t* planes, size_t, std::span<uint64_t> counters) {
          kernels::DecodePlanes(presence, planes, counters);
        },
    .fits = [](std::span<const uint64_t> counters,
               size_t) { return kernels::FitsPlanes(counters); },
    .has_drained = [](std::span<const uint64_t> counters,
                      size_t) { return kernels::HasDrainedForPlanes(counters); },
    .has_drained_runs =
        [](std::span<const uint64_t> runs, size_t) {
          return std::ranges::none_of(runs, [](uint64_t slice) {
            return kernels::HasCountAbove(slice, kernels::kMaxDrainedCount);
          });
        },
    .unpack_runs = nullptr,
    .pack_runs = nullptr,
    .encode = [](std::span<const uint64_t> counters, size_t, uint32_t* presence,
                 uint32_t* planes) { kernels::EncodePlanes(counters, presence, planes); },
    .count_at =
        [](const uint32_t* presence, const uint32_t* planes, size_t, size_t slice_idx,
           uint32_t position) {
          return kernels::PlaneCountAt(presence, planes, slice_idx, position);
        },
};

constexpr BlockEncoding kRunsTable = {
    .is_interleaved = true,
    .count_words =
        [](size_t num_slices) {
          return kernels::RunBlockWords(num_slices) - kernels::PresenceWords(num_slices);
        },
    .kernels = &RunKernels,
    .is_promoted = &kernels::IsPromotedRunBlock,
    .mark_promoted = &kernels::MarkPromotedRunBlock,
    .decode = &kernels::DecodeRuns,
    .fits = &kernels::FitsRuns,
    .has_drained = &kernels::HaveDrainedForRuns,
    .has_drained_runs =
        [](std::span<const uint64_t> runs, size_t num_slices) {
          return kernels::HasDrainedForRuns(kernels::KeysOfRuns(runs[0]), num_slices);
        },
    .unpack_runs = &kernels::UnpackRuns,
    .pack_runs = &kernels::PackRuns,
    .encode = &kernels::EncodeRuns,
    .count_at = &kernels::RunCountAt,
};

}  // namespace

const BlockEncoding& EncodingTable(Encoding encoding) noexcept {
  switch (encoding) {
    case Encoding::kPlanes:
      break;
    case Encoding::kRuns:
      return kRunsTable;
    case Encoding::kFingerprints16:  // no counts: BlockStore::Create refuses them
    case Encoding::kDense:
    case Encoding::kAutomatic:
      break;
  }
  return kPlanesTable;
}

}  // namespace trommel
