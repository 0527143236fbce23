// What must hold once all threads of a round have joined.
#include "tools/stress/final_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

namespace trommel::stress {
namespace {

constexpr size_t kBatch = 4096;
constexpr uint64_t kMostForBytes = 2'000'000;  // keys that a second filter is made of

// One batch of `ids`, which begins with the key at `first`.
Ids BatchAt(Ids ids, size_t first, size_t size = kBatch) {
  return ids.subspan(first, std::min(size, ids.size() - first));
}

}  // namespace

FinalChecks::FinalChecks(Board& board, Contents contents, Caller& caller)
    : board_(board), contents_(std::move(contents)), caller_(caller), now_(board.subject.now()) {
  AdvanceTo(now_);
}

Status FinalChecks::Run() {
  CheckRefusals();
  CheckRaces();
  if (board_.expires) {
    // The current bucket gets keys, so that their expiry is seen.
    std::vector<uint32_t> ids(board_.plan.mix.num_races);
    std::iota(ids.begin(), ids.end(), board_.plan.first_race());
    ids.push_back(0);
    std::vector<uint32_t>& current = contents_[caller_.Insert(ids)];
    current.insert(current.end(), ids.begin(), ids.end());
  }
  CheckKeys();
  uint64_t num_in = 0;
  for (const auto& [bucket, ids] : contents_) num_in += ids.size();
  if (num_in <= kMostForBytes && !board_.subject.grows() && !caller_.violation()) {
    if (Status checked = CheckBytes(); !checked.ok()) return checked;
  }
  if (caller_.violation()) return Ok();
  return board_.expires ? WaitUntilExpired() : Drain();
}

void FinalChecks::CheckRaces() {
  for (uint32_t i = 0; i < board_.plan.mix.num_races; ++i) {
    const uint32_t num_arrived = board_.races[i].num_arrived.load();
    if (board_.races[i].told.empty() && num_arrived > 0 && board_.keys.has_lone_races()) {
      caller_.Report(Invariant::kNewToldOnce, board_.plan.first_race() + i,
                     fmt::format("none of {} racing writers was told \"new\"", num_arrived));
    }
  }
}

void FinalChecks::CheckRefusals() {
  const Totals& told = board_.totals;
  const Stats stats = board_.subject.GetStats();
  if (board_.subject.grows() || board_.expires) return;  // their refusals have other causes
  caller_.totals.num_checked += 2;
  if (stats.num_refused_inserts < told.num_refused ||
      stats.num_refused_inserts > told.num_refused + told.num_unclear) {
    caller_.Report(Invariant::kRefusalsAgree, std::nullopt,
                   fmt::format("{} refused insertions are counted; threads were told of {}, and "
                               "not told why {} were none",
                               stats.num_refused_inserts, told.num_refused, told.num_unclear));
  }
  if (stats.num_refused_erases != told.num_refused_erases) {
    caller_.Report(Invariant::kRefusalsAgree, std::nullopt,
                   fmt::format("{} refused erasures are counted; threads were told of {}",
                               stats.num_refused_erases, told.num_refused_erases));
  }
}

std::vector<uint64_t> FinalChecks::CountsById() const {
  std::vector<uint64_t> counts(board_.plan.num_ids());
  for (const auto& [bucket, ids] : contents_) {
    for (const uint32_t id : ids) ++counts[id];
  }
  return counts;
}

void FinalChecks::CheckKeys() {
  const std::vector<uint64_t> want = CountsById();
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < want.size(); ++id) {
    if (want[id] > 0) ids.push_back(id);
  }
  for (size_t first = 0; first < ids.size(); first += kBatch) {
    const Ids batch = BatchAt(ids, first);
    caller_.totals.num_checked += 2 * batch.size();
    const Caller::Bits present = caller_.Query(batch);
    for (size_t i = 0; i < batch.size(); ++i) {
      if (!Caller::Bit(present, i)) {
        caller_.Report(
            board_.presence(), batch[i],
            fmt::format("absent after the round at {}, {} copies are in", now_, want[batch[i]]));
      }
    }
    const auto counts = caller_.Counts(batch);
    for (size_t i = 0; i < batch.size(); ++i) {
      if (counts[i] < want[batch[i]]) {
        caller_.Report(Invariant::kCountNotBelow, batch[i],
                       fmt::format("counted {} after the round at {}, {} copies are in", counts[i],
                                   now_, want[batch[i]]));
      }
    }
  }
  const uint64_t num_in = std::accumulate(want.begin(), want.end(), uint64_t{0});
  const uint64_t num_keys = board_.subject.num_keys();
  const SubjectStats stats = board_.subject.GetStats();  // updates num_refused_inserts
  caller_.CheckNoneRefused();
  ++caller_.totals.num_checked;
  if (num_keys == num_in) return;
  const bool has_expired = !board_.span.IsLive(stats.oldest_bucket, now_);
  caller_.Report(has_expired ? Invariant::kExpiredIsGone : Invariant::kNumKeysExact, std::nullopt,
                 fmt::format("num_keys is {} at {}, {} are in", num_keys, now_, num_in));
}

