// Run strings of 64 bits, slice by slice.
#include "engine/src/blocks/long_runs.h"

#include <algorithm>

#include "kernels/layout.h"
#include "kernels/run_block.h"
#include "kernels/run_slice.h"
#include "kernels/targets.h"

namespace trommel {

bool MakeLongRuns(std::span<const uint64_t> counters, std::span<uint64_t> runs) {
  const size_t positions = kernels::SlicePositions(runs.size());
  for (size_t s = 0; s < runs.size(); ++s) {
    const auto slice = counters.subspan(s * positions, positions);
    uint64_t num_keys = 0;
    for (const uint64_t count : slice) {
      if (count > kernels::kMaxLongRunKeys - num_keys) return false;
      num_keys += count;
    }
    runs[s] = std::max<uint64_t>(1, kernels::EncodeSlice(slice));
    if (kernels::KeysOfRuns(runs[s]) != kernels::KeysOfRuns(runs[0])) return false;
  }
  return true;
}

void CopyLongRuns(std::span<const uint64_t> runs, const uint32_t* presence,
                  std::span<uint64_t> counters) {
  const size_t positions = kernels::SlicePositions(runs.size());
  for (size_t s = 0; s < runs.size(); ++s) {
    kernels::DecodeSlice(kernels::SlicePresence(presence, s, runs.size()), runs[s],
                         counters.subspan(s * positions, positions));
  }
}

uint64_t LongRunCount(std::span<const uint64_t> runs, const uint32_t* presence, uint64_t digest,
                      size_t slice_idx) {
  const uint64_t present = kernels::SlicePresence(presence, slice_idx, runs.size());
  const uint32_t position = kernels::Position(digest, slice_idx, runs.size());
  if ((present >> position & 1) == 0) return 0;
  return kernels::RunCount(runs[slice_idx], kernels::RunEnd(present, runs[slice_idx], position));
}

void IncrementLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs) {
  kernels::ActiveKernels().long_runs(runs.size()).increment(digest, presence, runs.data());
}

void DecrementLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs) {
  kernels::ActiveKernels().long_runs(runs.size()).decrement(digest, presence, runs.data());
}

}  // namespace trommel
