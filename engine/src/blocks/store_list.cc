#include "engine/src/blocks/store_list.h"

#include <algorithm>
#include <array>

#include "engine/src/base/check.h"

namespace trommel {
namespace {

using Views = std::array<kernels::Blocks, kMaxListedStores>;

void CopyViews(std::span<const BlockStore* const> stores, Views& views) {
  TROMMEL_CHECK(stores.size() <= kMaxListedStores, "more than 255 stores in a list");
  for (size_t s = 0; s < stores.size(); ++s) {
    TROMMEL_CHECK(stores[s]->geometry().encoding == stores[0]->geometry().encoding &&
                      stores[s]->geometry().num_slices == stores[0]->geometry().num_slices,
                  "stores of different shapes in a list");
    views[s] = stores[s]->View();
  }
}

}  // namespace

size_t QueryAny(std::span<const BlockStore* const> stores, std::span<const uint64_t> digests,
                uint64_t* maybe_present) {
  if (stores.empty()) {
    std::fill_n(maybe_present, (digests.size() + 63) / 64, 0);
    return 0;
  }
  if (stores.size() == 1) return stores[0]->Query(digests, maybe_present);
  Views views;
  CopyViews(stores, views);
  return stores[0]->block_kernels().query_any(digests.data(), digests.size(), views.data(),
                                              stores.size(), maybe_present);
}

void FindOldest(std::span<const BlockStore* const> stores, std::span<const uint64_t> digests,
                uint8_t* oldest) {
  if (stores.empty()) {
    std::fill_n(oldest, digests.size(), uint8_t{0});
    return;
  }
  Views views;
  CopyViews(stores, views);
  stores[0]->block_kernels().find_oldest(digests.data(), digests.size(), views.data(),
                                         stores.size(), oldest);
}

}  // namespace trommel
