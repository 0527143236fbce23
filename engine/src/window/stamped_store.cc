// Stamped stores: queries, blocks and groups. Single keys: stamped_store_update.cc; whole stores:
// stamped_store_whole.cc.
#include "engine/src/window/stamped_store.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/window/figures_of_change.h"
#include "kernels/group_versions.h"
#include "kernels/kernels.h"

namespace trommel {

using kernels::GroupChange;
using kernels::kFingerprintBlockWords;
using kernels::kGroupBlocks;
using kernels::OneFate;
using kernels::StampedGroup;
using kernels::StampedSlot;

namespace {

// So often a query reads a group that is changed meanwhile, before it answers "maybe present".
constexpr int kMostReads = 4;

}  // namespace

Result<StampedStore> StampedStore::Create(const Geometry& geometry, bool is_erasable,
                                          uint64_t limit_bytes) {
  if (Status valid = Validate(geometry); !valid) return valid.error();
  const uint64_t num_groups = (geometry.num_blocks + kGroupBlocks - 1) / kGroupBlocks;
  const uint64_t num_bytes = geometry.num_bytes() + num_groups * sizeof(StampedGroup);
  if (Status fits = CheckMemoryLimit("the window's blocks need", num_bytes, limit_bytes); !fits) {
    return fits.error();
  }
  StampedStore store;
  store.geometry_ = geometry;
  store.shape_ = geometry.fingerprint_bits == kernels::kStampedBits16 ? kernels::kStampedShape16
                                                                      : kernels::kStampedShape24;
  store.is_erasable_ = is_erasable;
  Result<BlockMemory> blocks = BlockMemory::Allocate(geometry.num_blocks * kFingerprintBlockWords);
  if (!blocks) return blocks.error();
  store.blocks_ = *std::move(blocks);
  Result<BlockMemory> lines = BlockMemory::Allocate(num_groups * kStampedLineWords);
  if (!lines) return lines.error();
  store.lines_ = *std::move(lines);
  store.groups_.resize(num_groups);
  store.groups_data_ = store.groups_.data();
  store.ranges_.assign(store.num_owned_ranges(), OwnedRange(store.shape_.fingerprint_bits));
  store.lock_bits_ = RangeLocks::LockBitsFor(store.owned_range_bits());
  store.versions_ = RangeVersions(store.lock_bits_);
  kernels::UseKernels<kernels::AddStamped>();
  (void)kernels::ActiveKernels();  // Kernels requires it
  return store;
}

StampedStore::StampedStore(StampedStore&& other) noexcept { *this = std::move(other); }

StampedStore& StampedStore::operator=(StampedStore&& other) noexcept {
  geometry_ = other.geometry_;
  shape_ = other.shape_;
  is_erasable_ = other.is_erasable_;
  lock_bits_ = other.lock_bits_;
  blocks_ = std::move(other.blocks_);
  lines_ = std::move(other.lines_);
  groups_ = std::move(other.groups_);
  groups_data_ = groups_.data();
  ranges_ = std::move(other.ranges_);
  versions_ = std::move(other.versions_);
  num_interrupted_queries_.store(other.num_interrupted_queries_.load(std::memory_order_relaxed),
                                 std::memory_order_relaxed);
  return *this;
}

// --- Queries.

size_t StampedStore::Query(uint64_t first_live, std::span<const uint64_t> digests,
                           uint64_t* maybe_present) const {
  const kernels::StampedBlocks view = View({0, first_live, 0});
  std::array<uint32_t, kernels::kMaxChunkKeys> unsure;
  size_t num_present = 0;
  for (size_t first = 0; first < digests.size(); first += unsure.size()) {
    const auto chunk = digests.subspan(first, std::min(unsure.size(), digests.size() - first));
    uint64_t* answers = maybe_present + first / 64;
    size_t num_unsure = 0;
    const bool is_read = chunk.size() >= RangeVersions::kLeastKeys && versions_.ReadAtOnce([&] {
      num_unsure =
          Kernels().query_at_once(chunk.data(), chunk.size(), view, answers, unsure.data());
    });
    if (!is_read) {
      num_unsure = Kernels().query(chunk.data(), chunk.size(), view, answers, unsure.data());
    }
    for (size_t u = 0; u < num_unsure; ++u) {
      __builtin_prefetch(lines_.data() +
                         PlaceOf(chunk[unsure[u]]).block_idx / kGroupBlocks * kStampedLineWords);
    }
    for (size_t u = 0; u < num_unsure; ++u) {
      const uint32_t i = unsure[u];
      const uint64_t is_held{HoldsBesideUpdates(first_live, chunk[i])};
      answers[i / 64] |= is_held << (i % 64);
    }
    num_present += CountBits(std::span(answers, (chunk.size() + 63) / 64));
  }
  return num_present;
}

bool StampedStore::MayContain(uint64_t first_live, uint64_t digest) const noexcept {
  const OneFate fate = Kernels().query_one(digest, View({0, first_live, 0}));
  if (fate == OneFate::kSpill) [[unlikely]]
    return HoldsBesideUpdates(first_live, digest);
  return fate == OneFate::kDone;
}

bool StampedStore::HoldsBesideUpdates(uint64_t first_live, uint64_t digest) const {
  const auto [block_idx, rest] = PlaceOf(digest);
  const uint32_t fingerprint = FingerprintOf(rest);
  const StampedGroup& group = GroupOf(block_idx);
  const StampedLine line = LineOf(block_idx);
  const kernels::StampedBlocks view = View({0, first_live, 0});
  for (int i = 0; i < kMostReads; ++i) {
    const uint64_t before = __atomic_load_n(&group.version, __ATOMIC_ACQUIRE);
    if (Kernels().query_one(digest, view) == OneFate::kDone) return true;
    const uint64_t live =
        kernels::StampAfter(first_live, kernels::LoadGroupWord(group.first_bucket));
    // Where all stamps are below it, nothing that the group holds is live.
    if (live <= shape_.max_stamp) {
      if ((line.spilled() & BitOf(block_idx)) != 0) return true;
      for (size_t e = 0; e < kStampedLineEntries; ++e) {
        const LineEntry entry = line.Load(e);
        if (entry.fingerprint == fingerprint && entry.home == block_idx % kGroupBlocks &&
            entry.stamp >= live) {
          return true;
        }
      }
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (kernels::LoadGroupWord(group.version) == before && before % 2 == 0) return false;
  }
  num_interrupted_queries_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

uint64_t StampedStore::CountEstimate(uint64_t first_live, uint64_t digest) const {
  const auto [block_idx, rest] = PlaceOf(digest);
  const uint32_t fingerprint = FingerprintOf(rest);
  const StampedGroup& group = GroupOf(block_idx);
  const std::optional<Shown> shown = FindShown(block_idx, fingerprint);
  const uint64_t live = kernels::StampAfter(first_live, group.first_bucket);
  const uint64_t is_shown{shown && shown->stamp >= live};
  if ((group.copied & BitOf(block_idx)) == 0) return is_shown;
  return is_shown + RangeOf(block_idx).side.NumCopies(block_idx, fingerprint, live);
}

void StampedStore::FindMissing(uint64_t bucket, std::span<const uint64_t> digests,
                               Shortfalls& shortfalls) const {
  const auto block_of = [this](uint64_t digest) { return PlaceOf(digest).block_idx; };
  ForEachHome(*this, digests, block_of, [&](std::span<const uint64_t> of_block) {
    StampedContents left = ReadContents(block_of(of_block.front()), bucket);
    ForEachDistinct(of_block, [&](uint64_t digest, uint64_t num_copies) {
      const uint32_t fingerprint = FingerprintOf(PlaceOf(digest).rest);
      const auto at = LowerBound(left, fingerprint, bucket);
      const bool is_in = IsAt(left, at, fingerprint, bucket);
      const uint64_t num_covered = is_in ? std::min(num_copies, at->count) : 0;
      if (is_in) at->count -= num_covered;
      shortfalls.Note(digest, num_copies, num_covered);
    });
  });
}

// --- Blocks.

StampedContents StampedStore::ReadContents(uint64_t block_idx, uint64_t first_kept) const {
  const StampedGroup& group = GroupOf(block_idx);
  const uint64_t kept = kernels::StampAfter(first_kept, group.first_bucket);
  StampedContents contents;
  const auto add = [&](uint32_t fingerprint, uint32_t stamp) {
    if (fingerprint == 0 || stamp < kept) return;
    contents.push_back({fingerprint, group.first_bucket + stamp, 1});
  };
  for (size_t i = 0; i < shape_.num_slots; ++i) {
    const StampedSlot slot = kernels::LoadSlot(shape_, BlockAt(block_idx), i);
    add(slot.fingerprint, slot.stamp);
  }
  if ((group.overflow & BitOf(block_idx)) != 0) {
    const StampedLine line = LineOf(block_idx);
    for (size_t e = 0; e < kStampedLineEntries; ++e) {
      const LineEntry entry = line.Load(e);
      if (entry.home == block_idx % kGroupBlocks) add(entry.fingerprint, entry.stamp);
    }
  }
  std::sort(contents.begin(), contents.end(), &ComesBefore);
  for (const BucketKey& copies : SideOf(block_idx)) {
    if (copies.bucket >= first_kept) AddCopies(contents, copies);
  }
  return contents;
}

StampedContents StampedStore::SideOf(uint64_t block_idx) const {
  const StampedGroup& group = GroupOf(block_idx);
  StampedContents copies;
  if ((group.copied & BitOf(block_idx)) == 0) return copies;
  RangeOf(block_idx).side.VisitEntries(block_idx, [&](const StampedCopies& entry) {
    copies.push_back({entry.fingerprint, group.first_bucket + entry.stamp, entry.count});
  });
  std::sort(copies.begin(), copies.end(), &ComesBefore);
  return copies;
}

void StampedStore::SetBit(uint64_t block_idx, bool is_set, uint64_t StampedGroup::*word) {
  uint64_t& bits = GroupOf(block_idx).*word;
  kernels::StoreGroupWord(is_set ? bits | BitOf(block_idx) : bits & ~BitOf(block_idx), bits);
}

void StampedStore::StoreContents(uint64_t block_idx, const StampedContents& contents,
                                 uint64_t first_kept) {
  const StampedGroup& group = GroupOf(block_idx);
  const uint64_t kept = kernels::StampAfter(first_kept, group.first_bucket);
  const auto home = static_cast<uint32_t>(block_idx % kGroupBlocks);
  StampedLine line = LineOf(block_idx);
  std::array<uint8_t, kStampedLineEntries> usable;  // entries of the line
  size_t num_usable = 0;
  for (size_t e = 0; e < kStampedLineEntries; ++e) {
    const LineEntry entry = line.Load(e);
    const bool is_ours = entry.fingerprint != 0 && entry.home == home;
    if (is_ours) line.Free(e);
    if (entry.fingerprint == 0 || is_ours || entry.stamp < kept) {
      usable[num_usable++] = static_cast<uint8_t>(e);
    }
  }
  size_t num_distinct = 0;
  for (size_t i = 0; i < contents.size(); ++i) {
    num_distinct +=
        static_cast<size_t>(i == 0 || contents[i].fingerprint != contents[i - 1].fingerprint);
  }
  const bool is_overflowing = num_distinct > shape_.num_slots;
  const bool is_spilled = num_distinct > shape_.num_slots + num_usable;

  SideCopies& side = RangeOf(block_idx).side;
  side.DropExpired(block_idx, SideCopies::kNumStamps);
  size_t slot_idx = 0;
  size_t num_in_line = 0;
  for (size_t i = 0; i < contents.size(); ++i) {
    BucketKey copies = contents[i];
    const bool is_youngest =
        i + 1 == contents.size() || contents[i + 1].fingerprint != copies.fingerprint;
    const auto stamp = static_cast<uint32_t>(copies.bucket - group.first_bucket);
    if (is_youngest && slot_idx < shape_.num_slots) {
      kernels::StoreSlot(shape_, {copies.fingerprint, stamp}, slot_idx++, BlockAt(block_idx));
      copies.count -= 1;
    } else if (is_youngest && is_overflowing && !is_spilled) {
      line.Store(usable[num_in_line++], {copies.fingerprint, home, stamp});
      copies.count -= 1;
    }
    if (copies.count > 0) (void)side.Add(block_idx, {copies.fingerprint, stamp, copies.count});
  }
  for (; slot_idx < shape_.num_slots; ++slot_idx) {
    kernels::StoreSlot(shape_, {}, slot_idx, BlockAt(block_idx));
  }
  line.set_spilled(is_spilled ? line.spilled() | BitOf(block_idx)
                              : line.spilled() & ~BitOf(block_idx));
  SetBit(block_idx, is_overflowing, &StampedGroup::overflow);
  SetBit(block_idx, side.Has(block_idx), &StampedGroup::copied);
}

// --- Groups.

uint64_t StampedStore::GroupEnd(uint64_t block_idx) const {
  return std::min((block_idx / kGroupBlocks + 1) * kGroupBlocks, geometry_.num_blocks);
}

void StampedStore::SweepGroup(uint64_t group_idx, uint64_t first_kept) {
  StampedGroup& group = groups_[group_idx];
  if (first_kept <= group.first_bucket) return;
  const uint64_t first = group_idx * kGroupBlocks;
  const uint64_t end = GroupEnd(first);
  const uint64_t shift = first_kept - group.first_bucket;
  OwnedRange& range = RangeOf(first);
  const GroupChange change(&group.version);
  const FiguresOfChange figures(*this, first);
  Kernels().sweep(BlockAt(first), end - first, shift);
  StampedLine line = LineOf(first);
  for (size_t e = 0; e < kStampedLineEntries; ++e) {
    const LineEntry entry = line.Load(e);
    if (entry.fingerprint == 0) continue;
    if (entry.stamp < shift) {
      line.Free(e);
    } else {
      line.Store(e, {entry.fingerprint, entry.home, entry.stamp - static_cast<uint32_t>(shift)});
    }
  }
  kernels::StoreGroupWord(first_kept, group.first_bucket);
  for (uint64_t b = first; b < end; ++b) {
    if ((group.copied & BitOf(b)) != 0) {
      range.side.DropExpired(b, shift, shift);
      SetBit(b, range.side.Has(b), &StampedGroup::copied);
    }
    if ((group.overflow & BitOf(b)) == 0) continue;
    ReturnFromLine(b, 0);
    Unspill(b, 0);
  }
  range.side.GiveBackSpare();
}

void StampedStore::SweepOneGroup(uint64_t group_idx, uint64_t first_kept) {
  const RangeVersions::Update change(versions_, group_idx / (num_groups() >> lock_bits()));
  SweepGroup(group_idx, first_kept);
}

// --- Figures.

StampedFigures StampedStore::Figures() const {
  StampedFigures figures;
  for (const OwnedRange& range : ranges_) {
    figures.num_overflowing += range.num_overflowing.Get();
    figures.num_undecided += range.num_undecided.Get();
    figures.side_table_bytes += range.side_table_bytes.Get();
    figures.num_refused_inserts += range.num_refused.Get();
  }
  figures.num_interrupted_queries = num_interrupted_queries_.load(std::memory_order_relaxed);
  return figures;
}

std::vector<uint64_t> StampedStore::BlocksWithSide() const {
  std::vector<uint64_t> blocks;
  for (const OwnedRange& range : ranges_) {
    const std::vector<uint64_t> of_range = range.side.SortedBlocks();
    blocks.insert(blocks.end(), of_range.begin(), of_range.end());
  }
  return blocks;
}

}  // namespace trommel
