#include "engine/src/scalable/exact_homes.h"

#include <algorithm>

#include "engine/src/blocks/store_list.h"
#include "engine/src/keys/radix_split.h"

namespace trommel {
namespace {

// Requires that a query of the store has answered "maybe present".
bool IsHome(const Store& store, uint64_t digest, RangeLocks* locks, Shown trust) {
  if (!HasFingerprints(store)) return true;
  if (trust == Shown::kIsTrusted && store.Shows(digest)) return true;
  if (locks == nullptr) return IsIn(store, digest);
  const uint32_t lock_bits = locks->lock_bits();
  const RangeLocks::Held held = locks->Hold(RangeOf(digest, lock_bits), lock_bits);
  return IsIn(store, digest);
}

}  // namespace

void FindExactHomes(std::span<const Store* const> stores, std::span<const uint64_t> digests,
                    RangeLocks* locks, Shown trust, uint8_t* homes) {
  FindOldest(stores, digests, homes);
  const auto has_fingerprints = [](const Store* store) { return HasFingerprints(*store); };
  if (std::ranges::none_of(stores, has_fingerprints)) return;
  for (size_t i = 0; i < digests.size(); ++i) {
    size_t home = homes[i];
    while (home < stores.size() && !IsHome(*stores[home], digests[i], locks, trust)) {
      uint8_t next = 0;
      FindOldest(stores.subspan(home + 1), digests.subspan(i, 1), &next);
      home += size_t{1} + next;
    }
    homes[i] = static_cast<uint8_t>(home);
  }
}

}  // namespace trommel
