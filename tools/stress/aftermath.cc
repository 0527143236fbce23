// What must hold once all threads of a round have joined.
#include "tools/stress/aftermath.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace trommel::stress {
namespace {

constexpr size_t kBatch = 4096;

// The part of `ids` from `first` on that makes one batch.
Ids Part(Ids ids, size_t first, size_t size = kBatch) {
  return ids.subspan(first, std::min(size, ids.size() - first));
}

}  // namespace

std::vector<uint32_t> Aftermath::AllCopies() const {
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < copies_.size(); ++id) ids.insert(ids.end(), copies_[id], id);
  return ids;
}

void Aftermath::CheckRaces() {
  for (uint32_t i = 0; i < board_.plan.mix.num_races; ++i) {
    const uint32_t num_told = board_.races[i].num_told_new.load();
    const uint32_t num_arrived = board_.races[i].num_arrived.load();
    const bool is_nobody = num_told == 0 && num_arrived > 0 && board_.keys.has_lone_races();
    if (num_told > 1 || is_nobody) {
      caller_.Blame(
          Law::kNewToldOnce, board_.plan.first_race() + i,
          fmt::format("{} of {} racing writers were told \"new\"", num_told, num_arrived));
    }
  }
}

void Aftermath::CheckKeys() {
  const uint64_t num_in = std::accumulate(copies_.begin(), copies_.end(), uint64_t{0});
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < copies_.size(); ++id) {
    if (copies_[id] > 0) ids.push_back(id);
  }
  for (size_t first = 0; first < ids.size(); first += kBatch) {
    const Ids part = Part(ids, first);
    caller_.totals.num_checked += 2 * part.size();
    const auto present = caller_.Query(part);
    for (size_t i = 0; i < part.size(); ++i) {
      if (!Caller::Bit(present, i)) {
        caller_.Blame(Law::kNoFalseNegative, part[i],
                      fmt::format("absent after the round, {} copies are in", copies_[part[i]]));
      }
    }
    const auto counts = caller_.Counts(part);
    for (size_t i = 0; i < part.size(); ++i) {
      if (counts[i] < copies_[part[i]]) {
        caller_.Blame(Law::kCountNotBelow, part[i],
                      fmt::format("counted {} after the round, {} copies are in", counts[i],
                                  copies_[part[i]]));
      }
    }
  }
  const uint64_t num_keys = board_.subject.num_keys();
  if (num_keys != num_in) {
    caller_.Blame(Law::kNumKeysExact, std::nullopt,
                  fmt::format("num_keys is {}, {} are in", num_keys, num_in));
  }
  board_.subject.GetStats();  // knows of all refusals
  caller_.CheckRoom();
}

Status Aftermath::CheckBytes() {
  CountingConfig config = board_.plan.config;
  config.route = Route::kDirect;
  Result<CountingFilter> sequential = CountingFilter::Create(config);
  if (!sequential.ok()) return sequential.error();
  const std::vector<uint32_t> ids = AllCopies();
  KeyBatch batch(board_.keys);
  for (size_t first = 0; first < ids.size(); first += kBatch) {
    sequential->Insert(batch.Gather(Part(ids, first)));
  }
  if (sequential->Serialize() == board_.subject.Serialize()) return Ok();
  // The first key that is counted differently says most.
  for (uint32_t id = 0; id < copies_.size(); ++id) {
    const uint64_t want = sequential->CountEstimate(board_.keys.One(id));
    const uint64_t got = board_.subject.CountEstimate(board_.keys.One(id));
    if (got == want) continue;
    caller_.Blame(Law::kBytesAsSequential, id,
                  fmt::format("counted {}; {} by a filter that one thread made", got, want));
    return Ok();
  }
  caller_.Blame(Law::kBytesAsSequential, std::nullopt,
                "other bytes than a filter that one thread made of the same keys");
  return Ok();
}

void Aftermath::Drain() {
  std::vector<uint32_t> ids = AllCopies();
  Random random = board_.plan.RandomOf(kMainThread - 2);
  for (size_t i = ids.size(); i > 1; --i) {
    std::swap(ids[i - 1], ids[random.Below(static_cast<uint32_t>(i))]);
  }
  for (size_t first = 0, size = 0; first < ids.size(); first += size) {
    const Ids part = Part(ids, first, 1 + random.Below(2 * kBatch));
    size = part.size();
    caller_.totals.num_checked += size;
    const auto erased = caller_.Erase(part);
    for (size_t i = 0; i < size; ++i) {
      if (!Caller::Bit(erased, i)) {
        caller_.Blame(Law::kEraseNotRefused, part[i], "refused while the filter was drained");
      }
    }
  }
  if (caller_.violation()) return;
  const Stats stats = board_.subject.GetStats();
  const size_t num_generations = board_.subject.num_generations();
  const bool is_empty = board_.subject.num_keys() == 0 && stats.num_keys == 0 &&
                        stats.fill_ratio == 0 && stats.num_promoted == 0 &&
                        stats.side_table_bytes == 0 && num_generations == 1;
  if (is_empty && board_.subject.Serialize() == board_.bytes_as_new) return;
  std::optional<uint32_t> witness;
  for (uint32_t id = 0; id < copies_.size() && !witness; ++id) {
    if (board_.subject.CountEstimate(board_.keys.One(id)) > 0) witness = id;
  }
  caller_.Blame(Law::kEmptyAfterDraining, witness,
                fmt::format("left: num_keys {}, fill ratio {}, {} promoted blocks, {} bytes in the "
                            "side table, generations: {}",
                            stats.num_keys, stats.fill_ratio, stats.num_promoted,
                            stats.side_table_bytes, num_generations));
}

}  // namespace trommel::stress
