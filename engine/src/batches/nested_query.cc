#include "engine/src/batches/nested_query.h"

#include <algorithm>
#include <array>

namespace trommel {
namespace {

// The indices of the digests that both stores show, at the front of `shown`; returns how many.
//
//   digests   a b c d e f      the first layer passes b d e: gathered, and asked of the large one,
//   passed    1 3 4            which shows the second and third of them
//   found     1 2           -> shown 3 4
size_t SelectShown(const BlockStore& first, const BlockStore& large,
                   std::span<const uint64_t> digests, std::span<uint32_t> shown) {
  std::array<uint32_t, kernels::kMaxChunkKeys> passed;
  std::array<uint64_t, kernels::kMaxChunkKeys> gathered;
  const size_t num_passed = first.Select(digests, /*maybe_present=*/true, 0, passed.data());
  for (size_t i = 0; i < num_passed; ++i) gathered[i] = digests[passed[i]];
  const size_t num_shown =
      large.Select(std::span(gathered).first(num_passed), true, 0, shown.data());
  for (size_t i = 0; i < num_shown; ++i) shown[i] = passed[shown[i]];
  return num_shown;
}

}  // namespace

size_t QueryLayers(const BlockStore& first, const BlockStore& large,
                   std::span<const uint64_t> digests, uint64_t* maybe_present) {
  std::array<uint32_t, kernels::kMaxChunkKeys> shown;
  const size_t num_shown = SelectShown(first, large, digests, shown);
  std::fill_n(maybe_present, (digests.size() + 63) / 64, 0);
  for (size_t i = 0; i < num_shown; ++i) {
    maybe_present[shown[i] / 64] |= uint64_t{1} << (shown[i] % 64);
  }
  return num_shown;
}

size_t SelectLayers(const BlockStore& first, const BlockStore& large,
                    std::span<const uint64_t> digests, bool maybe_present, uint32_t first_idx,
                    uint32_t* selection) {
  std::array<uint32_t, kernels::kMaxChunkKeys> shown;
  const size_t num_shown = SelectShown(first, large, digests, shown);
  if (maybe_present) {
    for (size_t i = 0; i < num_shown; ++i) selection[i] = first_idx + shown[i];
    return num_shown;
  }
  size_t num_absent = 0;
  uint32_t idx = 0;
  for (size_t i = 0; i <= num_shown; ++i) {
    const uint32_t next = i < num_shown ? shown[i] : static_cast<uint32_t>(digests.size());
    for (; idx < next; ++idx) selection[num_absent++] = first_idx + idx;
    idx = next + 1;
  }
  return num_absent;
}

}  // namespace trommel
