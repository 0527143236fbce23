// Updates and queries of fingerprint stores. Whole stores: fingerprint_store_combine.cc.
#include "engine/src/fingerprints/fingerprint_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <utility>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/spilled_keys.h"
#include "engine/src/fingerprints/narrow_store.h"
#include "engine/src/fingerprints/wide_store.h"
#include "kernels/group_versions.h"

namespace trommel {

using kernels::FingerprintPlace;
using kernels::OneFate;

Result<std::unique_ptr<FingerprintStore>> FingerprintStore::Create(const Geometry& geometry,
                                                                   uint64_t limit_bytes) {
  if (Status valid = Validate(geometry); !valid) return valid.error();
  if (Status fits = CheckMemoryLimit("the filter needs", geometry.num_bytes(), limit_bytes);
      !fits) {
    return fits.error();
  }
  std::unique_ptr<FingerprintStore> store;
  const bool is_wide = geometry.encoding == Encoding::kFingerprints16;
  if (is_wide) {
    store = std::make_unique<WideStore>();
  } else {
    store = std::make_unique<NarrowStore>();
  }
  store->geometry_ = geometry;
  Result<BlockMemory> blocks =
      BlockMemory::Allocate(geometry.num_blocks * kernels::kFingerprintBlockWords);
  if (!blocks) return blocks.error();
  store->blocks_ = *std::move(blocks);
  if (is_wide) {
    Result<BlockMemory> lines =
        BlockMemory::Allocate(store->num_groups() * kernels::kFingerprintBlockWords);
    if (!lines) return lines.error();
    store->lines_ = *std::move(lines);
  }
  store->ranges_.resize(store->num_owned_ranges());
  (void)kernels::ActiveKernels();  // Kernels requires it
  store->view_ = {store->blocks_.data(), geometry.num_blocks, geometry.fingerprint_bits, nullptr};
  store->ChooseKernels();
  return store;
}

void FingerprintStore::ChooseKernels() {
  using kernels::KernelTable;
  const bool is_wide = geometry_.encoding == Encoding::kFingerprints16;
  unversioned_kernels_ =
      is_wide ? &KernelTable::wide_fingerprints : &KernelTable::narrow_fingerprints;
  const KernelsMember versioned = is_wide ? &KernelTable::versioned_wide_fingerprints
                                          : &KernelTable::versioned_narrow_fingerprints;
  kernels_ = has_versions() ? versioned : unversioned_kernels_;
}

Status FingerprintStore::ServeQueries(uint64_t limit_bytes) {
  const bool has_whole_groups = geometry_.encoding == Encoding::kFingerprints16;
  const size_t num_versions = num_groups() + (has_whole_groups ? 0 : num_owned_ranges() - 1);
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
  view_.range_bits = has_whole_groups ? 0 : owned_range_bits();
  ChooseKernels();
  return Ok();
}

void FingerprintStore::StopServingQueries() {
  versions_ = {};
  view_.versions = nullptr;
  view_.num_versions = 0;
  ChooseKernels();
}

// --- Updates.

uint64_t FingerprintStore::ApplyNoting(Update update, const uint64_t* digests,
                                       const kernels::DigestRange& range, uint64_t* answers,
                                       uint64_t* refused) {
  uint64_t num_refused = 0;
  // One key, by the whole way.
  const auto apply_one = [&](size_t key_idx) {
    const OwnedRange& owned = RangeOf(PlaceOf(digests[key_idx]).block_idx);
    const uint64_t num_refused_before = owned.num_refused_inserts.Get();
    const uint64_t is_applied{UpdateOne(update, digests[key_idx])};
    if (update != Update::kInsert) answers[key_idx / 64] |= is_applied << (key_idx % 64);
    const uint64_t is_refused{owned.num_refused_inserts.Get() != num_refused_before};
    if (refused != nullptr) refused[key_idx / 64] |= is_refused << (key_idx % 64);
    num_refused += is_refused;
  };
  if (update == Update::kInsertIfPresent) {
    for (size_t i = range.begin; i < range.end; ++i) apply_one(i);
    return num_refused;
  }
  std::array<uint32_t, kernels::kMaxChunkKeys> spilled;
  const size_t fetch_end = std::max(range.end, range.fetch_end);
  size_t fetched = range.fetched;
  for (size_t begin = range.begin; begin < range.end;) {
    const size_t end = std::min(range.end, begin + kernels::kMaxChunkKeys);
    const kernels::DigestRange keys{begin, end, fetched, fetch_end};
    const kernels::FingerprintKernels& kernels = Kernels();
    kernels::UpdateProgress progress;
    if (update == Update::kInsert) {
      progress = kernels.insert(digests, keys, view_, spilled.data());
    } else {
      const auto kernel = update == Update::kErase ? kernels.erase : kernels.insert_if_absent;
      progress = kernel(digests, keys, view_, answers, spilled.data());
    }
    const auto block_of = [&](size_t i) { return PlaceOf(digests[spilled[i]]).block_idx; };
    // By the whole way: an earlier key of this list may have returned the block.
    UseInSteps(
        progress.num_spilled, [&](size_t i) { FetchIndex(block_of(i)); },
        [&](size_t i) { FetchElsewhere(block_of(i)); }, [&](size_t i) { apply_one(spilled[i]); });
    begin = progress.end;
    fetched = begin + kernels::kUpdateDistance;
    if (begin < end) {
      // A spilled key of the list may have promoted the block, or made space in it.
      apply_one(begin);
      begin += 1;
    }
  }
  return num_refused;
}

bool FingerprintStore::WriteContents(uint64_t block_idx, const BlockContents& contents) {
  const bool is_stored = Counting(block_idx, [&] { return StoreContents(block_idx, contents); });
  Settle(block_idx, true);
  return is_stored;
}

bool FingerprintStore::FinishUpdate(Update update, uint64_t digest, OneFate fate) {
  const FingerprintPlace place = PlaceOf(digest);
  const uint32_t key = KeyOf(place.rest);
  const auto update_block = [&] {
    const uint64_t num_undecided = NumUndecided(place.block_idx);
    const bool is_changed = Counting(place.block_idx, [&] {
      // If the key of a full block must be absent, it is: the block shows all its keys.
      return fate == OneFate::kStop ? InsertFull(place.block_idx, key)
                                    : UpdatePromoted(update, place.block_idx, key);
    });
    const bool has_spilled = NumUndecided(place.block_idx) > num_undecided;
    if (has_spilled || update == Update::kErase) Settle(place.block_idx, has_spilled);
    return is_changed;
  };
  if (!has_versions()) return update_block();
  const kernels::GroupChange change(view_, kernels::VersionOf(digest, place.block_idx, view_));
  return update_block();
}

bool FingerprintStore::InsertFull(uint64_t block_idx, uint32_t key) {
  if (side_limit_bytes_ == 0) {
    Promote(block_idx);
    return InsertPromoted(block_idx, key);
  }
  if (InsertWhole(block_idx, key)) return true;
  CountRefusal(block_idx);
  return false;
}

bool FingerprintStore::UpdatePromoted(Update update, uint64_t block_idx, uint32_t key) {
  if (update == Update::kErase) return ErasePromoted(block_idx, key);
  // The kernel spills no key that the block shows.
  if (update == Update::kInsertIfAbsent && HoldsElsewhere(block_idx, key)) return false;
  if (InsertPromoted(block_idx, key)) return true;
  CountRefusal(block_idx);
  return false;
}

void FingerprintStore::CountRefusal(uint64_t block_idx) {
  RunningFigure& num_refused = RangeOf(block_idx).num_refused_inserts;
  num_refused.Set(num_refused.Get() + 1);
}

void FingerprintStore::FetchAhead(std::span<const uint64_t> digests) const {
  for (const uint64_t digest : digests) __builtin_prefetch(BlockAt(PlaceOf(digest).block_idx));
}

// --- Queries.

size_t FingerprintStore::Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const {
  std::array<uint32_t, kernels::kMaxChunkKeys> unsure;
  size_t num_present = 0;
  for (size_t first = 0; first < digests.size(); first += unsure.size()) {
    const auto chunk = digests.subspan(first, std::min(unsure.size(), digests.size() - first));
    uint64_t* bits = maybe_present + first / 64;
    const size_t num_unsure =
        Kernels().query(chunk.data(), chunk.size(), view_, bits, unsure.data());
    const auto block_of = [&](size_t i) { return PlaceOf(chunk[unsure[i]]).block_idx; };
    const auto find = [&](size_t i) {
      if (has_versions()) {
        FetchLine(block_of(i));
      } else {
        FetchIndex(block_of(i));
      }
    };
    const auto fetch = [&](size_t i) {
      if (!has_versions()) FetchElsewhere(block_of(i));
    };
    UseInSteps(num_unsure, find, fetch, [&](size_t i) {
      const uint32_t key_idx = unsure[i];
      bits[key_idx / 64] |= uint64_t{FinishQuery(chunk[key_idx])} << (key_idx % 64);
    });
    for (size_t w = 0; w < (chunk.size() + 63) / 64; ++w) {
      num_present += static_cast<size_t>(std::popcount(bits[w]));
    }
  }
  return num_present;
}

bool FingerprintStore::MayContain(uint64_t digest) const noexcept {
  const OneFate fate = Kernels().query_one(digest, &view_);
  if (fate != OneFate::kSpill) [[likely]]
    return fate == OneFate::kDone;
  return FinishQuery(digest);
}

bool FingerprintStore::FinishQuery(uint64_t digest) const {
  if (has_versions()) return HoldsDigestBesideUpdates(digest);
  const FingerprintPlace place = PlaceOf(digest);
  return HoldsElsewhere(place.block_idx, KeyOf(place.rest));
}

// The whole query anew: the key may be anywhere now.
bool FingerprintStore::HoldsDigestBesideUpdates(uint64_t digest) const {
  const kernels::FingerprintKernels& kernels = kernels::ChosenKernels().*unversioned_kernels_;
  const FingerprintPlace place = PlaceOf(digest);
  for (int i = 0; i < kMaxReads; ++i) {
    kernels::GroupReads<1> reads;
    reads.Add(0, view_, kernels::VersionOf(digest, place.block_idx, view_));
    reads.Begin(0, 1);
    const OneFate fate = kernels.query_one(digest, &view_);
    if (fate == OneFate::kDone) return true;
    if (fate == OneFate::kSpill && MayHoldElsewhere(place.block_idx, KeyOf(place.rest))) {
      return true;
    }
    if (reads.Changed(0, 1) == 0) return false;
  }
  num_interrupted_queries_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

uint64_t FingerprintStore::CountEstimate(uint64_t digest) const {
  const FingerprintPlace place = PlaceOf(digest);
  return CountOf(place.block_idx, KeyOf(place.rest));
}

void FingerprintStore::FindMissing(std::span<const uint64_t> digests,
                                   Shortfalls& shortfalls) const {
  const auto key_of = [this](uint64_t digest) {
    const FingerprintPlace place = PlaceOf(digest);
    return std::pair(place.block_idx, KeyOf(place.rest));
  };
  ForEachHome(*this, digests, key_of, [&](std::span<const uint64_t> of_key) {
    NoteOfOneCounter(of_key, CountEstimate(of_key.front()), shortfalls);
  });
}

}  // namespace trommel
