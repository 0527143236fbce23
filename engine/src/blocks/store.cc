#include "engine/src/blocks/store.h"

namespace trommel {

Status Store::LimitSideMemory(uint64_t limit_bytes) {
  const Result<std::unique_ptr<SideLimitChange>> change = PrepareSideLimit(limit_bytes);
  if (!change.ok()) return change.error();
  (*change)->Apply();
  return Ok();
}

}  // namespace trommel