Status FinalChecks::CheckBytes() {
  const Result<std::unique_ptr<Subject>> made = board_.subject.MakeSequential();
  if (!made.ok()) return made.error();
  Subject& sequential = **made;
  KeyBatch batch(board_.keys);
  for (const auto& [bucket, ids] : contents_) {
    sequential.Advance(board_.span.FirstTick(bucket));
    for (size_t first = 0; first < ids.size(); first += kBatch) {
      sequential.Insert(batch.Gather(BatchAt(ids, first)));
    }
  }
  sequential.Advance(now_);
  ++caller_.totals.num_checked;
  if (sequential.Serialize() == board_.subject.Serialize()) return Ok();
  // The first key that is counted differently is the best clue.
  for (uint32_t id = 0; id < board_.plan.num_ids(); ++id) {
    const uint64_t want = sequential.CountEstimate(board_.keys.One(id));
    const uint64_t got = board_.subject.CountEstimate(board_.keys.One(id));
    if (got == want) continue;
    caller_.Report(Invariant::kBytesAsSequential, id,
                   fmt::format("counted {}; {} by a filter that only one thread used", got, want));
    return Ok();
  }
  caller_.Report(Invariant::kBytesAsSequential, std::nullopt,
                 fmt::format("the bytes at {} differ from those of a filter of the same keys that "
                             "only one thread used",
                             now_));
  return Ok();
}

Status FinalChecks::Drain() {
  std::vector<uint32_t> ids;
  for (const auto& [bucket, some] : contents_) ids.insert(ids.end(), some.begin(), some.end());
  Random random = board_.plan.RandomOf(kDrainStream);
  for (size_t i = ids.size(); i > 1; --i) {
    std::swap(ids[i - 1], ids[random.Below(static_cast<uint32_t>(i))]);
  }
  for (size_t first = 0, size = 0; first < ids.size(); first += size) {
    const Ids batch = BatchAt(ids, first, 1 + random.Below(2 * kBatch));
    size = batch.size();
    caller_.Erase(batch, 0);
  }
  return caller_.violation() ? Ok() : CheckEmpty();
}

void FinalChecks::AdvanceTo(uint64_t time) {
  if (time != now_) {
    now_ = time;
    board_.begun.store(time);
    if (!board_.subject.Advance(time)) {
      caller_.Report(Invariant::kTimeAsTold, std::nullopt,
                     fmt::format("Advance to {} was refused", time));
    }
  }
  std::erase_if(contents_,
                [&](const auto& entry) { return !board_.span.IsLive(entry.first, now_); });
}

Status FinalChecks::WaitUntilExpired() {
  while (!contents_.empty() && !caller_.violation()) {
    AdvanceTo(board_.span.FirstTick(board_.span.Bucket(now_) + 1));
    CheckKeys();
  }
  if (caller_.violation()) return Ok();
  const uint64_t longest_bucket = board_.span.FirstTick(1);
  AdvanceTo(now_ + board_.span.window + longest_bucket);
  return CheckEmpty();
}

Status FinalChecks::CheckEmpty() {
  const Invariant invariant =
      board_.expires ? Invariant::kExpiredIsGone : Invariant::kEmptyAfterDraining;
  for (uint32_t id = 0; id < board_.plan.num_ids(); ++id) {
    if (board_.subject.CountEstimate(board_.keys.One(id)) == 0) continue;
    caller_.Report(invariant, id, "counted by a filter that is empty");
    return Ok();
  }
  caller_.totals.num_checked += board_.plan.num_ids();
  const Result<std::unique_ptr<Subject>> made = board_.subject.MakeSequential();
  if (!made.ok()) return made.error();
  (*made)->Advance(now_);
  const uint64_t num_keys = board_.subject.num_keys();
  const SubjectStats stats = board_.subject.GetStats();
  const uint64_t num_sizes = board_.subject.num_sizes();
  const bool is_empty = num_keys == 0 && stats.num_keys == 0 && stats.fill_ratio == 0 &&
                        stats.num_promoted == 0 &&
                        stats.side_table_bytes == board_.reserved_side_bytes && num_sizes == 1;
  if (is_empty && board_.subject.Serialize() == (*made)->Serialize()) return Ok();
  caller_.Report(Invariant::kEmptyAfterDraining, std::nullopt,
                 fmt::format("left: num_keys {}, fill ratio {:.3g}, {} promoted blocks, {} bytes "
                             "in the side table, {} sizes",
                             num_keys, stats.fill_ratio, stats.num_promoted, stats.side_table_bytes,
                             num_sizes));
  return Ok();
}

}  // namespace trommel::stress
