// Window filters on disk: a multi-store snapshot with one member per bucket.
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

#include "engine/src/snapshots/filter_files.h"
#include "engine/src/snapshots/multi_store_snapshot.h"
#include "engine/src/window/window_filter_impl.h"
#include "engine/src/window/window_survey.h"

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

template <class Impl>
WindowCopy CopyOf(Impl& impl) {
  [[maybe_unused]] const auto access = impl.access_check.Enter();
  WindowCopy copy;
  copy.survey = SurveyLive<BucketCopy>(impl.ring, [](BucketStore& from) { return CopyOf(from); });
  const TimeBuckets& times = impl.ring.times();
  copy.facts = {.type = SnapshotType::kWindowFilter,
                .policy = impl.policy,
                .params = {times.window, times.num_buckets, impl.capacity,
                           std::bit_cast<uint64_t>(impl.target_fpr), copy.survey.now}};
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
    const FilterContents& one = members[i].contents;
    if (one.store.geometry() != members[0].contents.store.geometry()) {
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

// Everything a window filter is made of, checked.
template <class Impl>
Result<std::unique_ptr<Impl>> MakeImpl(MultiStoreContents contents, uint64_t limit_bytes) {
  const MultiStoreParams& params = contents.facts.params;
  if (Status unused = CheckUnusedParams(params, kNumParams); !unused) return unused.error();
  if (params[1] > ~uint32_t{0}) return CorruptParam(1, "more buckets than there can be");
  const TimeBuckets times{params[0], static_cast<uint32_t>(params[1])};
  const double target_fpr = std::bit_cast<double>(params[3]);
  if (const Status valid = Impl::Validate(times, params[2], target_fpr); !valid) {
    return CorruptParam(0, valid.error().message);
  }
  const uint64_t now = params[4];
  if (Status checked = CheckMembers(contents, times, now); !checked) return checked.error();

  const Geometry geometry = contents.members[0].contents.store.geometry();
  Result<std::unique_ptr<Impl>> made =
      Impl::Make(times, geometry, params[2], target_fpr, limit_bytes);
  if (!made) return made;
  Impl& impl = **made;
  impl.policy = contents.facts.policy;
  impl.ring.StartAt(now);
  for (MemberStoreContents& member : contents.members) {
    const uint64_t num_keys = member.contents.facts.num_keys;
    if (num_keys == 0) continue;
    BucketStore& into = impl.ring.Obtain(member.words[0]);
    into.store = std::move(member.contents.store);
    into.Touch();
    into.locks.Hold(0, into.locks.lock_bits()).AddKeys(num_keys);
  }
  return made;
}

}  // namespace

Result<WindowFilter> WindowFilter::ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                            const DigestKey& digest_key) {
  Result<MultiStoreContents> contents =
      ReadMultiStore(snapshot, SnapshotType::kWindowFilter, limit_bytes, digest_key);
  if (!contents) return contents.error();
  auto impl = MakeImpl<Impl>(*std::move(contents), limit_bytes);
  if (!impl) return impl.error();
  return WindowFilter(*std::move(impl));
}

Status WindowFilter::WriteTo(ByteSink& sink) const {
  const WindowCopy copy = CopyOf(*impl_);
  return WriteMultiStore(copy.facts, copy.Members(), sink);
}

Status WindowFilter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  if (options.point_in_time) return FilterFiles::NoPointInTime("a WindowFilter");
  return FilterFiles::Save(*this, path, options);
}

std::vector<std::byte> WindowFilter::Serialize() const { return FilterFiles::Serialize(*this); }

Result<WindowFilter> WindowFilter::Load(const std::filesystem::path& path,
                                        uint64_t memory_limit_bytes, const DigestKey& digest_key) {
  return FilterFiles::Load<WindowFilter>(path, memory_limit_bytes, digest_key);
}

Result<WindowFilter> WindowFilter::Deserialize(std::span<const std::byte> bytes,
                                               uint64_t memory_limit_bytes,
                                               const DigestKey& digest_key) {
  return FilterFiles::Deserialize<WindowFilter>(bytes, memory_limit_bytes, digest_key);
}

}  // namespace trommel
