#include "engine/src/snapshots/padding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "engine/src/snapshots/snapshot_format.h"

namespace trommel {

Status AppendZeros(uint64_t num_bytes, ByteSink& sink) {
  static constexpr std::array<std::byte, kPageAlignment> kZeros{};
  while (num_bytes > 0) {
    const uint64_t part = std::min<uint64_t>(num_bytes, kZeros.size());
    if (Status done = sink.Append(std::span(kZeros).first(part)); !done) return done;
    num_bytes -= part;
  }
  return Ok();
}

Status CheckZeros(const ByteSource& source, uint64_t begin, uint64_t end) {
  std::array<std::byte, kPageAlignment> buffer;
  const auto gap = std::span(buffer).first(end - begin);
  if (Status read = source.ReadAt(begin, gap); !read) return read;
  const auto stray = std::ranges::find_if(gap, [](std::byte byte) { return byte != std::byte{0}; });
  if (stray == gap.end()) return Ok();
  return CorruptAt(begin + static_cast<uint64_t>(stray - gap.begin()), "padding is not zero");
}

}  // namespace trommel
