// A growing shard's keys. What their updates lead to: growing_shard_steps.cc. Whole contents:
// growing_shard_contents.cc.
#include "engine/src/growing/growing_shard.h"

#include <algorithm>
#include <array>

#include "engine/src/growing/growing_store.h"
#include "kernels/targets.h"

namespace trommel {

using kernels::WholeString;

GrowingShard::RangeSums GrowingShard::RangeSums::Of(const DenseRange& range) {
  return {.marked = range.num_marked(),
          .undecided_bins = range.num_undecided_bins(),
          .side_bytes = range.side_bytes(),
          .copies = range.counts().num_copies()};
}

GrowingShard::RangeSums& GrowingShard::RangeSums::operator+=(const RangeSums& other) {
  marked += other.marked;
  undecided_bins += other.undecided_bins;
  side_bytes += other.side_bytes;
  copies += other.copies;
  return *this;
}

GrowingShard::RangeSums& GrowingShard::RangeSums::operator-=(const RangeSums& other) {
  marked -= other.marked;
  undecided_bins -= other.undecided_bins;
  side_bytes -= other.side_bytes;
  copies -= other.copies;
  return *this;
}

GrowingShard::GrowingShard(size_t shard_idx, const GrowthLadder& ladder, const GrowthLimits& limits,
                           GrowingMemory& memory, GrowingDirectory& directory)
    : shard_idx_(shard_idx),
      ladder_(ladder),
      limits_(limits),
      memory_(memory),
      directory_(directory) {}

GrowingShard::~GrowingShard() {
  Free(segments_);
  memory_.Free(table_.memory(), table_.num_bytes());
}

void GrowingShard::SetFigures() {
  figures_.num_entries.Set(num_entries_);
  figures_.num_marked.Set(sums_.marked);
  figures_.undecided_bins.Set(sums_.undecided_bins);
  figures_.side_bytes.Set(sums_.side_bytes + copies_.num_bytes());
  figures_.num_bytes.Set(segment_bytes_ + table_.num_bytes());
}

void GrowingShard::NoteRefusedStep() {
  figures_.num_refused_growths.Set(figures_.num_refused_growths.Get() + 1);
}

void GrowingShard::RefuseInsert(bool by_side) {
  const uint64_t num_refused = figures_.num_refused_inserts.Get() + 1;
  figures_.num_refused_inserts.Set(num_refused);
  if (by_side) figures_.num_refused_by_side.Set(figures_.num_refused_by_side.Get() + 1);
  if (!by_side && NextBytes() == 0) {
    figures_.num_refused_by_size.Set(figures_.num_refused_by_size.Get() + 1);
  }
  // A full shard has no more entries later: growth is tried again some refused keys later. To try
  // may cost as much as to read a segment, or a look at all blocks.
  const uint64_t retry = std::max<uint64_t>(kRefusedUntilRetry, figures_.num_blocks.Get());
  if (is_full() && num_refused % retry == 0) grow_at_ = num_entries_;
}

GrowingShard::Place GrowingShard::PlaceOf(uint64_t digest) const {
  const Segment& segment = segments_[SegmentIdx(ValueOf(digest))];
  const auto [block_idx, key] = segment.PlaceOfDigest(digest, value_bits());
  return {&segment.range(), block_idx, key};
}

// --- Batches.

uint64_t GrowingShard::KeysUntilStep(Update update) const {
  if (update == Update::kErase) {
    const auto num_entries = static_cast<int64_t>(num_entries_);
    return num_entries > fold_at_ ? static_cast<uint64_t>(num_entries - fold_at_) : 0;
  }
  const uint64_t least = std::min(grow_at_, full_at_);
  return least > num_entries_ ? least - num_entries_ : 0;
}

uint64_t GrowingShard::Apply(Update update, const uint64_t* digests,
                             const kernels::DigestRange& range, uint64_t* answers,
                             uint64_t* refused) {
  uint64_t num_refused = 0;
  size_t fetched = range.fetched;
  for (size_t begin = range.begin; begin < range.end;) {
    memory_.Poll();
    // With a limit of side memory one by one, so that refusals do not depend on how batches are
    // cut.
    const bool is_by_kernel = !keeps_digests() && limits_.side_bytes == 0;
    const uint64_t num_keys = is_by_kernel ? std::min(KeysUntilStep(update), range.end - begin) : 0;
    if (num_keys > 0) {
      const size_t end = begin + std::min(num_keys, uint64_t{kernels::kMaxChunkKeys});
      const kernels::DigestRange keys{begin, end, fetched, range.fetch_end};
      num_refused += ApplyChunk(update, digests, keys, answers, refused);
      fetched = begin + kernels::kUpdateDistance;
      begin = end;
    } else {
      const Fate fate = keeps_digests() ? UpdateDigest(update, digests[begin])
                                        : UpdateInBlock(update, digests[begin]);
      num_refused += NoteFate(fate, update, begin, answers, refused);
      begin += 1;
    }
    Step();
  }
  SetFigures();
  return num_refused;
}

uint64_t GrowingShard::ApplyChunk(Update update, const uint64_t* digests,
                                  const kernels::DigestRange& range, uint64_t* answers,
                                  uint64_t* refused) {
  const kernels::GrowingKernels& kernels = kernels::ChosenKernels().growing;
  const auto kernel = update == Update::kErase    ? kernels.erase
                      : update == Update::kInsert ? kernels.insert
                                                  : kernels.insert_if_absent;
  std::array<uint32_t, kernels::kMaxChunkKeys> spilled;
  const auto [num_changed, num_spilled] = [&] {
    // It looks ahead to digests of other shards, which may replace the directory.
    const GracePeriods::Reader reader = memory_.Enter();
    return kernel(digests, range, directory_.blocks(), answers, spilled.data());
  }();
  num_entries_ += update == Update::kErase ? 0 - num_changed : num_changed;
  uint64_t num_refused = 0;
  UseInSteps(
      num_spilled, [](size_t) {},
      [&](size_t i) {
        const Place place = PlaceOf(digests[spilled[i]]);
        place.range->PrefetchIndex(place.block_idx);
        place.range->Prefetch(place.block_idx, place.key);
      },
      [&](size_t i) {
        const Fate fate = UpdateBeyondBlock(update, digests[spilled[i]]);
        num_refused += NoteFate(fate, update, spilled[i], answers, refused);
      });
  return num_refused;
}

Fate GrowingShard::UpdateOne(Update update, uint64_t digest) {
  memory_.Poll();
  const Fate fate = keeps_digests() ? UpdateDigest(update, digest) : UpdateInBlock(update, digest);
  Step();
  SetFigures();
  return fate;
}

// --- Digests.

Fate GrowingShard::UpdateDigest(Update update, uint64_t digest) {
  const uint64_t string = WholeString(kernels::BitsInShard(digest));
  if (update == Update::kErase) return EraseDigest(string) ? Fate::kChanged : Fate::kUnchanged;
  const auto refuse = [this](bool by_side) {
    RefuseInsert(by_side);
    return Fate::kRefused;
  };
  if (table_.Has(string)) {
    if (update == Update::kInsertIfAbsent) return Fate::kUnchanged;
    return copies_.Add(string, 1) ? Fate::kChanged : refuse(true);
  }
  if (is_full()) return refuse(false);
  const uint64_t num_after = num_entries_ + 1;
  if (num_after > DigestTable::MostStrings(table_.num_lines()) &&
      !ResizeTable(DigestTable::LinesFor(num_after))) {
    // Up to its last words, so that an insertion is not refused for nothing.
    if (num_after >= table_.num_lines() * DigestTable::kLineWords) {
      // Blocks may take less.
      if (figures_.num_refused_inserts.Get() % kRefusedUntilRetry == 0) {
        if (BecomeBlocks()) {
          FollowState();
          return UpdateInBlock(update, digest);
        }
        NoteRefusedStep();
      }
      return refuse(false);
    }
  }
  table_.Insert(string);
  num_entries_ = num_after;
  return Fate::kChanged;
}

bool GrowingShard::EraseDigest(uint64_t string) {
  if (copies_.TakeOne(string)) return true;
  if (!table_.Has(string)) return false;
  table_.Erase(string);
  num_entries_ -= 1;
  if (num_entries_ == 0) {
    directory_.PublishDigests(shard_idx_, DigestTable());
    memory_.Retire(table_.memory(), table_.num_bytes());
    table_ = DigestTable();
  } else if (num_entries_ < DigestTable::LeastStrings(table_.num_lines())) {
    (void)ResizeTable(DigestTable::LinesFor(num_entries_));
  }
  return true;
}

// --- Values.

// By the block alone, if it can tell.
Fate GrowingShard::UpdateInBlock(Update update, uint64_t digest) noexcept {
  if (update != Update::kErase && is_full()) return UpdateBeyondBlock(update, digest);
  const Segment& segment = segments_[SegmentIdx(ValueOf(digest))];
  const kernels::VersionedPlace place =
      kernels::PlaceInSegment(digest, segment.word(), value_bits());
  const kernels::DenseCutKernels& kernels = kernels::ChosenKernels().dense_cuts[place.shape_idx];
  const auto kernel = update == Update::kErase    ? kernels.erase
                      : update == Update::kInsert ? kernels.insert
                                                  : kernels.insert_if_absent;
  kernels::OneFate fate;
  {
    const kernels::GroupChange change(place.version);
    fate = kernel(place.bin, place.remainder, place.block);
  }
  if (fate == kernels::OneFate::kSpill) return UpdateBeyondBlock(update, digest);
  if (fate == kernels::OneFate::kUnchanged) return Fate::kUnchanged;
  num_entries_ += update == Update::kErase ? ~uint64_t{0} : 1;
  return Fate::kChanged;
}

// As in any dense blocks without a limit, it ends the program where the system refuses memory for
// what blocks cannot keep.
Fate GrowingShard::UpdateBeyondBlock(Update update, uint64_t digest) noexcept {
  const auto [range, block_idx, key] = PlaceOf(digest);
  const RangeSums before = RangeSums::Of(*range);
  Fate fate = Fate::kUnchanged;
  if (update == Update::kErase) {
    if (range->Erase(block_idx, key)) fate = Fate::kChanged;
  } else {
    // A key that is in needs no space where its copies are counted.
    const bool is_in =
        (update != Update::kInsert || is_full()) && range->MayContain(block_idx, key);
    if (update != Update::kInsert && is_in == (update == Update::kInsertIfAbsent)) return fate;
    if (is_full() && !is_in) {
      RefuseInsert(false);
      return Fate::kRefused;
    }
    fate = range->Insert(block_idx, key) ? Fate::kChanged : Fate::kRefused;
    if (fate == Fate::kRefused) RefuseInsert(true);
  }
  const RangeSums after = RangeSums::Of(*range);
  sums_ -= before;
  sums_ += after;
  num_entries_ -= after.copies - before.copies;
  if (fate == Fate::kChanged) num_entries_ += update == Update::kErase ? ~uint64_t{0} : 1;
  return fate;
}

// Digests with one value share its count, and stand together among ascending ones.
void GrowingShard::FindMissing(const GrowingStore& store, std::span<const uint64_t> digests,
                               Shortfalls& shortfalls) const {
  const auto counter_of = [this](uint64_t digest) {
    return keeps_digests() ? digest : ValueOf(digest);
  };
  ForEachHome(store, digests, counter_of, [&](std::span<const uint64_t> of_counter) {
    NoteOfOneCounter(of_counter, CountEstimate(of_counter.front()), shortfalls);
  });
}

uint64_t GrowingShard::CountEstimate(uint64_t digest) const {
  if (keeps_digests()) {
    const uint64_t string = WholeString(kernels::BitsInShard(digest));
    return uint64_t{table_.Has(string)} + copies_.CopiesOf(string);
  }
  const Place place = PlaceOf(digest);
  return place.range->CountOf(place.block_idx, place.key);
}

}  // namespace trommel
