#include "engine/src/blocks/store.h"

namespace trommel {

Status Store::LimitSideMemory(uint64_t limit_bytes) {
  const Result<std::unique_ptr<SideLimitChange>> change = PrepareSideLimit(limit_bytes);
  if (!change.ok()) return change.error();
  (*change)->Apply();
  return Ok();
}

bool Store::InsertOne(uint64_t digest) noexcept {
  const OneKeyCalls calls = CallsOfOneKey();
  return Finish(Update::kInsert, digest, calls.insert(digest, calls.blocks));
}

bool Store::EraseOne(uint64_t digest) {
  const OneKeyCalls calls = CallsOfOneKey();
  return Finish(Update::kErase, digest, calls.erase(digest, calls.blocks));
}

bool Store::UpdateOne(Update update, uint64_t digest) {
  switch (update) {
    case Update::kInsertIfAbsent: {
      const OneKeyCalls calls = CallsOfOneKey();
      return Finish(update, digest, calls.insert_if_absent(digest, calls.blocks));
    }
    case Update::kErase:
      return EraseOne(digest);
    case Update::kInsertIfPresent:
      if (CountEstimate(digest) == 0)
        return false;  // the answer "maybe" of a query may be no key's
      break;
    case Update::kInsert:
      break;
  }
  return InsertOne(digest);
}

}  // namespace trommel
