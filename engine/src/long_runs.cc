// Run strings of 64 bits, a slice at a time.
#include "engine/src/long_runs.h"

#include <algorithm>

#include "engine/src/presence_bits.h"
#include "kernels/layout.h"
#include "kernels/run_block.h"
#include "kernels/run_slice.h"

namespace trommel {
namespace {

// A key's place in one slice, ahead of any change to it.
struct RunPlace {
  RunPlace(uint64_t digest, size_t slice_idx, const uint32_t* presence,
           std::span<const uint64_t> runs)
      : counter_idx(kernels::CounterIndex(digest, slice_idx, runs.size())) {
    const uint64_t slice = kernels::SlicePresence(presence, slice_idx, runs.size());
    const uint32_t position = kernels::Position(digest, slice_idx, runs.size());
    is_present = (slice >> position & 1) != 0;
    run_end = kernels::RunEnd(slice, runs[slice_idx], position);
  }

  size_t counter_idx;
  bool is_present;
  uint64_t run_end;
};

}  // namespace

bool MakeLongRuns(std::span<const uint64_t> counters, std::span<uint64_t> runs) {
  const size_t positions = kernels::SlicePositions(runs.size());
  for (size_t s = 0; s < runs.size(); ++s) {
    const auto slice = counters.subspan(s * positions, positions);
    uint64_t num_keys = 0;
    for (const uint64_t count : slice) {
      if (count > kMaxLongRunKeys - num_keys) return false;
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
  const RunPlace at(digest, slice_idx, presence, runs);
  return at.is_present ? kernels::RunCount(runs[slice_idx], at.run_end) : 0;
}

void AddToLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs) {
  for (size_t s = 0; s < runs.size(); ++s) {
    const RunPlace at(digest, s, presence, runs);
    runs[s] = kernels::WithKey(runs[s], at.run_end, at.is_present);
    MarkPresent(at.counter_idx, presence);
  }
}

void TakeFromLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs) {
  for (size_t s = 0; s < runs.size(); ++s) {
    const RunPlace at(digest, s, presence, runs);
    const bool is_last = kernels::IsLastOfRun(runs[s], at.run_end);
    runs[s] = kernels::WithKeysLess(runs[s], at.run_end, 1);
    if (is_last) MarkAbsent(at.counter_idx, presence);
  }
}

}  // namespace trommel
