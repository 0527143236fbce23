#include "engine/src/fingerprints/dense_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"

namespace trommel {

using kernels::OneFate;

Result<std::unique_ptr<DenseStore>> DenseStore::Create(const Geometry& geometry,
                                                       uint64_t limit_bytes) {
  if (Status valid = Validate(geometry); !valid) return valid.error();
  if (Status fits = CheckMemoryLimit("the filter needs", geometry.num_bytes(), limit_bytes);
      !fits) {
    return fits.error();
  }
  std::unique_ptr<DenseStore> store(new DenseStore(geometry));
  Result<BlockMemory> blocks =
      BlockMemory::Allocate(geometry.num_blocks * kernels::kFingerprintBlockWords);
  if (!blocks) return blocks.error();
  store->blocks_ = *std::move(blocks);
  const uint64_t of_range = store->blocks_per_owned_range();
  store->ranges_.reserve(store->num_owned_ranges());
  for (size_t r = 0; r < store->num_owned_ranges(); ++r) {
    Result<DenseRange> range = DenseRange::Create(store->layout_, store->WordsOf(r), of_range,
                                                  DenseLines::LeastLines(of_range));
    if (!range) return range.error();
    store->ranges_.emplace_back(*std::move(range));
  }
  kernels::UseDenseKernels();
  (void)kernels::ActiveKernels();  // Kernels requires it
  store->view_ = {store->blocks_.data(), geometry.num_blocks, geometry.fingerprint_bits};
  return store;
}

// --- Updates.

uint64_t DenseStore::Apply(Update update, const uint64_t* digests,
                           const kernels::DigestRange& range, uint64_t* answers,
                           uint64_t* refused) {
  uint64_t num_refused = 0;
  const auto note = [&](size_t key_idx, Fate fate) {
    num_refused += NoteFate(fate, update, key_idx, answers, refused);
  };
  if (side_limit_bytes_ != 0) {
    for (size_t i = range.begin; i < range.end; ++i) note(i, UpdateOne(update, digests[i]));
    return num_refused;
  }
  if (range.begin == range.end) return 0;
  // Few lines and records stay in a core's second cache. One range is like another; this one is the
  // caller's.
  constexpr uint64_t kFewLines = 4'096;
  const DenseRange& some = ranges_[PlaceOf(digests[range.begin]).range_idx].range;
  const bool is_fetching = ranges_.size() * some.least_lines() > kFewLines ||
                           some.counts().num_records() > some.num_blocks() / 8;
  UpdateByKernels(
      Kernels(), view_, update, digests, range, answers,
      [&](uint64_t digest) {
        const Place place = PlaceOf(digest);
        if (is_fetching) ranges_[place.range_idx].range.PrefetchIndex(place.block_idx);
      },
      [&](uint64_t digest) {
        const Place place = PlaceOf(digest);
        if (is_fetching) ranges_[place.range_idx].range.Prefetch(place.block_idx, place.key);
      },
      [&](size_t key_idx) { note(key_idx, FinishUpdate(update, digests[key_idx])); });
  return num_refused;
}

Fate DenseStore::FinishUpdate(Update update, uint64_t digest) {
  const Place place = PlaceOf(digest);
  OwnedRange& owned = ranges_[place.range_idx];
  Fate fate = Fate::kUnchanged;
  if (update == Update::kErase) {
    if (owned.range.Erase(place.block_idx, place.key)) fate = Fate::kChanged;
  } else if (update == Update::kInsert || !owned.range.MayContain(place.block_idx, place.key)) {
    fate = owned.range.Insert(place.block_idx, place.key) ? Fate::kChanged : Fate::kRefused;
    if (fate == Fate::kRefused) {
      owned.num_refused_inserts.Set(owned.num_refused_inserts.Get() + 1);
    }
  }
  owned.Keep();
  return fate;
}

void DenseStore::FetchAhead(std::span<const uint64_t> digests) const {
  for (const uint64_t digest : digests) {
    __builtin_prefetch(kernels::FingerprintBlockAt(
        view_, kernels::FingerprintPlaceOf(digest, geometry_.num_blocks).block_idx));
  }
}

// --- Queries.

size_t DenseStore::Query(std::span<const uint64_t> digests, uint64_t* maybe_present) const {
  std::array<uint32_t, kernels::kMaxChunkKeys> unsure;
  size_t num_present = 0;
  for (size_t first = 0; first < digests.size(); first += unsure.size()) {
    const auto chunk = digests.subspan(first, std::min(unsure.size(), digests.size() - first));
    uint64_t* bits = maybe_present + first / 64;
    const size_t num_unsure =
        Kernels().query(chunk.data(), chunk.size(), view_, bits, unsure.data());
    const auto inside = EnterBesideUpdates();  // once for all of them
    UseInSteps(
        num_unsure,
        [&](size_t i) {
          const Place place = PlaceOf(chunk[unsure[i]]);
          ranges_[place.range_idx].range.PrefetchEntries(place.block_idx, place.key);
        },
        [](size_t) {},
        [&](size_t i) {
          const uint32_t key_idx = unsure[i];
          bits[key_idx / 64] |= uint64_t{MayContainInside(chunk[key_idx])} << (key_idx % 64);
        });
    for (size_t w = 0; w < (chunk.size() + 63) / 64; ++w) {
      num_present += static_cast<size_t>(std::popcount(bits[w]));
    }
  }
  return num_present;
}

bool DenseStore::MayContain(uint64_t digest) const noexcept {
  const OneFate fate = Kernels().query_one(digest, &view_);
  if (fate != OneFate::kSpill) [[likely]]
    return fate == OneFate::kDone;
  return FinishQuery(digest);
}

bool DenseStore::FinishQuery(uint64_t digest) const {
  const auto inside = EnterBesideUpdates();
  return MayContainInside(digest);
}

bool DenseStore::MayContainInside(uint64_t digest) const {
  if (has_versions()) return MayContainBesideUpdates(digest);
  const Place place = PlaceOf(digest);
  return ranges_[place.range_idx].range.MayContain(place.block_idx, place.key);
}

// The whole query anew: the key may be anywhere now.
bool DenseStore::MayContainBesideUpdates(uint64_t digest) const {
  const Place place = PlaceOf(digest);
  const DenseRange& range = ranges_[place.range_idx].range;
  const uint64_t* const version =
      view_.versions +
      kernels::VersionOf(digest, FirstBlockOf(place.range_idx) + place.block_idx, view_);
  for (int i = 0; i < kMaxReads; ++i) {
    kernels::GroupReads<1> reads;
    reads.Add(0, version);
    reads.Begin(0, 1);
    const OneFate fate = kernels::ChosenKernels().dense[shape_idx_].query_one(digest, &view_);
    if (fate == OneFate::kDone) return true;
    std::optional<bool> is_above = false;
    if (fate == OneFate::kSpill) {
      is_above = range.MayHoldAboveBesideUpdates(place.block_idx, place.key);
    }
    if (is_above.value_or(false)) return true;
    if (is_above && reads.Changed(0, 1) == 0) return false;
  }
  num_interrupted_queries_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

uint64_t DenseStore::CountEstimate(uint64_t digest) const {
  const Place place = PlaceOf(digest);
  return ranges_[place.range_idx].range.CountOf(place.block_idx, place.key);
}

void DenseStore::FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const {
  const auto key_of = [this](uint64_t digest) {
    const auto place = kernels::FingerprintPlaceOf(digest, geometry_.num_blocks);
    return std::pair(place.block_idx, layout_.KeyOf(place.rest));
  };
  ForEachHome(*this, digests, key_of, [&](std::span<const uint64_t> of_key) {
    NoteOfOneCounter(of_key, CountEstimate(of_key.front()), shortfalls);
  });
}

}  // namespace trommel
