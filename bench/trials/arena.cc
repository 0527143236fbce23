#include "bench/trials/arena.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "bench/machine/clock.h"
#include "bench/machine/roofline.h"
#include "bench/sides/fpr_bounds.h"

namespace trommel::bench {
namespace {

// Of a timed batch: large beside the caches where the filter is, always small beside its capacity.
constexpr uint64_t kMaxBatch = 1'000'000;
// Of a measurement: at most so many, and no more passes over a small filter than settle a median.
constexpr uint64_t kMaxMeasuredKeys = 2'000'000;
constexpr uint64_t kMaxPasses = 8;
constexpr uint64_t kMaxPool = 4'000'000;
// Substitutes take the places of members for a time.
constexpr uint64_t kFirstSubstitute = kFirstGuest + (uint64_t{1} << 39);
constexpr uint64_t kReplacedAtOnce = 1024;  // few beside the capacity: the load stays the same

uint64_t BatchSize(uint64_t num_keys) { return std::clamp<uint64_t>(num_keys / 32, 1, kMaxBatch); }

// The keys of a pool: whole batches, several of them, so that one is used again only after others
// have passed through the cache.
uint64_t PoolSize(uint64_t num_keys, uint64_t batch) {
  return std::min(num_keys - batch, kMaxPool) / batch * batch;
}

template <class Call>
double Seconds(const Call& call) {
  return 1e-9 * CpuNsPerKey(1, call);
}

}  // namespace

Arena::Arena(uint64_t num_keys, std::vector<std::unique_ptr<Contender>> sides)
    : Arena(num_keys, BatchSize(num_keys), std::move(sides)) {}

Arena::Arena(uint64_t num_keys, size_t batch_size, std::vector<std::unique_ptr<Contender>> sides)
    : num_keys_(num_keys),
      batch_size_(std::min<uint64_t>(batch_size, num_keys / 15)),
      steps_((std::min(kMaxMeasuredKeys, kMaxPasses * num_keys) + batch_size_ - 1) / batch_size_),
      num_members_(num_keys - batch_size_),
      members_(kFirstMember, PoolSize(num_keys, batch_size_)),
      guests_(kFirstGuest, std::min<uint64_t>(4 * batch_size_, PoolSize(num_keys, batch_size_))),
      non_members_(kFirstNonMember, PoolSize(num_keys, batch_size_)),
      sides_(std::move(sides)),
      measured_fpr_(sides_.size()) {
  ForEachBatch(kFirstMember, num_members_, [this](Batch batch) {
    ForEachFilter([batch](Contender& side) { side.Insert(batch, Form::kBatch); });
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
      if (side->Query(batch, Form::kBatch) != batch.size()) wrong = "a member is absent";
    }
  });
  const Batch non_members = non_members_.batch();
  const auto num_non_members = static_cast<double>(non_members.size());
  for (size_t s = 0; s < sides_.size(); ++s) {
    const Contender& side = *sides_[s];
    const uint64_t num_present = side.Query(non_members, Form::kBatch);
    measured_fpr_[s] = static_cast<double>(num_present) / num_non_members;
    if (side.Query(non_members, Form::kPoint) != num_present)
      wrong = "batch and point queries disagree";
    const double predicted = side.PredictedFpr(num_members_);
    const double reach = kMaxSigmas * side.FprSigma(num_members_, non_members.size());
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
  const Form form = FormOf(op);
  uint64_t count = 0;
  if (Batched(op) == Op::kQueryHit) {
    const Batch batch = NextBatch(members_);
    const double seconds = Seconds([&] { count = side.Query(batch, form); });
    return count == batch.size() ? seconds : kWrong;
  }
  if (Batched(op) == Op::kQueryMiss) {
    const Batch batch = NextBatch(non_members_);
    const double seconds = Seconds([&] { count = side.Query(batch, form); });
    const double fpr = static_cast<double>(count) / static_cast<double>(batch.size());
    const double reach = kMaxSigmas * side.FprSigma(num_keys_, batch.size());
    return std::abs(fpr - measured_fpr_[side_idx]) <= 2 * reach ? seconds : kWrong;
  }
  if (!side.CanDo(Op::kErase)) {
    // Guests could not be erased again. Inserting members is the same work and changes nothing.
    const Batch batch = NextBatch(members_);
    const double seconds = Seconds([&] { side.Insert(batch, form); });
    return side.Query(batch, Form::kBatch) == batch.size() ? seconds : kWrong;
  }
  const Batch batch = NextBatch(guests_);
  const double insert_seconds = Seconds([&] { side.Insert(batch, form); });
  // Erasing all guests also proves the insert.
  const double erase_seconds = Seconds([&] { count = side.Erase(batch, form); });
  if (count != batch.size()) return kWrong;
  return Batched(op) == Op::kInsert ? insert_seconds : erase_seconds;
}

double Arena::NsPerKey(size_t side, Op op) {
  double seconds = 0;
  for (size_t step = 0; step < steps_; ++step) {
    const double step_seconds = StepSeconds(side, op);
    if (step_seconds < 0) return -1;
    seconds += step_seconds;
  }
  return seconds * 1e9 / static_cast<double>(steps_ * batch_size_);
}

SideCeilings Arena::MeasureCeilings(size_t side, double seconds) const {
  const Access update = sides_[side]->update_access();
  const Access query = sides_[side]->query_access();
  return {update.times * RandomUpdateNs(update.shape, seconds),
          query.times * RandomReadNs(query.shape, seconds)};
}

void Arena::FillUp() {
  ForEachBatch(kFirstMember + num_members_, num_keys_ - num_members_, [this](Batch batch) {
    ForEachFilter([batch](Contender& side) { side.Insert(batch, Form::kBatch); });
  });
  num_members_ = num_keys_;
}

std::string Arena::MakeSpace() {
  std::string wrong;
  num_members_ = num_keys_ - batch_size_;
  const Population last(kFirstMember + num_members_, batch_size_);
  ForEachFilter([&](Contender& side) {
    if (!side.CanDo(Op::kErase)) return;
    if (side.Erase(last.batch(), Form::kBatch) != batch_size_)
      wrong = "a member could not be erased";
  });
  return wrong;
}

std::string Arena::Churn() {
  std::string wrong;
  const auto replace = [&](uint64_t first_old, uint64_t first_new) {
    ForEachBatch(first_old, num_members_, [&](Batch olds) {
      const Population news(first_new, olds.size());
      first_new += olds.size();
      ForEachFilter([&](Contender& side) {
        if (!side.CanDo(Op::kErase)) return;
        for (size_t i = 0; i < olds.size(); i += kReplacedAtOnce) {
          const size_t count = std::min<size_t>(kReplacedAtOnce, olds.size() - i);
          if (side.Erase(olds.Part(i, count), Form::kBatch) != count) {
            wrong = std::string(side.name()) + ": a replaced key could not be erased";
          }
          side.Insert(news.batch().Part(i, count), Form::kBatch);
        }
      });
    });
  };
  replace(kFirstMember, kFirstSubstitute);
  replace(kFirstSubstitute, kFirstMember);
  return wrong;
}

std::string Arena::EraseAll() {
  std::string wrong;
  ForEachFilter([&](Contender& side) {
    if (!wrong.empty() || !side.CanDo(Op::kErase)) return;
    uint64_t num_erased = 0;
    ForEachBatch(kFirstMember, num_members_,
                 [&](Batch batch) { num_erased += side.Erase(batch, Form::kBatch); });
    if (num_erased != num_members_) wrong = "a member could not be erased";
    const uint64_t num_left =
        side.Query(members_.batch(), Form::kBatch) + side.Query(non_members_.batch(), Form::kBatch);
    if (num_left != 0) wrong = "not empty after all keys were erased";
    if (!wrong.empty()) wrong = std::string(side.name()) + ": " + wrong;
  });
  num_members_ = 0;
  return wrong;
}

std::string MeasureRows(Arena& arena, const std::vector<RowPlan>& plans, uint64_t rounds,
                        std::optional<CeilingColumn> ceiling, std::vector<TrialRow>& rows) {
  const size_t first_row = rows.size();
  const size_t num_columns = arena.num_sides() + (ceiling ? 1 : 0);
  for (const RowPlan& plan : plans) rows.push_back({plan.label, std::vector<Figures>(num_columns)});
  for (uint64_t round = 0; round <= rounds; ++round) {
    const bool counts = round > 0;
    SideCeilings ceilings{};
    if (ceiling) ceilings = arena.MeasureCeilings(ceiling->side, ceiling->seconds);
    for (size_t r = 0; r < plans.size(); ++r) {
      std::vector<Figures>& figures = rows[first_row + r].sides;
      const auto& sides = plans[r].sides;
      for (size_t i = 0; i < sides.size(); ++i) {
        const size_t side = sides[(i + round) % sides.size()];  // each is first in turn
        if (!arena.side(side).CanDo(plans[r].op)) continue;
        const double ns = arena.NsPerKey(side, plans[r].op);
        if (ns < 0) {
          return std::string(arena.side(side).name()) + ": wrong answer to " + plans[r].label;
        }
        if (counts) figures[side].push_back(ns);
      }
      if (counts && ceiling) figures.back().push_back(ceilings.For(plans[r].op));
    }
  }
  return "";
}

}  // namespace trommel::bench
