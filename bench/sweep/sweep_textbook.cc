#include "bench/sweep/sweep_textbook.h"

#include <algorithm>
#include <cmath>

#include "bench/sides/workload.h"
#include "bench/sweep/sweep_arena.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMaxPart = uint64_t{1} << 20;
constexpr uint64_t kTextbookParts =
    4;  // so that most of a part has left the caches when it comes again
constexpr uint64_t kMinKeysPerStep = 32768;  // small parts are queried several times
constexpr double kTextbookSigmas = 6;

template <class Call>
void InBatches(std::span<const uint64_t> digests, uint64_t batch, const Call& call) {
  for (uint64_t i = 0; i < digests.size(); i += batch) {
    call(digests.subspan(i, std::min<uint64_t>(batch, digests.size() - i)));
  }
}

}  // namespace

SweepTextbook::SweepTextbook(uint64_t num_keys)
    : part_size_(std::min(kMaxPart, num_keys / kTextbookParts)),
      num_members_(num_keys - part_size_),  // a part more is in during an update
      filter_(TextbookFilter::ForKeys(num_keys, kSweepTargetFpr)),
      guests_(DigestsFrom(kFirstGuest, kTextbookParts * part_size_)),
      members_(DigestsFrom(kFirstMember,
                           std::min(kTextbookParts, num_members_ / part_size_) * part_size_)),
      non_members_(DigestsFrom(kFirstNonMember, members_.size())),
      words_(part_size_ / 64 + 1) {
  ForEachBatch(kFirstMember, num_members_,
               [this](const Batch& batch) { filter_.Insert(batch.digests); });
}

StepTime SweepTextbook::Step(const SweepRow& row) {
  const bool is_update =
      row.operation == Operation::kTextbookInsert || row.operation == Operation::kTextbookErase;
  const StepTime time = is_update ? UpdateStep(row) : QueryStep(row);
  ++num_steps_;
  return time;
}

StepTime SweepTextbook::UpdateStep(const SweepRow& row) {
  const std::span<const uint64_t> part =
      std::span(guests_).subspan(num_steps_ % kTextbookParts * part_size_, part_size_);
  uint64_t num_erased = 0;
  const auto insert = [&] {
    InBatches(part, row.batch, [this](auto batch) { filter_.Insert(batch); });
  };
  const auto erase = [&] {
    InBatches(part, row.batch, [&](auto batch) { num_erased += filter_.Erase(batch); });
  };
  StepTime time;
  if (row.operation == Operation::kTextbookInsert) {
    const StepClock clock(1);
    insert();
    time = clock.Stop(part.size());
    erase();
  } else {
    insert();
    const StepClock clock(1);
    erase();
    time = clock.Stop(part.size());
  }
  if (num_erased != part.size()) throw WrongAnswer{row.name + ": a member could not be erased"};
  return time;
}

StepTime SweepTextbook::QueryStep(const SweepRow& row) {
  const bool are_members = row.operation == Operation::kTextbookQueryHit;
  const std::vector<uint64_t>& digests = are_members ? members_ : non_members_;
  const std::span<const uint64_t> part =
      std::span(digests).subspan(num_steps_ * part_size_ % digests.size(), part_size_);
  const uint64_t repeats = (kMinKeysPerStep + part.size() - 1) / part.size();
  uint64_t num_present = 0;
  const StepClock clock(1);
  for (uint64_t i = 0; i < repeats; ++i) {
    InBatches(part, row.batch, [&](auto batch) { num_present += filter_.Query(batch, words_); });
  }
  const StepTime time = clock.Stop(repeats * part.size());
  const double asked = static_cast<double>(part.size());
  const double expected = are_members ? asked : asked * filter_.PredictedFpr(num_members_);
  const double found = static_cast<double>(num_present) / static_cast<double>(repeats);
  const double sigmas = are_members ? 0 : kTextbookSigmas * (1 + std::sqrt(expected));
  if (std::abs(found - expected) > sigmas) {
    throw WrongAnswer{row.name + ": " + std::to_string(std::llround(found)) +
                      " keys maybe present; expected " + std::to_string(std::llround(expected))};
  }
  return time;
}

}  // namespace trommel::bench
