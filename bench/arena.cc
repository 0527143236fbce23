#include "bench/arena.h"

#include <algorithm>
#include <cmath>

#include "bench/cpu_clock.h"
#include "bench/fpr_bounds.h"
#include "bench/roofline.h"
#include "bench/textbook_filter.h"
#include "trommel/sizing.h"

namespace trommel::bench {
namespace {

// A timed batch: large against the caches where the filter is, small against its capacity always.
constexpr uint64_t kMaxBatch = 1'000'000;
constexpr uint64_t kKeysPerMeasurement = 2'000'000;
constexpr uint64_t kMaxPool = 4'000'000;

uint64_t BatchSize(uint64_t num_keys) { return std::clamp<uint64_t>(num_keys / 32, 1, kMaxBatch); }

// As many keys as a pool should hold: whole batches, several of them, so that one comes round again
// only after others have passed through the cache.
uint64_t PoolSize(uint64_t num_keys) {
  const uint64_t batch = BatchSize(num_keys);
  return std::min(num_keys - batch, kMaxPool) / batch * batch;
}

// Calls visit(batch) for all members, made again a million at a time.
template <class Visit>
void ForEachMemberBatch(uint64_t num_members, const Visit& visit) {
  for (uint64_t first = 0; first < num_members; first += kMaxBatch) {
    const Population part(kFirstMember + first, std::min(kMaxBatch, num_members - first));
    visit(part.batch());
  }
}

template <class Call>
double Seconds(const Call& call) {
  const double start = CpuSeconds();
  call();
  return CpuSeconds() - start;
}

}  // namespace

Arena::Arena(uint64_t num_keys, double target_fpr)
    : num_keys_(num_keys),
      target_fpr_(target_fpr),
      batch_size_(BatchSize(num_keys)),
      steps_((kKeysPerMeasurement + batch_size_ - 1) / batch_size_),
      num_members_(num_keys - batch_size_),
      members_(kFirstMember, PoolSize(num_keys)),
      guests_(kFirstGuest, std::min<uint64_t>(4 * batch_size_, PoolSize(num_keys))),
      strangers_(kFirstStranger, PoolSize(num_keys)),
      sides_(MakeContenders(num_keys, target_fpr)) {
  ForEachMemberBatch(num_members_, [this](Batch batch) {
    for (const Side side : {kOurs, kTextbook, kSplitBlock}) sides_[side]->Insert(batch, false);
  });
}

std::string Arena::Prove() {
  std::string wrong;
  ForEachMemberBatch(num_members_, [&](Batch batch) {
    for (const auto& side : sides_) {
      if (side->Query(batch, false) != batch.size()) wrong = "a member is absent";
    }
  });
  const Batch strangers = strangers_.batch();
  const auto num_strangers = static_cast<double>(strangers.size());
  for (size_t s = 0; s < sides_.size(); ++s) {
    const Contender& side = *sides_[s];
    const uint64_t num_present = side.Query(strangers, false);
    measured_fpr_[s] = static_cast<double>(num_present) / num_strangers;
    if (side.Query(strangers, true) != num_present) wrong = "batch and point queries disagree";
    const double predicted = side.PredictedFpr(num_members_);
    const double reach = kMaxSigmas * side.FprSigma(num_members_, strangers.size());
    if (std::abs(measured_fpr_[s] - predicted) > reach) {
      wrong = "measured FPR " + std::to_string(measured_fpr_[s]) + ", predicted " +
              std::to_string(predicted) + " +- " + std::to_string(reach);
    }
    if (!wrong.empty()) return std::string(side.name()) + ": " + wrong;
  }
  return "";
}

Batch Arena::NextBatch(const Population& population) {
  const size_t num_batches = population.batch().size() / batch_size_;
  return population.batch().Part(num_batches_taken_++ % num_batches * batch_size_, batch_size_);
}

double Arena::StepSeconds(Side side_idx, Op op) {
  constexpr double kWrong = -1;
  Contender& side = *sides_[side_idx];
  const bool point = IsPoint(op);
  uint64_t count = 0;
  if (op == Op::kQueryHit || op == Op::kPointQueryHit) {
    const Batch batch = NextBatch(members_);
    const double seconds = Seconds([&] { count = side.Query(batch, point); });
    return count == batch.size() ? seconds : kWrong;
  }
  if (op == Op::kQueryMiss || op == Op::kPointQueryMiss) {
    const Batch batch = NextBatch(strangers_);
    const double seconds = Seconds([&] { count = side.Query(batch, point); });
    const double fpr = static_cast<double>(count) / static_cast<double>(batch.size());
    const double reach = kMaxSigmas * side.FprSigma(num_keys_, batch.size());
    return std::abs(fpr - measured_fpr_[side_idx]) <= 2 * reach ? seconds : kWrong;
  }
  if (!side.CanDo(Op::kErase)) {
    // It could not forget guests. Members again are the same work and leave it as it was.
    const Batch batch = NextBatch(members_);
    const double seconds = Seconds([&] { side.Insert(batch, point); });
    return side.Query(batch, false) == batch.size() ? seconds : kWrong;
  }
  const Batch batch = NextBatch(guests_);
  const double insert_seconds = Seconds([&] { side.Insert(batch, point); });
  // All guests must be there to be taken: this proves the insert, too.
  const double erase_seconds = Seconds([&] { count = side.Erase(batch, point); });
  if (count != batch.size()) return kWrong;
  return op == Op::kInsert || op == Op::kPointInsert ? insert_seconds : erase_seconds;
}

SideCeilings Arena::MeasureSideCeilings(double seconds) const {
  const uint64_t bytes = sides_[kOurs]->num_bytes();
  const uint64_t presence_bytes = bytes / 4;
  // Blocks of 16 slices fill their line of presence and three of counts; those of 8 take two.
  const auto sizing = SizeFor({.capacity = num_keys_, .target_fpr = target_fpr_});
  const uint32_t count_lines = sizing.ok() && sizing->geometry.num_slices == 16 ? 3 : 2;
  const std::array<Touch, 2> planes = {Touch{presence_bytes, 1},
                                       Touch{bytes - presence_bytes, count_lines}};
  const auto textbook = TextbookFilter::ForKeys(1, target_fpr_);  // for its k
  const double k = textbook.num_hashes();
  const uint64_t textbook_bytes = sides_[kTextbook]->num_bytes();

  const double ours_update = RandomUpdateNs(planes, seconds);
  const double ours_query = RandomReadNs(presence_bytes, 1, seconds);
  const double textbook_update = k * RandomUpdateNs(textbook_bytes, 1, seconds);
  const double textbook_query = k * RandomReadNs(textbook_bytes, 1, seconds);
  const double split_update = RandomUpdateNs(presence_bytes, 1, seconds);
  return {{ours_update, ours_update, textbook_update, textbook_update, split_update},
          {ours_query, ours_query, textbook_query, textbook_query, ours_query}};
}

}  // namespace trommel::bench
