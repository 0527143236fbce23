#include "engine/src/blocks/store_list.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/src/base/check.h"
#include "engine/src/blocks/block_store.h"

namespace trommel {
namespace {

using Stores = std::span<const Store* const>;

bool AreOfOneShape(const Geometry& a, const Geometry& b) {
  return !HasFingerprints(a.encoding) && a.encoding == b.encoding && a.num_slices == b.num_slices;
}

// The first stretch of a list that is not empty.
Stores FirstStretch(Stores stores) {
  size_t size = 1;
  while (size < stores.size() &&
         AreOfOneShape(stores.front()->geometry(), stores[size]->geometry())) {
    ++size;
  }
  return stores.first(size);
}

void CheckSize(size_t num_stores) {
  TROMMEL_CHECK(num_stores <= kMaxListedStores, "more than 255 stores in a list");
}

// Slices of one shape, at least one.
class Slices {
 public:
  explicit Slices(Stores stores) : stores_(stores) {
    for (size_t s = 0; s < stores.size(); ++s) views_[s] = At(s).View();
  }
  size_t Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const {
    return At(0).block_kernels().query_any(digests.data(), digests.size(), views_.data(),
                                           stores_.size(), maybe_present);
  }
  void FindOldest(std::span<const uint64_t> digests, uint8_t* oldest) const {
    At(0).block_kernels().find_oldest(digests.data(), digests.size(), views_.data(), stores_.size(),
                                      oldest);
  }

 private:
  const BlockStore& At(size_t s) const { return static_cast<const BlockStore&>(*stores_[s]); }

  Stores stores_;
  std::array<kernels::Blocks, kMaxListedStores> views_;
};

size_t QueryStretch(Stores stretch, std::span<const uint64_t> digests, uint64_t* maybe_present) {
  if (stretch.size() == 1) return stretch.front()->Query(digests, maybe_present);
  return Slices(stretch).Query(digests, maybe_present);
}

void FindOldestInStretch(Stores stretch, std::span<const uint64_t> digests, uint8_t* oldest) {
  if (!HasFingerprints(stretch.front()->geometry().encoding)) {
    return Slices(stretch).FindOldest(digests, oldest);
  }
  std::array<uint64_t, KeyStore::kBitmapWords> bits;
  for (size_t first = 0; first < digests.size(); first += kernels::kMaxChunkKeys) {
    const auto chunk =
        digests.subspan(first, std::min(kernels::kMaxChunkKeys, digests.size() - first));
    stretch.front()->Query(chunk, bits.data());
    for (size_t i = 0; i < chunk.size(); ++i) {
      oldest[first + i] = static_cast<uint8_t>(~bits[i / 64] >> (i % 64) & 1);
    }
  }
}

// Looks up in `stores`, of which the first is `first_idx` of all, the digests of a chunk that none
// before shows.
void FindMissed(Stores stores, size_t first_idx, std::span<const uint64_t> chunk, uint8_t* oldest) {
  std::array<uint64_t, kernels::kMaxChunkKeys> missed;
  std::array<uint16_t, kernels::kMaxChunkKeys> places;
  std::array<uint8_t, kernels::kMaxChunkKeys> found;
  size_t num_missed = 0;
  for (size_t i = 0; i < chunk.size(); ++i) {
    missed[num_missed] = chunk[i];
    places[num_missed] = static_cast<uint16_t>(i);
    num_missed += static_cast<size_t>(oldest[i] == first_idx);
  }
  if (num_missed == 0) return;
  FindOldestInStretch(stores, std::span(missed).first(num_missed), found.data());
  for (size_t k = 0; k < num_missed; ++k) {
    oldest[places[k]] = static_cast<uint8_t>(first_idx + found[k]);
  }
}

}  // namespace

size_t QueryAny(Stores stores, std::span<const uint64_t> digests, uint64_t* maybe_present) {
  CheckSize(stores.size());
  if (stores.empty()) {
    std::fill_n(maybe_present, (digests.size() + 63) / 64, 0);
    return 0;
  }
  Stores stretch = FirstStretch(stores);
  size_t num_present = QueryStretch(stretch, digests, maybe_present);
  std::array<uint64_t, KeyStore::kBitmapWords> bits;
  for (Stores rest = stores.subspan(stretch.size()); !rest.empty();
       rest = rest.subspan(stretch.size())) {
    stretch = FirstStretch(rest);
    num_present = 0;
    for (size_t first = 0; first < digests.size(); first += kernels::kMaxChunkKeys) {
      const auto chunk =
          digests.subspan(first, std::min(kernels::kMaxChunkKeys, digests.size() - first));
      QueryStretch(stretch, chunk, bits.data());
      for (size_t w = 0; w < (chunk.size() + 63) / 64; ++w) {
        maybe_present[first / 64 + w] |= bits[w];
        num_present += static_cast<size_t>(std::popcount(maybe_present[first / 64 + w]));
      }
    }
  }
  return num_present;
}

void FindOldest(Stores stores, std::span<const uint64_t> digests, uint8_t* oldest) {
  CheckSize(stores.size());
  if (stores.empty()) {
    std::fill_n(oldest, digests.size(), uint8_t{0});
    return;
  }
  Stores stretch = FirstStretch(stores);
  FindOldestInStretch(stretch, digests, oldest);
  for (size_t first_idx = stretch.size(); first_idx < stores.size(); first_idx += stretch.size()) {
    stretch = FirstStretch(stores.subspan(first_idx));
    for (size_t first = 0; first < digests.size(); first += kernels::kMaxChunkKeys) {
      const size_t size = std::min(kernels::kMaxChunkKeys, digests.size() - first);
      FindMissed(stretch, first_idx, digests.subspan(first, size), oldest + first);
    }
  }
}

}  // namespace trommel
