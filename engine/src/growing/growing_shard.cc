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
    num_refused += NoteFate(fate, update, begin, answers, refused);
    begin += 1;
  }
  SetFigures();
  return num_refused;
}

Fate GrowingShard::UpdateOne(Update update, uint64_t digest) {
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

Fate GrowingShard::UpdateDigest(Update update, uint64_t string) {
  if (update == Update::kErase) return EraseDigest(string) ? Fate::kChanged : Fate::kUnchanged;
  if (update != Update::kInsert) {
    const bool is_in = table_.Has(string);
    if (is_in == (update == Update::kInsertIfAbsent)) return Fate::kUnchanged;
  }
  if (AddDigest(string, 1)) return Fate::kChanged;
  figures_.num_refused_inserts.Set(figures_.num_refused_inserts.Get() + 1);
  return Fate::kRefused;
}

bool GrowingShard::AddDigest(uint64_t string, uint64_t count) {
  if (table_.Has(string)) return strings_.AddCopies(string, count) || NoSideMemory();
  if (is_full()) return false;
  const uint64_t num_after = num_entries_ + 1;
  if (num_after > DigestTable::MostStrings(table_.num_lines()) &&
      !ResizeTable(DigestTable::LinesFor(num_after))) {
    // Up to its last words, so that an insertion is not refused for nothing.
    if (num_after >= table_.num_lines() * DigestTable::kLineWords) return false;
  }
  if (count > 1 && !strings_.AddCopies(string, count - 1)) return NoSideMemory();
  table_.Insert(string);
  num_entries_ = num_after;
  return true;
}

bool GrowingShard::EraseDigest(uint64_t string) {
  if (strings_.has_side() && strings_.TakeCopy(string)) return true;
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

// --- Blocks.

Fate GrowingShard::UpdateSlowly(Update update, uint64_t y) noexcept try {
  return UpdateContents(update, y);
} catch (const std::bad_alloc&) {  // of a block with more keys than BlockContents has space for
  if (update == Update::kErase) {
    return EraseInPlace(PlaceOf(y)) ? Fate::kChanged : Fate::kUnchanged;
  }
  NoSideMemory();
  figures_.num_refused_inserts.Set(figures_.num_refused_inserts.Get() + 1);
  return Fate::kRefused;
}

Fate GrowingShard::UpdateContents(Update update, uint64_t y) {
  const Place place = PlaceOf(y);
  const auto& [segment, idx, prefix, key] = place;
  const uint32_t code = strings_.MatchOf(segment, idx, prefix, key);
  const bool is_in = code != 0;
  if (update != Update::kErase) {
    if (update != Update::kInsert && is_in == (update == Update::kInsertIfAbsent)) {
      return Fate::kUnchanged;
    }
    const bool is_added = is_in
                              ? strings_.AddCopies(segment, idx, prefix, code, 1) || NoSideMemory()
                              : Add(place, kernels::NewCode(key), 1);
    if (is_added) return Fate::kChanged;
    figures_.num_refused_inserts.Set(figures_.num_refused_inserts.Get() + 1);
    return Fate::kRefused;
  }
  if (!is_in) return Fate::kUnchanged;
  if (strings_.TakeCopy(segment, idx, prefix, code)) return Fate::kChanged;
  BlockContents contents = strings_.Read(segment, idx, prefix);
  RemoveFrom(contents, code, 1);
  {
    const BlockChange change(segment, idx);
    if (strings_.Write(segment, idx, prefix, contents)) {
      num_entries_ -= 1;
      return Fate::kChanged;
    }
  }
  return EraseInPlace(place) ? Fate::kChanged : Fate::kUnchanged;
}

bool GrowingShard::EraseInPlace(const Place& place) noexcept {
  const uint32_t code = strings_.MatchOf(place.segment, place.idx, place.prefix, place.key);
  if (code == 0) return false;
  const BlockChange change(place.segment, place.idx);
  num_entries_ -= uint64_t{strings_.TakeOne(place.segment, place.idx, place.prefix, code)};
  return true;
}

bool GrowingShard::Add(const Place& place, uint32_t code, uint64_t count) noexcept try {
  const auto& [segment, idx, prefix, key] = place;
  BlockContents contents = strings_.Read(segment, idx, prefix);
  uint64_t num_begun = 0;  // which the code begins: their keys are counted at it from now on
  for (auto at = contents.begin(); at != contents.end();) {
    if (kernels::Begins(at->key, code)) {
      return strings_.AddCopies(segment, idx, prefix, at->key, count) || NoSideMemory();
    }
    if (!kernels::Begins(code, at->key)) {
      ++at;
      continue;
    }
    count += at->count;
    num_begun += 1;
    at = contents.erase(at);
  }
  if (num_begun == 0 && is_full()) return false;
  AddTo(contents, code, count);
  const BlockChange change(segment, idx);
  if (!strings_.Write(segment, idx, prefix, contents)) return NoSideMemory();
  num_entries_ = num_entries_ + 1 - num_begun;
  return true;
} catch (const std::bad_alloc&) {
  return NoSideMemory();
}

uint64_t GrowingShard::CountEstimate(uint64_t digest) const {
  const uint64_t y = kernels::BitsInShard(digest);
  if (keeps_digests()) {
    const uint64_t string = WholeString(y);
    return uint64_t{table_.Has(string)} + strings_.CopiesOf(string);
  }
  const Place place = PlaceOf(y);
  uint64_t count = 0;
  strings_.ForEach(place.segment, place.idx, place.prefix, [&](uint32_t code, uint64_t copies) {
    if (kernels::IsMatch(code, place.key)) count += copies;
  });
  return count;
}

}  // namespace trommel
