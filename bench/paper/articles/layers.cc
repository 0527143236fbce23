#include "bench/paper/articles/layers.h"

#include <algorithm>
#include <array>

#include "trommel/sizing.h"

namespace trommel::paper {
namespace {

constexpr double kFirstFpr = 0.2;
constexpr size_t kChunkKeys = 2048;

}  // namespace

// The layers nest: each block of the first one stands for equally many blocks of the large one, and
// both have slices of 32 positions. So the first layer shows whatever the large one shows, and the
// rate of both is that of the large one. A block is floor(x B) of a digest x in [0, 1), and
// floor(floor(x c B) / c) = floor(x B).
//
//   large   | block 0 | block 1 | .. | block c-1 | block c ..     c x as many blocks
//   first   |           block 0                  | block 1 ..
Layers Layers::Create(uint64_t capacity, double target_fpr) {
  Geometry large = SizeFor({.capacity = capacity,
                            .target_fpr = target_fpr,
                            .num_slices = 8,
                            .encoding = Encoding::kRuns})
                       .value()
                       .geometry;
  Geometry first = SizeFor({.capacity = capacity,
                            .target_fpr = kFirstFpr,
                            .num_slices = 8,
                            .encoding = Encoding::kPlanes})
                       .value()
                       .geometry;
  const uint64_t ratio = large.num_blocks / first.num_blocks;
  const uint64_t unit = uint64_t{1} << large.shard_bits;  // both have whole shards of the large one
  first.num_blocks = ((large.num_blocks + ratio - 1) / ratio + unit - 1) / unit * unit;
  first.shard_bits = std::min(large.shard_bits, ShardBitsFor(first.num_blocks));
  large.num_blocks = first.num_blocks * ratio;
  const DigestPolicy digests{.kind = DigestKind::kCaller};
  return {CountingFilter::CreateWithGeometry(first, digests).value(),
          CountingFilter::CreateWithGeometry(large, digests).value()};
}

size_t Layers::Query(Keys digests, std::span<uint64_t> maybe_present) const {
  std::array<uint32_t, kChunkKeys> passed;
  std::array<uint64_t, kChunkKeys> gathered;
  std::array<uint32_t, kChunkKeys> shown;
  std::ranges::fill(maybe_present, 0);
  size_t num_present = 0;
  for (size_t begin = 0; begin < digests.size(); begin += kChunkKeys) {
    const Keys chunk = digests.Subspan(begin, std::min(kChunkKeys, digests.size() - begin));
    const auto* values = static_cast<const uint64_t*>(chunk.data());
    const size_t num_passed =
        first_.Select(chunk, Answer::kMaybePresent, std::span(passed).first(chunk.size()));
    for (size_t i = 0; i < num_passed; ++i) gathered[i] = values[passed[i]];
    const Keys left = Keys::Digests(std::span(gathered).first(num_passed));
    const size_t num_shown =
        large_.Select(left, Answer::kMaybePresent, std::span(shown).first(num_passed));
    for (size_t i = 0; i < num_shown; ++i) {
      const size_t idx = begin + passed[shown[i]];
      maybe_present[idx / 64] |= uint64_t{1} << (idx % 64);
    }
    num_present += num_shown;
  }
  return num_present;
}

double Layers::num_bytes() const {
  return static_cast<double>(first_.GetStats().num_bytes + large_.GetStats().num_bytes);
}

}  // namespace trommel::paper
