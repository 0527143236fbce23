// Updates of a growing shard. Its steps: growing_shard_steps.cc; whole contents:
// growing_shard_contents.cc.
#include "engine/src/growing/growing_shard.h"

#include <algorithm>
#include <new>

#include "kernels/targets.h"

namespace trommel {

using kernels::OneFate;

GrowingShard::GrowingShard(size_t shard_idx, const GrowthLimits& limits, GrowingMemory& memory,
                           GrowingDirectory& directory)
    : shard_idx_(shard_idx), limits_(limits), memory_(memory), directory_(directory) {}

GrowingShard::~GrowingShard() {
  Free(segments_);
  memory_.Free(table_.memory(), table_.num_bytes());
}

GrowingShard::Place GrowingShard::PlaceOf(uint64_t y) const {
  const Segment segment = SegmentOf(y);
  return {segment, segment.IndexOf(y), PrefixOf(y, segment.depth()),
          kernels::GrowingKey(y, segment.depth())};
}

void GrowingShard::SetFigures() {
  figures_.num_entries.Set(num_entries_);
  figures_.num_marked.Set(strings_.num_marked());
  figures_.num_undecided.Set(strings_.num_undecided());
  const size_t max_nodes = side_nodes_.max_nodes();
  figures_.side_bytes.Set((max_nodes != 0 ? max_nodes : strings_.side_entries()) *
                          SideNodes::kNodeBytes);
}

bool GrowingShard::LimitSide(size_t max_nodes) noexcept {
  if (max_nodes == 0) {
    side_nodes_.LiftLimit();
  } else if (!side_nodes_.LimitTo(max_nodes, strings_.side_entries())) {
    return false;
  }
  SetFigures();
  return true;
}

bool GrowingShard::NoSideMemory() {
  figures_.num_refused_by_side.Set(figures_.num_refused_by_side.Get() + 1);
  return false;
}

uint64_t GrowingShard::Apply(Update update, const uint64_t* digests,
                             const kernels::DigestRange& range, uint64_t* answers,
                             uint64_t* refused) {
  memory_.Poll();
  const kernels::GrowingKernels& kernels = kernels::ChosenKernels().growing;
  const auto kernel = update == Update::kInsert           ? kernels.insert
                      : update == Update::kInsertIfAbsent ? kernels.insert_if_absent
                                                          : kernels.erase;
  const bool is_erase = update == Update::kErase;
  // Other shards may replace the directory.
  const GracePeriods::Reader reader = memory_.Enter();
  const size_t fetch_end = std::max(range.end, range.fetch_end);
  size_t fetched = range.fetched;
  uint64_t num_refused = 0;
  for (size_t begin = range.begin; begin < range.end;) {
    // So many keys bring no step nearer than the next one's.
    const uint64_t room =
        is_erase ? (fold_at_ == kNever ? range.end : num_entries_ - static_cast<uint64_t>(fold_at_))
                 : std::min(grow_at_, std::max(full_at_, num_entries_)) - num_entries_;
    if (!keeps_digests() && update != Update::kInsertIfPresent && room > 0) {
      const size_t end = std::min<uint64_t>(range.end, begin + room);
      const kernels::GrowingProgress progress =
          kernel(digests, {begin, end, fetched, fetch_end}, directory_.blocks(), answers);
      num_entries_ += is_erase ? 0 - uint64_t{progress.num_changed} : progress.num_changed;
      fetched = std::max(fetched, progress.end + kernels::kUpdateDistance);
      begin = progress.end;
      if (begin == end) {
        Step();
        continue;
      }
    }
    const uint64_t y = kernels::BitsInShard(digests[begin]);
    const Fate fate =
        keeps_digests() ? UpdateDigest(update, WholeString(y)) : UpdateSlowly(update, y);
    Step();
    const uint64_t bit = uint64_t{1} << (begin % 64);
    if (update != Update::kInsert && fate == Fate::kChanged) answers[begin / 64] |= bit;
    if (fate == Fate::kRefused) {
      num_refused += 1;
      if (refused != nullptr) refused[begin / 64] |= bit;
    }
    begin += 1;
  }
  SetFigures();
  return num_refused;
}

GrowingShard::Fate GrowingShard::UpdateOne(Update update, uint64_t digest) {
  memory_.Poll();
  const uint64_t y = kernels::BitsInShard(digest);
  Fate fate = Fate::kUnchanged;
  if (keeps_digests()) {
    fate = UpdateDigest(update, WholeString(y));
  } else {
    const kernels::GrowingKernels& kernels = kernels::ChosenKernels().growing;
    const uint64_t word = SegmentOf(y).word();
    OneFate kernel_fate = OneFate::kStop;
    if (update == Update::kErase) {
      kernel_fate = kernels.erase_one(digest, word);
    } else if (update == Update::kInsert && !is_full()) {
      kernel_fate = kernels.insert_one(digest, word);
    } else if (update == Update::kInsertIfAbsent && !is_full()) {
      kernel_fate = kernels.insert_if_absent_one(digest, word);
    }
    if (kernel_fate == OneFate::kStop) {
      fate = UpdateSlowly(update, y);
    } else if (kernel_fate == OneFate::kDone) {
      fate = Fate::kChanged;
      num_entries_ += update == Update::kErase ? ~uint64_t{0} : 1;
    }
  }
  Step();
  SetFigures();
  return fate;
}

// --- Digests.

GrowingShard::Fate GrowingShard::UpdateDigest(Update update, uint64_t string) {
  if (update == Update::kErase) return EraseDigest(string) ? Fate::kChanged : Fate::kUnchanged;
  if (update != Update::kInsert) {
    const bool is_in = table_.CopiesOf(string) > 0;
    if (is_in == (update == Update::kInsertIfAbsent)) return Fate::kUnchanged;
  }
  if (AddDigest(string, 1)) return Fate::kChanged;
  figures_.num_refused_inserts.Set(figures_.num_refused_inserts.Get() + 1);
  return Fate::kRefused;
}

bool GrowingShard::AddDigest(uint64_t string, uint64_t count) {
  const uint64_t num_shown = table_.CopiesOf(string);
  const uint64_t num_new = NumEntries(num_shown + count) - num_shown;
  if (num_new > 0 && is_full()) return false;
  const uint64_t num_after = num_entries_ + num_new;
  if (num_after > DigestTable::MostStrings(table_.num_lines()) &&
      !ResizeTable(DigestTable::LinesFor(num_after))) {
    // Up to its last words, so that an insertion is not refused for nothing.
    if (num_after >= table_.num_lines() * DigestTable::kLineWords) return false;
  }
  if (count > num_new && !strings_.AddCopies(string, count - num_new)) return NoSideMemory();
  for (uint64_t i = 0; i < num_new; ++i) table_.Insert(string);
  num_entries_ = num_after;
  return true;
}

bool GrowingShard::EraseDigest(uint64_t string) {
  if (strings_.has_side() && strings_.TakeCopy(string)) return true;
  if (table_.CopiesOf(string) == 0) return false;
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

// --- Blocks.

GrowingShard::Fate GrowingShard::UpdateSlowly(Update update, uint64_t y) noexcept try {
  return UpdateContents(update, y);
} catch (const std::bad_alloc&) {  // of a block with more keys than BlockContents has space for
  if (update == Update::kErase) {
    return EraseInPlace(PlaceOf(y)) ? Fate::kChanged : Fate::kUnchanged;
  }
  NoSideMemory();
  figures_.num_refused_inserts.Set(figures_.num_refused_inserts.Get() + 1);
  return Fate::kRefused;
}

GrowingShard::Fate GrowingShard::UpdateContents(Update update, uint64_t y) {
  const Place place = PlaceOf(y);
  if (update == Update::kInsert) {
    if (Add(place, kernels::NewCode(place.key), 1)) return Fate::kChanged;
    figures_.num_refused_inserts.Set(figures_.num_refused_inserts.Get() + 1);
    return Fate::kRefused;
  }
  BlockContents contents = strings_.Read(place.segment, place.idx, place.prefix);
  const uint32_t code = BlockStrings::LongestMatch(contents, place.key);
  if (update != Update::kErase) {
    const bool is_in = code != 0;
    if (is_in == (update == Update::kInsertIfAbsent)) return Fate::kUnchanged;
    return UpdateContents(Update::kInsert, y);
  }
  if (code == 0) return Fate::kUnchanged;
  if (CountIn(contents, code) > kernels::kMostCopiesShown) {
    // One at least is in the side table: the block need not change.
    (void)strings_.TakeCopy(StringOf(place.prefix, place.segment.depth(), code));
    return Fate::kChanged;
  }
  RemoveFrom(contents, code, 1);
  {
    const BlockChange change(place.segment, place.idx);
    if (strings_.Write(place.segment, place.idx, place.prefix, contents)) {
      num_entries_ -= 1;
      return Fate::kChanged;
    }
  }
  return EraseInPlace(place) ? Fate::kChanged : Fate::kUnchanged;
}

bool GrowingShard::EraseInPlace(const Place& place) noexcept {
  const BlockChange change(place.segment, place.idx);
  const uint64_t num_copies =
      strings_.TakeLongest(place.segment, place.idx, place.prefix, place.key);
  num_entries_ -=
      NumEntries(num_copies) - NumEntries(num_copies - std::min<uint64_t>(num_copies, 1));
  return num_copies != 0;
}

bool GrowingShard::Add(const Place& place, uint32_t code, uint64_t count) noexcept try {
  BlockContents contents = strings_.Read(place.segment, place.idx, place.prefix);
  const uint64_t num_copies = CountIn(contents, code);
  const uint64_t num_new = NumEntries(num_copies + count) - NumEntries(num_copies);
  if (num_new == 0) {
    const uint64_t string = StringOf(place.prefix, place.segment.depth(), code);
    return strings_.AddCopies(string, count) || NoSideMemory();
  }
  if (is_full()) return false;
  AddTo(contents, code, count);
  const BlockChange change(place.segment, place.idx);
  if (!strings_.Write(place.segment, place.idx, place.prefix, contents)) return NoSideMemory();
  num_entries_ += num_new;
  return true;
} catch (const std::bad_alloc&) {
  return NoSideMemory();
}

uint64_t GrowingShard::CountEstimate(uint64_t digest) const {
  const uint64_t y = kernels::BitsInShard(digest);
  if (keeps_digests()) {
    const uint64_t string = WholeString(y);
    return table_.CopiesOf(string) + strings_.CopiesOf(string);
  }
  const Place place = PlaceOf(y);
  uint64_t count = 0;
  strings_.ForEach(place.segment, place.idx, place.prefix, [&](uint32_t code, uint64_t copies) {
    if (kernels::IsMatch(code, place.key)) count += copies;
  });
  return count;
}

}  // namespace trommel
