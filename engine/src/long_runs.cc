// Run strings of 64 bits, a slice at a time.
#include "engine/src/long_runs.h"

#include <algorithm>
#include <bit>

#include "engine/src/presence_bits.h"
#include "kernels/layout.h"
#include "kernels/run_slice.h"

namespace trommel {
namespace {

using kernels::PlainSelect;

// A key's place in one slice, ahead of any change to it.
struct RunPlace {
  RunPlace(uint64_t digest, size_t slice_idx, const uint32_t* presence,
           std::span<const uint64_t> runs)
      : counter_idx(kernels::CounterIndex(digest, slice_idx, runs.size())) {
    const uint64_t slice = SlicePresence(presence, slice_idx, runs.size());
    const uint64_t bit = uint64_t{1} << kernels::Position(digest, slice_idx, runs.size());
    is_present = (slice & bit) != 0;
    run_begin = kernels::RunBegin<PlainSelect>(slice, runs[slice_idx], bit);
  }

  size_t counter_idx;
  bool is_present;
  uint64_t run_begin;
};

}  // namespace

bool MakeLongRuns(std::span<const uint64_t> counters, std::span<uint64_t> runs) {
  const size_t positions = kernels::SlicePositions(runs.size());
  for (size_t s = 0; s < runs.size(); ++s) {
    uint64_t slice_runs = 0;
    uint64_t num_keys = 0;
    for (const uint64_t count : counters.subspan(s * positions, positions)) {
      if (count == 0) continue;
      if (count > kMaxLongRunKeys - num_keys) return false;
      slice_runs |= uint64_t{1} << num_keys;
      num_keys += count;
    }
    runs[s] = slice_runs | uint64_t{1} << num_keys;
    if (kernels::KeysOfRuns(runs[s]) != kernels::KeysOfRuns(runs[0])) return false;
  }
  return true;
}

void CopyLongRuns(std::span<const uint64_t> runs, const uint32_t* presence,
                  std::span<uint64_t> counters) {
  const size_t positions = kernels::SlicePositions(runs.size());
  std::ranges::fill(counters.first(runs.size() * positions), 0);
  for (size_t s = 0; s < runs.size(); ++s) {
    uint64_t left = runs[s];
    for (uint64_t slice = SlicePresence(presence, s, runs.size()); slice != 0; slice &= slice - 1) {
      counters[s * positions + static_cast<size_t>(std::countr_zero(slice))] =
          kernels::RunCount(left, left & -left);
      left &= left - 1;
    }
  }
}

uint64_t LongRunCount(std::span<const uint64_t> runs, const uint32_t* presence, uint64_t digest,
                      size_t slice_idx) {
  const RunPlace at(digest, slice_idx, presence, runs);
  return at.is_present ? kernels::RunCount(runs[slice_idx], at.run_begin) : 0;
}

void AddToLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs) {
  for (size_t s = 0; s < runs.size(); ++s) {
    const RunPlace at(digest, s, presence, runs);
    runs[s] = kernels::WithKeys(runs[s], at.run_begin, at.is_present, 1);
    MarkPresent(at.counter_idx, presence);
  }
}

void TakeFromLongRuns(uint64_t digest, uint32_t* presence, std::span<uint64_t> runs) {
  for (size_t s = 0; s < runs.size(); ++s) {
    const RunPlace at(digest, s, presence, runs);
    const bool is_last = kernels::IsLastOfRun(runs[s], at.run_begin);
    runs[s] = kernels::WithKeyLess(runs[s], at.run_begin);
    if (is_last) MarkAbsent(at.counter_idx, presence);
  }
}

}  // namespace trommel
