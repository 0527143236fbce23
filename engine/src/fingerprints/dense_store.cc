#include "engine/src/fingerprints/dense_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/spilled_keys.h"

namespace trommel {

using kernels::OneFate;

namespace {

constexpr uint64_t kBlockBytes = kernels::kFingerprintBlockWords * sizeof(uint32_t);

}  // namespace

Result<std::unique_ptr<DenseStore>> DenseStore::Create(const Geometry& geometry,
                                                       const kernels::DenseShape& shape,
                                                       double lines_per_block,
                                                       uint64_t limit_bytes) {
  const auto num_lines =
      static_cast<uint64_t>(lines_per_block * static_cast<double>(geometry.num_blocks));
  if (Status fits = CheckMemoryLimit("the filter needs",
                                     (geometry.num_blocks + num_lines) * kBlockBytes, limit_bytes);
      !fits) {
    return fits.error();
  }
  std::unique_ptr<DenseStore> store(new DenseStore(geometry, {shape, geometry.fingerprint_bits}));
  store->shape_idx_ = static_cast<size_t>(std::ranges::find(kernels::kDenseShapes, shape) -
                                          std::begin(kernels::kDenseShapes));
  TROMMEL_CHECK(store->shape_idx_ < kernels::kNumDenseShapes, "no shape of dense blocks");
  store->lines_per_block_ = lines_per_block;
  Result<BlockMemory> blocks =
      BlockMemory::Allocate(geometry.num_blocks * kernels::kFingerprintBlockWords);
  if (!blocks) return blocks.error();
  store->blocks_ = *std::move(blocks);
  const uint64_t of_range = store->blocks_per_owned_range();
  const uint64_t least_lines =
      std::max(DenseLines::LeastLines(of_range),
               static_cast<uint64_t>(std::ceil(lines_per_block * static_cast<double>(of_range))));
  store->ranges_.reserve(store->num_owned_ranges());
  for (size_t r = 0; r < store->num_owned_ranges(); ++r) {
    Result<DenseRange> range =
        DenseRange::Create(store->layout_, store->WordsOf(r), of_range, least_lines);
    if (!range) return range.error();
    store->ranges_.emplace_back(*std::move(range));
  }
  kernels::UseKernels<kernels::AddDense>();
  (void)kernels::ActiveKernels();  // Kernels requires it
  store->view_ = {store->blocks_.data(), geometry.num_blocks, geometry.fingerprint_bits};
  return store;
}

// --- Updates.

uint64_t DenseStore::ApplyNoting(Update update, const uint64_t* digests,
                                 const kernels::DigestRange& range, uint64_t* answers,
                                 uint64_t* refused) {
  uint64_t num_refused = 0;
  const auto apply_one = [&](size_t key_idx, const auto& apply) {
    const RunningFigure& refusals =
        ranges_[PlaceOf(digests[key_idx]).range_idx].num_refused_inserts;
    const uint64_t num_before = refusals.Get();
    const uint64_t is_applied{apply(update, digests[key_idx])};
    if (update != Update::kInsert) answers[key_idx / 64] |= is_applied << (key_idx % 64);
    const uint64_t is_refused{refusals.Get() != num_before};
    if (refused != nullptr) refused[key_idx / 64] |= is_refused << (key_idx % 64);
    num_refused += is_refused;
  };
  if (update == Update::kInsertIfPresent || side_limit_bytes_ != 0) {
    for (size_t i = range.begin; i < range.end; ++i) {
      apply_one(i, [&](Update u, uint64_t digest) { return UpdateOne(u, digest); });
    }
    return num_refused;
  }
  if (range.begin == range.end) return 0;
  // Few lines and records stay in a core's second cache. One range is like another; this one is the
  // caller's.
  constexpr uint64_t kFewLines = 4'096;
  const DenseRange& some = ranges_[PlaceOf(digests[range.begin]).range_idx].range;
  const bool is_fetching = ranges_.size() * some.least_lines() > kFewLines ||
                           some.counts().num_records() > some.num_blocks() / 8;
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
    UseInSteps(
        progress.num_spilled,
        [&](size_t i) {
          if (is_fetching) FetchLines(digests[spilled[i]]);
        },
        [](size_t) {},
        [&](size_t i) {  // without a limit, nothing is refused
          const uint32_t key_idx = spilled[i];
          const uint64_t is_changed{FinishUpdate(update, digests[key_idx], OneFate::kSpill)};
          if (update != Update::kInsert) answers[key_idx / 64] |= is_changed << (key_idx % 64);
        });
    begin = progress.end;
    fetched = begin + kernels::kUpdateDistance;
  }
  return num_refused;
}

bool DenseStore::FinishUpdate(Update update, uint64_t digest, OneFate /*fate*/) {
  const Place place = PlaceOf(digest);
  OwnedRange& owned = ranges_[place.range_idx];
  bool is_changed = false;
  if (update == Update::kErase) {
    is_changed = owned.range.Erase(place.block_idx, place.key);
  } else if (update == Update::kInsert || !owned.range.MayContain(place.block_idx, place.key)) {
    is_changed = owned.range.Insert(place.block_idx, place.key);
    if (!is_changed) owned.num_refused_inserts.Set(owned.num_refused_inserts.Get() + 1);
  }
  owned.Keep();
  return is_changed;
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
