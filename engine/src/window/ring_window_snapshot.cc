// Ring windows on disk, version 1: a multi-store snapshot with one member per bucket.
//
//   params    0 window   1 num_buckets   2 capacity   3 target_fpr, its bits   4 now
//   members   buckets that hold keys, and the current one, ascending; word 0 is the bucket's number
//
// Buckets that have left the window are not there, nor are empty ones except the current bucket,
// from which the geometry is read: so how the filter came to hold what it holds does not show. A
// member was not sized by itself: its capacity and rate are 0.
#include <bit>
#include <new>
#include <utility>

#include "engine/src/snapshots/multi_store_snapshot.h"
#include "engine/src/window/ring_survey.h"
#include "engine/src/window/ring_window.h"

namespace trommel {
namespace {

constexpr size_t kNumParams = 5;

struct BucketCopy {
  BlockStore store;
  uint64_t num_keys;
};

// A filter's snapshot before it is written. Throws std::bad_alloc.
struct WindowCopy {
  MultiStoreFacts facts;
  Survey<BucketCopy> survey;

  std::vector<MemberStore> Members() const {
    std::vector<MemberStore> members;
    for (const auto& bucket : survey.buckets) {
      const uint64_t num_keys = bucket.seen.num_keys;
      if (num_keys == 0 && &bucket != &survey.buckets.back()) continue;
      members.push_back({.words = {bucket.bucket},
                         .store = &bucket.seen.store,
                         .facts = {.policy = facts.policy, .num_keys = num_keys}});
    }
    return members;
  }
};

BucketCopy CopyOf(BucketStore& from) {
  Result<BlockStore> into = BlockStore::Create(from.store.geometry(), 0);
  if (!into) throw std::bad_alloc();
  BucketCopy copy{*std::move(into), 0};
  if (!from.is_touched()) return copy;
  copy.num_keys = from.locks.VisitRanges(
      from.store.num_owned_ranges(), [&](size_t o) { copy.store.CopyOwnedRange(from.store, o); });
  return copy;
}

WindowCopy CopyOf(BucketRing& ring, const WindowSettings& settings) {
  WindowCopy copy;
  copy.survey = SurveyLive<BucketCopy>(ring, [](BucketStore& from) { return CopyOf(from); });
  copy.facts = {.type = SnapshotType::kWindowFilter,
                .policy = settings.policy,
                .params = {settings.times.window, settings.times.num_buckets, settings.capacity,
                           std::bit_cast<uint64_t>(settings.target_fpr), copy.survey.now}};
  return copy;
}

// What only the members together tell.
Status CheckMembers(const MultiStoreContents& contents, const TimeBuckets& times, uint64_t now) {
  const auto& members = contents.members;
  const uint64_t current = times.BucketOf(now);
  if (members.empty() || members.back().words[0] != current) {
    return CorruptParam(4, "the last member is not the current bucket");
  }
  uint64_t num_keys = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    const uint64_t bucket = members[i].words[0];
    if (Status unused = CheckUnusedWords(i, members[i].words, 1); !unused) return unused;
    if (i > 0 && bucket <= members[i - 1].words[0]) {
      return CorruptMemberWord(i, 0, "its bucket does not come after the one before");
    }
    if (!times.IsLive(bucket, current)) {
      return CorruptMemberWord(i, 0, "its bucket has left the window");
    }
    const MemberStoreContents& one = members[i];
    if (one.store->geometry() != members[0].store->geometry()) {
      return CorruptMemberWord(i, 0, "its geometry is not the first member's");
    }
    if (one.facts.capacity != 0 || one.facts.target_fpr != 0) {
      return CorruptMemberWord(i, 0, "a bucket is not sized by itself");
    }
    if (one.facts.num_keys == 0 && bucket != current) {
      return CorruptMemberWord(i, 0, "an empty bucket is not the current one");
    }
    if (one.facts.num_keys > kMaxSnapshotKeys - num_keys) {
      return CorruptMemberWord(i, 0, "all buckets together hold more keys than can be counted");
    }
    num_keys += one.facts.num_keys;
  }
  return Ok();
}

}  // namespace

Result<std::unique_ptr<RingWindow>> RingWindow::ReadFrom(const OpenedSnapshot& snapshot,
                                                         uint64_t limit_bytes,
                                                         const DigestKey& digest_key) {
  Result<MultiStoreContents> contents =
      ReadMultiStore(snapshot, SnapshotType::kWindowFilter, limit_bytes, digest_key);
  if (!contents) return contents.error();
  const MultiStoreParams& params = contents->facts.params;
  if (Status unused = CheckUnusedParams(params, kNumParams); !unused) return unused.error();
  if (params[1] > ~uint32_t{0}) return CorruptParam(1, "more buckets than there can be");
  const WindowSettings settings{.times = {params[0], static_cast<uint32_t>(params[1])},
                                .policy = contents->facts.policy,
                                .executor = nullptr,
                                .capacity = params[2],
                                .target_fpr = std::bit_cast<double>(params[3]),
                                .memory_limit_bytes = limit_bytes};
  if (const Status valid = ValidateWindow(settings); !valid) {
    return CorruptParam(0, valid.error().message);
  }
  const uint64_t now = params[4];
  if (Status checked = CheckMembers(*contents, settings.times, now); !checked) {
    return checked.error();
  }
  const Geometry geometry = contents->members[0].store->geometry();
  Result<std::unique_ptr<RingWindow>> made = Make(settings, geometry, limit_bytes);
  if (!made) return made;
  BucketRing& ring = (*made)->ring_;
  ring.StartAt(now);
  for (MemberStoreContents& member : contents->members) {
    const uint64_t num_keys = member.facts.num_keys;
    if (num_keys == 0) continue;
    BucketStore& into = ring.Obtain(member.words[0]);
    into.store = std::move(member.block_store());
    into.Touch();
    into.locks.Hold(0, into.locks.lock_bits()).AddKeys(num_keys);
  }
  return made;
}

Status RingWindow::WriteTo(ByteSink& sink) {
  const WindowCopy copy = CopyOf(ring_, settings);
  return WriteMultiStore(copy.facts, copy.Members(), sink);
}

}  // namespace trommel
