// What every thread of a round keeps.
#include "tools/stress/witness.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trommel::stress {
namespace {

constexpr size_t kEventsOfAThread = 6;

}  // namespace

uint64_t Totals::num_all_keys() const {
  return std::accumulate(num_keys.begin(), num_keys.end(), uint64_t{0});
}

Totals& Totals::operator+=(const Totals& other) {
  num_calls += other.num_calls;
  for (size_t op = 0; op < kNumOps; ++op) num_keys[op] += other.num_keys[op];
  num_checked += other.num_checked;
  num_races += other.num_races;
  num_audits += other.num_audits;
  return *this;
}

uint64_t Witness::Begin(Op op, Ids ids) {
  ++totals.num_calls;
  totals.num_keys[static_cast<size_t>(op)] += ids.size();
  return state_.clock.fetch_add(1, std::memory_order_relaxed);
}

void Witness::End(Op op, uint64_t begin, Ids ids, std::span<const uint64_t> answers) {
  log_.Add(op, begin, state_.clock.load(std::memory_order_relaxed), ids, answers);
  if (totals.num_calls % 64 == 0 || ids.size() > 64) {
    // Not exact: a call in so many adds for all of them.
    state_.num_keys.fetch_add(ids.size() > 64 ? ids.size() : 64 * ids.size(),
                              std::memory_order_relaxed);
  }
}

void Witness::Blame(Law law, std::optional<uint32_t> id, std::string detail) {
  state_.stop.store(true, std::memory_order_relaxed);
  if (violation_) return;
  violation_ = Violation{};
  violation_->law = law;
  violation_->id = id;
  violation_->thread = thread_;
  violation_->time = state_.clock.load(std::memory_order_relaxed);
  violation_->detail = std::move(detail);
}

std::optional<Violation> FirstViolation(std::span<const Witness* const> witnesses,
                                        const KeyTable& keys) {
  const Violation* first = nullptr;
  for (const Witness* witness : witnesses) {
    const std::optional<Violation>& found = witness->violation();
    if (found && (first == nullptr || found->time < first->time)) first = &*found;
  }
  if (first == nullptr) return std::nullopt;
  Violation violation = *first;
  if (!violation.id) return violation;
  violation.key = keys.Text(*violation.id);
  for (const Witness* witness : witnesses) {
    const auto events = witness->log().Last(*violation.id, witness->thread(), kEventsOfAThread);
    violation.events.insert(violation.events.end(), events.begin(), events.end());
  }
  std::stable_sort(violation.events.begin(), violation.events.end(),
                   [](const Event& a, const Event& b) { return a.begin < b.begin; });
  return violation;
}

}  // namespace trommel::stress
