// Updates and queries, as far as kernels do them. What they leave: wide_store_update.cc.
#include "engine/src/fingerprints/wide_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"

namespace trommel {

using kernels::OneFate;

Result<std::unique_ptr<WideStore>> WideStore::Create(const Geometry& geometry,
                                                     uint64_t limit_bytes) {
  if (Status valid = Validate(geometry); !valid) return valid.error();
  if (Status fits = CheckMemoryLimit("the filter needs", geometry.num_bytes(), limit_bytes);
      !fits) {
    return fits.error();
  }
  std::unique_ptr<WideStore> store(new WideStore());
  store->geometry_ = geometry;
  Result<BlockMemory> blocks = BlockMemory::Allocate(geometry.num_blocks * kWords);
  if (!blocks) return blocks.error();
  store->blocks_ = *std::move(blocks);
  Result<BlockMemory> lines = BlockMemory::Allocate(store->num_groups() * kWords);
  if (!lines) return lines.error();
  store->lines_ = *std::move(lines);
  store->ranges_.resize(store->num_owned_ranges());
  (void)kernels::ActiveKernels();  // Kernels requires it
  store->view_ = {store->blocks_.data(), geometry.num_blocks, geometry.fingerprint_bits, nullptr};
  return store;
}

Status WideStore::ServeQueries(uint64_t limit_bytes) {
  const size_t num_versions = num_groups();
  const uint64_t version_bytes = num_versions * sizeof(uint64_t);
  if (Status fits =
          CheckMemoryLimit("the filter and the versions of its groups need",
                           geometry_.num_bytes() + side_limit_bytes_ + version_bytes, limit_bytes);
      !fits) {
    return fits;
  }
  try {
    versions_.assign(num_versions, 0);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "the system refused " + GroupedText(version_bytes) +
                                              " bytes of versions for queries beside writers"};
  }
  view_.versions = versions_.data();
  view_.num_versions = num_versions;
  return Ok();
}

void WideStore::StopServingQueries() {
  versions_ = {};
  view_.versions = nullptr;
  view_.num_versions = 0;
}

// --- Updates.

uint64_t WideStore::Apply(Update update, const uint64_t* digests, const kernels::DigestRange& range,
                          uint64_t* answers, uint64_t* refused) {
  uint64_t num_refused = 0;
  UpdateByKernels(
      Kernels(), view_, update, digests, range, answers, [](uint64_t) {},
      [this](uint64_t digest) { FetchLine(digest); },
      [&](size_t key_idx) {
        // By the whole way: an earlier key that the kernel left may have promoted the block,
        // returned it, or made space in it.
        const Fate fate = UpdateOne(update, digests[key_idx]);
        num_refused += NoteFate(fate, update, key_idx, answers, refused);
      });
  return num_refused;
}

Fate WideStore::FinishUpdate(Update update, uint64_t digest) {
  const Place place = PlaceOf(digest);
  const kernels::GroupChangeIfVersioned change(view_,
                                               kernels::VersionOf(digest, place.block_idx, view_));
  const bool was_undecided = IsUndecided(place.block_idx);
  const Fate fate =
      Counting(place.block_idx, [&] { return UpdatePromoted(update, place.block_idx, place.key); });
  const bool has_spilled = !was_undecided && IsUndecided(place.block_idx);
  if (has_spilled || update == Update::kErase) Settle(place.block_idx, has_spilled);
  return fate;
}

void WideStore::FetchAhead(std::span<const uint64_t> digests) const {
  for (const uint64_t digest : digests) __builtin_prefetch(BlockAt(PlaceOf(digest).block_idx));
}

// --- Queries.

size_t WideStore::Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const {
  std::array<uint32_t, kernels::kMaxChunkKeys> unsure;
  size_t num_present = 0;
  for (size_t first = 0; first < digests.size(); first += unsure.size()) {
    const auto chunk = digests.subspan(first, std::min(unsure.size(), digests.size() - first));
    uint64_t* bits = maybe_present + first / 64;
    const size_t num_unsure =
        Kernels().query(chunk.data(), chunk.size(), view_, bits, unsure.data());
    UseInSteps(
        num_unsure, [](size_t) {}, [&](size_t i) { FetchLine(chunk[unsure[i]]); },
        [&](size_t i) {
          const uint32_t key_idx = unsure[i];
          bits[key_idx / 64] |= uint64_t{FinishQuery(chunk[key_idx])} << (key_idx % 64);
        });
    for (size_t w = 0; w < (chunk.size() + 63) / 64; ++w) {
      num_present += static_cast<size_t>(std::popcount(bits[w]));
    }
  }
  return num_present;
}

bool WideStore::MayContain(uint64_t digest) const noexcept {
  const OneFate fate = Kernels().query_one(digest, &view_);
  if (fate != OneFate::kSpill) [[likely]]
    return fate == OneFate::kDone;
  return FinishQuery(digest);
}

bool WideStore::FinishQuery(uint64_t digest) const {
  const Place place = PlaceOf(digest);
  if (!has_versions()) return HoldsElsewhere(place.block_idx, place.key);
  // The whole query anew: the key may be anywhere now.
  const kernels::FingerprintKernels& kernels = kernels::ChosenKernels().wide_fingerprints;
  for (int i = 0; i < kMaxReads; ++i) {
    kernels::GroupReads<1> reads;
    reads.Add(0, view_, kernels::VersionOf(digest, place.block_idx, view_));
    reads.Begin(0, 1);
    const OneFate fate = kernels.query_one(digest, &view_);
    if (fate == OneFate::kDone) return true;
    if (fate == OneFate::kSpill && MayHoldElsewhere(place.block_idx, place.key)) return true;
    if (reads.Changed(0, 1) == 0) return false;
  }
  num_interrupted_queries_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

uint64_t WideStore::CountEstimate(uint64_t digest) const {
  const Place place = PlaceOf(digest);
  return CountOf(place.block_idx, place.key);
}

void WideStore::FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const {
  const auto place_of = [this](uint64_t digest) { return PlaceOf(digest); };
  ForEachHome(*this, digests, place_of, [&](std::span<const uint64_t> of_key) {
    NoteOfOneCounter(of_key, CountEstimate(of_key.front()), shortfalls);
  });
}

}  // namespace trommel
