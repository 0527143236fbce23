#include "bench/arena.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "bench/cpu_clock.h"
#include "bench/fpr_bounds.h"
#include "bench/roofline.h"

namespace trommel::bench {
namespace {

// A timed batch: large against the caches where the filter is, small against its capacity always.
constexpr uint64_t kMaxChunkKeys = 1'000'000;
constexpr uint64_t kKeysPerMeasurement = 2'000'000;
constexpr uint64_t kMaxPool = 4'000'000;

uint64_t BatchSize(uint64_t num_keys) {
  return std::clamp<uint64_t>(num_keys / 32, 1, kMaxChunkKeys);
}

// As many keys as a pool should hold: whole batches, several of them, so that one comes round again
// only after others have passed through the cache.
uint64_t PoolSize(uint64_t num_keys) {
  const uint64_t batch = BatchSize(num_keys);
  return std::min(num_keys - batch, kMaxPool) / batch * batch;
}

// What memory allows for such accesses, each measured once.
class CeilingBook {
 public:
  using Measure = double(std::span<const Touch>, double, uint32_t);

  CeilingBook(Measure* measure, double seconds) : measure_(measure), seconds_(seconds) {}

  double Ns(const Access& access) {
    const auto same = [&access](const Touch& a, const Touch& b) {
      return a.bytes == b.bytes && a.lines == b.lines;
    };
    for (const auto& [shape, ns] : known_) {
      if (std::ranges::equal(shape, access.shape, same)) return access.times * ns;
    }
    known_.emplace_back(access.shape, measure_(access.shape, seconds_, 1));
    return access.times * known_.back().second;
  }

 private:
  Measure* measure_;
  double seconds_;
  std::vector<std::pair<std::vector<Touch>, double>> known_;
};

template <class Call>
double Seconds(const Call& call) {
  const double start = CpuSeconds();
  call();
  return CpuSeconds() - start;
}

}  // namespace

Arena::Arena(uint64_t num_keys, std::vector<std::unique_ptr<Contender>> sides)
    : num_keys_(num_keys),
      batch_size_(BatchSize(num_keys)),
      steps_((kKeysPerMeasurement + batch_size_ - 1) / batch_size_),
      num_members_(num_keys - batch_size_),
      members_(kFirstMember, PoolSize(num_keys)),
      guests_(kFirstGuest, std::min<uint64_t>(4 * batch_size_, PoolSize(num_keys))),
      strangers_(kFirstStranger, PoolSize(num_keys)),
      sides_(std::move(sides)),
      measured_fpr_(sides_.size()) {
  ForEachBatch(kFirstMember, num_members_, [this](Batch batch) {
    ForEachFilter([batch](Contender& side) { side.Insert(batch, false); });
  });
}

template <class Visit>
void Arena::ForEachFilter(const Visit& visit) {
  std::set<const void*> seen;
  for (const auto& side : sides_) {
    if (seen.insert(side->filter_id()).second) visit(*side);
  }
}

std::string Arena::Prove() {
  std::string wrong;
  ForEachBatch(kFirstMember, num_members_, [&](Batch batch) {
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

double Arena::StepSeconds(size_t side_idx, Op op) {
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

SideCeilings Arena::MeasureSideCeilings(const std::vector<size_t>& sides, double seconds) const {
  const std::vector<double> none(sides_.size(), std::numeric_limits<double>::quiet_NaN());
  SideCeilings ceilings{none, none};
  CeilingBook updates(&RandomUpdateNs, seconds);
  CeilingBook reads(&RandomReadNs, seconds);
  for (const size_t side : sides) {
    ceilings.update_ns[side] = updates.Ns(sides_[side]->update_access());
    ceilings.query_ns[side] = reads.Ns(sides_[side]->query_access());
  }
  return ceilings;
}

void Arena::FillUp() {
  ForEachBatch(kFirstMember + num_members_, num_keys_ - num_members_, [this](Batch batch) {
    ForEachFilter([batch](Contender& side) { side.Insert(batch, false); });
  });
  num_members_ = num_keys_;
}

std::string Arena::EraseAll() {
  std::string wrong;
  ForEachFilter([&](Contender& side) {
    if (!wrong.empty() || !side.CanDo(Op::kErase)) return;
    uint64_t num_erased = 0;
    ForEachBatch(kFirstMember, num_members_,
                 [&](Batch batch) { num_erased += side.Erase(batch, false); });
    if (num_erased != num_members_) wrong = "a member could not be erased";
    const uint64_t num_left =
        side.Query(members_.batch(), false) + side.Query(strangers_.batch(), false);
    if (num_left != 0) wrong = "not empty after all keys were erased";
    if (!wrong.empty()) wrong = std::string(side.name()) + ": " + wrong;
  });
  num_members_ = 0;
  return wrong;
}

}  // namespace trommel::bench
