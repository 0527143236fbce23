// One block in the run encoding, counter by counter.
#include "kernels/run_block.h"

#include <algorithm>
#include <array>

#include "kernels/presence_words.h"
#include "kernels/run_slice.h"

namespace trommel::kernels {
namespace {

// Calls use(RunStrings) for the shape. const_cast: one class both reads and writes.
template <class Use>
auto WithStrings(const uint32_t* counts, size_t num_slices, const Use& use) {
  auto* words = const_cast<uint32_t*>(counts);
  switch (num_slices) {
    case 4:
      return use(RunStrings<4>(words));
    case 5:
      return use(RunStrings<5>(words));
    case 8:
      return use(RunStrings<8>(words));
    default:
      return use(RunStrings<10>(words));
  }
}

uint64_t SumOf(std::span<const uint64_t> counters) {
  uint64_t sum = 0;
  for (const uint64_t count : counters) sum += count;
  return sum;
}

}  // namespace

bool IsPromotedRunBlock(const uint32_t* presence, const uint32_t* counts, size_t num_slices) {
  if (SlicePresence(presence, 0, num_slices) == 0) return false;
  return WithStrings(counts, num_slices, [](const auto& strings) { return strings.Get(0) == 0; });
}

void MarkPromotedRunBlock(uint32_t* counts, size_t num_slices) {
  std::fill_n(counts, RunBlockWords(num_slices) - PresenceWords(num_slices), 0U);
}

void UnpackRuns(const uint32_t* counts, size_t num_slices, std::span<uint64_t> runs) {
  WithStrings(counts, num_slices, [&](const auto& strings) {
    for (size_t s = 0; s < num_slices; ++s) runs[s] = strings.Get(s);
  });
}

void PackRuns(std::span<const uint64_t> runs, size_t num_slices, uint32_t* counts) {
  WithStrings(counts, num_slices, [&](auto strings) {
    for (size_t s = 0; s < num_slices; ++s) strings.Put(s, runs[s]);
    strings.Finish();
  });
}

void DecodeRuns(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                std::span<uint64_t> counters) {
  std::array<uint64_t, kMaxSlices> runs;
  UnpackRuns(counts, num_slices, runs);
  const size_t positions = SlicePositions(num_slices);
  for (size_t s = 0; s < num_slices; ++s) {
    DecodeSlice(SlicePresence(presence, s, num_slices), runs[s],
                counters.subspan(s * positions, positions));
  }
}

bool FitsRuns(std::span<const uint64_t> counters, size_t num_slices) {
  return SumOf(counters.first(SlicePositions(num_slices))) <= RunCapacity(num_slices);
}

bool HaveDrainedForRuns(std::span<const uint64_t> counters, size_t num_slices) {
  return HasDrainedForRuns(SumOf(counters.first(SlicePositions(num_slices))), num_slices);
}

void EncodeRuns(std::span<const uint64_t> counters, size_t num_slices, uint32_t* presence,
                uint32_t* counts) {
  std::array<uint64_t, kMaxSlices> runs;
  const size_t positions = SlicePositions(num_slices);
  for (size_t s = 0; s < num_slices; ++s) {
    const auto slice = counters.subspan(s * positions, positions);
    runs[s] = EncodeSlice(slice);
    for (size_t first = 0; first < positions; first += 32) {
      uint32_t present = 0;
      for (size_t i = 0; i < 32; ++i) present |= uint32_t{slice[first + i] > 0} << i;
      // Once: queries may read it meanwhile.
      StorePresenceWord(present, presence + (s * positions + first) / 32);
    }
  }
  PackRuns(runs, num_slices, counts);
}

uint32_t RunCountAt(const uint32_t* presence, const uint32_t* counts, size_t num_slices,
                    size_t slice_idx, uint32_t position) {
  const uint64_t present = SlicePresence(presence, slice_idx, num_slices);
  if ((present >> position & 1) == 0) return 0;
  const uint64_t runs =
      WithStrings(counts, num_slices, [&](const auto& strings) { return strings.Get(slice_idx); });
  return RunCount(runs, RunEnd(present, runs, position));
}

}  // namespace trommel::kernels
