#include "engine/src/column_map/pair_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "engine/src/base/inline_vector.h"
#include "engine/src/column_map/held_block.h"
#include "kernels/kernels.h"
#include "kernels/map_block.h"
#include "kernels/targets.h"

namespace trommel {

using kernels::kGroupBlocks;

namespace {

constexpr uint64_t kMostStripes = 64;
constexpr uint64_t kGroupsPerStripe = 4;  // at least: a stripe takes 2 KiB by itself
// Digests whose blocks an update fetches ahead.
constexpr size_t kPlacesAhead = 16;
constexpr size_t kQueryChunk = 256;
// Then "maybe present" for all columns.
constexpr int kAttempts = 16;

}  // namespace

Result<PairStore> PairStore::Create(const MapGeometry& geometry) {
  kernels::UseKernels<kernels::AddMap>();
  kernels::ActiveKernels();
  Result<BlockMemory> blocks = BlockMemory::Allocate(geometry.num_blocks * kernels::kMapBlockWords);
  if (!blocks) return blocks.error();
  // A version and a root per group.
  Result<BlockMemory> groups = BlockMemory::Allocate(geometry.num_blocks / kGroupBlocks * 4);
  if (!groups) return groups.error();
  return PairStore(geometry, *std::move(blocks), *std::move(groups));
}

PairStore::PairStore(const MapGeometry& geometry, BlockMemory blocks, BlockMemory groups)
    : geometry_(geometry),
      blocks_memory_(std::move(blocks)),
      groups_memory_(std::move(groups)),
      num_interrupted_(std::make_unique<std::atomic<uint64_t>>(0)) {
  const uint64_t num_groups = geometry.num_blocks / kGroupBlocks;
  auto* const words = reinterpret_cast<uint64_t*>(groups_memory_.data());
  blocks_ = {{.words = blocks_memory_.data(),
              .num_blocks = geometry.num_blocks,
              .fingerprint_bits = geometry.fingerprint_bits,
              .versions = words},
             geometry.slot_bits()};
  tables_ = words + num_groups;
  const uint64_t num_stripes =
      std::clamp<uint64_t>(std::bit_floor(num_groups / kGroupsPerStripe), 1, kMostStripes);
  for (size_t i = 0; i < num_stripes; ++i) {
    stripes_.push_back(std::make_unique<Stripe>(geometry.num_columns));
  }
}

template <class Apply>
void PairStore::ForEachHeld(std::span<const uint64_t> digests, const Apply& apply) const {
  if (digests.size() == 1) {
    const PairPlace place = PlaceOf(digests[0]);
    Stripe& stripe = StripeOf(place.block_idx);
    const std::lock_guard lock(stripe.mutex);
    return apply(place, stripe, size_t{0});
  }
  struct Sorted {
    uint64_t block_idx;
    uint32_t fingerprint;
    uint32_t digest_idx;
  };
  std::array<Sorted, kernels::kMaxChunkKeys> sorted;
  std::array<uint32_t, kMostStripes + 1> ends{};
  const auto stripe_of = [this](PairPlace place) {
    return place.block_idx / kGroupBlocks & (stripes_.size() - 1);
  };
  for (const uint64_t digest : digests) ++ends[stripe_of(PlaceOf(digest)) + 1];
  for (size_t s = 0; s < kMostStripes; ++s) ends[s + 1] += ends[s];
  std::array<uint32_t, kMostStripes> next;
  std::copy_n(ends.begin(), kMostStripes, next.begin());
  for (size_t i = 0; i < digests.size(); ++i) {
    const PairPlace place = PlaceOf(digests[i]);
    sorted[next[stripe_of(place)]++] = {place.block_idx, place.fingerprint,
                                        static_cast<uint32_t>(i)};
  }
  const auto fetch = [&](size_t i) {
    __builtin_prefetch(kernels::FingerprintBlockAt(blocks_.lines, sorted[i].block_idx), 1);
  };
  for (size_t i = 0; i < std::min(kPlacesAhead, digests.size()); ++i) fetch(i);
  for (size_t s = 0; s < stripes_.size(); ++s) {
    if (ends[s] == ends[s + 1]) continue;
    const std::lock_guard lock(stripes_[s]->mutex);
    for (size_t i = ends[s]; i < ends[s + 1]; ++i) {
      if (i + kPlacesAhead < digests.size()) fetch(i + kPlacesAhead);
      apply(PairPlace{sorted[i].block_idx, sorted[i].fingerprint}, *stripes_[s],
            size_t{sorted[i].digest_idx});
    }
  }
}

uint64_t PairStore::Insert(std::span<const uint64_t> digests, uint32_t column, uint64_t* refused) {
  uint64_t num_refused = 0;
  ForEachHeld(digests, [&](PairPlace place, Stripe& stripe, size_t i) {
    HeldBlock block(*this, stripe, place.block_idx);
    if (block.Insert(place.fingerprint, column, 1)) [[likely]]
      return;
    ++num_refused;
    stripe.num_refused.Set(stripe.num_refused.Get() + 1);
    if (refused != nullptr) refused[i / 64] |= uint64_t{1} << (i % 64);
  });
  return num_refused;
}

uint64_t PairStore::Erase(std::span<const uint64_t> digests, uint32_t column) noexcept {
  uint64_t num_erased = 0;
  ForEachHeld(digests, [&](PairPlace place, Stripe& stripe, size_t) {
    const bool is_erased =
        HeldBlock(*this, stripe, place.block_idx).Erase(place.fingerprint, column);
    num_erased += is_erased ? 1 : 0;
  });
  return num_erased;
}

bool PairStore::InsertCopies(PairPlace place, uint32_t column, uint64_t num_copies) {
  Stripe& stripe = StripeOf(place.block_idx);
  const std::lock_guard lock(stripe.mutex);
  return HeldBlock(*this, stripe, place.block_idx).Insert(place.fingerprint, column, num_copies);
}

void PairStore::EraseColumns(std::span<const uint64_t> columns) noexcept {
  InlineVector<PairKey, 64> pairs;
  // Notes pairs of a group, all of them unless there is no memory for more. Returns whether it is
  // all.
  const auto note_pairs = [&](uint64_t group) {
    pairs.clear();
    try {
      ForEachPairOf(group, [&](PairPlace place, uint32_t column) {
        if ((columns[column / 64] >> column % 64 & 1) == 0) return;
        pairs.push_back({place.block_idx, place.fingerprint, column});
      });
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  };
  for (uint64_t group = 0; group < geometry_.num_blocks / kGroupBlocks; ++group) {
    Stripe& stripe = StripeOf(group * kGroupBlocks);
    const std::lock_guard lock(stripe.mutex);
    for (bool is_all = false; !is_all;) {
      is_all = note_pairs(group);
      for (const PairKey& pair : pairs) {
        HeldBlock(*this, stripe, pair.block_idx).EraseWhole(pair.fingerprint, pair.column);
      }
    }
  }
}

// --- Queries.

bool PairStore::Collect(PairPlace place, uint32_t match, std::span<uint64_t> columns) const {
  const uint32_t* const block = kernels::FingerprintBlockAt(blocks_.lines, place.block_idx);
  bool is_elsewhere = match == kernels::kMapFlagsBit;
  for (uint32_t left = match & ~kernels::kMapFlagsBit; left != 0; left &= left - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t column = kernels::MapSlot(block, blocks_, i) & blocks_.mark();
    if (column == blocks_.mark()) {
      is_elsewhere = true;
    } else if (column / 64 < columns.size()) {
      columns[column / 64] |= uint64_t{1} << column % 64;
    }
  }
  if (!is_elsewhere) return true;
  const Stripe& stripe = StripeOf(place.block_idx);
  const auto home = static_cast<uint32_t>(place.block_idx % kGroupBlocks);
  MapEntry entry;
  switch (GroupTable::Lookup(stripe.sets.arena(), TableOf(place.block_idx),
                             home << 16 | place.fingerprint, entry)) {
    case GroupTable::Found::kNone:
      return true;
    case GroupTable::Found::kEntry:
      return stripe.sets.AddTo(entry, columns);
    default:
      return false;
  }
}

// After all that the query has read.
bool PairStore::HasVersion(uint64_t block_idx, uint64_t version) const {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  const uint64_t now =
      __atomic_load_n(blocks_.lines.versions + block_idx / kGroupBlocks, __ATOMIC_RELAXED);
  return now == version && (version & 1) == 0;
}

void PairStore::QueryOne(uint64_t digest, std::span<uint64_t> columns) const {
  const PairPlace place = PlaceOf(digest);
  const uint32_t* const block = kernels::FingerprintBlockAt(blocks_.lines, place.block_idx);
  const uint64_t* const version = blocks_.lines.versions + place.block_idx / kGroupBlocks;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::ranges::fill(columns, 0);
    const uint64_t before = __atomic_load_n(version, __ATOMIC_ACQUIRE);
    const uint32_t match = kernels::ChosenKernels().map.equal_slots(
        block, blocks_, blocks_.lane_of(place.fingerprint), blocks_.fingerprint_mask());
    const bool is_sure = Collect(place, match, columns);
    if (HasVersion(place.block_idx, before) && is_sure) return;
  }
  num_interrupted_->fetch_add(1, std::memory_order_relaxed);
  for (uint32_t c = 0; c < geometry_.num_columns; c += 64) {
    const uint32_t num_left = std::min(64U, geometry_.num_columns - c);
    columns[c / 64] = ~uint64_t{0} >> (64 - num_left);
  }
}

void PairStore::Query(std::span<const uint64_t> digests, size_t num_words,
                      uint64_t* columns) const {
  std::array<uint64_t, kQueryChunk> versions;
  std::array<uint32_t, kQueryChunk> matches;
  for (size_t first = 0; first < digests.size(); first += kQueryChunk) {
    const auto some = digests.subspan(first, std::min(kQueryChunk, digests.size() - first));
    kernels::ActiveKernels().map.match(some.data(), some.size(), blocks_, versions.data(),
                                       matches.data());
    for (size_t i = 0; i < some.size(); ++i) {
      const std::span<uint64_t> answer(columns + (first + i) * num_words, num_words);
      std::ranges::fill(answer, 0);
      const PairPlace place = PlaceOf(some[i]);
      const bool is_sure = matches[i] == 0 || Collect(place, matches[i], answer);
      if (HasVersion(place.block_idx, versions[i]) && is_sure) [[likely]]
        continue;
      QueryOne(some[i], answer);
    }
  }
}

MapStats PairStore::GetStats() const {
  MapStats stats;
  stats.num_slots = geometry_.num_blocks * geometry_.slots_per_block();
  stats.num_bytes =
      blocks_memory_.num_bytes() + groups_memory_.num_bytes() + stripes_.size() * sizeof(Stripe);
  stats.num_interrupted_queries = num_interrupted_->load(std::memory_order_relaxed);
  uint64_t num_marks = 0;
  for (const std::unique_ptr<Stripe>& stripe : stripes_) {
    num_marks += stripe->num_marks.Get();
    stats.num_slots_in_use += stripe->num_slots_in_use.Get();
    stats.num_hidden_places += stripe->num_hidden.Get();
    stats.num_pairs_elsewhere += stripe->num_pairs_elsewhere.Get();
    stats.num_bytes += stripe->sets.arena().num_bytes() + stripe->copies.num_bytes();
    stats.num_refused_inserts += stripe->num_refused.Get();
  }
  stats.num_places_elsewhere = num_marks + stats.num_hidden_places;
  // Beside writers the figures are of several moments, so that the marks may seem to be more.
  const uint64_t num_held = stats.num_slots_in_use + stats.num_pairs_elsewhere;
  stats.num_pairs = num_held - std::min(num_held, num_marks);
  stats.predicted_false_columns = geometry_.FalsePairs(stats.num_pairs);
  return stats;
}

}  // namespace trommel
