#include "engine/src/blocks/store.h"

#include <array>

#include "engine/src/base/memory_limit.h"

namespace trommel {

using kernels::OneFate;

size_t KeyStore::Select(std::span<const uint64_t> digests, bool maybe_present, uint32_t first_idx,
                        uint32_t* selection) const {
  std::array<uint64_t, kBitmapWords> bits;
  size_t num_selected = 0;
  for (size_t first = 0; first < digests.size(); first += kernels::kMaxChunkKeys) {
    const size_t size = std::min(kernels::kMaxChunkKeys, digests.size() - first);
    Query(digests.subspan(first, size), bits.data());
    for (size_t i = 0; i < size; ++i) {
      // Always written, and kept only if it counts: no branch to mispredict.
      selection[num_selected] = first_idx + static_cast<uint32_t>(first + i);
      num_selected +=
          static_cast<size_t>((bits[i / 64] >> (i % 64) & 1) == uint64_t{maybe_present});
    }
  }
  return num_selected;
}

Status Store::LimitSideMemory(uint64_t limit_bytes) {
  const Result<std::unique_ptr<SideLimitChange>> change = PrepareSideLimit(limit_bytes);
  if (!change.ok()) return change.error();
  (*change)->Apply();
  return Ok();
}

Status Store::CheckResized(const Geometry& geometry, uint64_t limit_bytes) const {
  if (side_limit_bytes_ == 0) return Ok();
  return CheckMemoryLimit("the filter and its side memory need",
                          geometry.num_bytes() + side_limit_bytes_, limit_bytes);
}

Status Store::TakeLimitOf(const Store& resized) {
  if (resized.side_limit_bytes_ == 0) return Ok();
  Status limited = LimitSideMemory(resized.side_limit_bytes_);
  if (limited.ok()) return limited;
  // Also a limit that is too low here: more blocks may have more ranges.
  return Error{ErrorCode::kOutOfMemory, "at the new size " + limited.error().message};
}

Fate Store::UpdateOne(Update update, uint64_t digest) {
  const OneKeyCalls calls = CallsOfOneKey();
  const auto kernel = update == Update::kInsert  ? calls.insert
                      : update == Update::kErase ? calls.erase
                                                 : calls.insert_if_absent;
  const OneFate fate = kernel(digest, calls.blocks);
  if (fate == OneFate::kDone) [[likely]]
    return Fate::kChanged;
  return fate == OneFate::kUnchanged ? Fate::kUnchanged : FinishUpdate(update, digest);
}

}  // namespace trommel
