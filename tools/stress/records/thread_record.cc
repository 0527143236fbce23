// What each thread of a round keeps.
#include "tools/stress/records/thread_record.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trommel::stress {
namespace {

constexpr size_t kEventsPerThread = 6;

}  // namespace

uint64_t Totals::num_all_keys() const {
  return std::accumulate(num_keys.begin(), num_keys.end(), uint64_t{0});
}

Totals& Totals::operator+=(const Totals& other) {
  num_calls += other.num_calls;
  for (size_t op = 0; op < kNumOps; ++op) num_keys[op] += other.num_keys[op];
  num_checked += other.num_checked;
  num_races += other.num_races;
  num_refused += other.num_refused;
  num_unclear += other.num_unclear;
  num_refused_erases += other.num_refused_erases;
  num_audits += other.num_audits;
  return *this;
}

void EventLog::Add(Op op, uint64_t begin, uint64_t end, Ids ids,
                   std::span<const uint64_t> answers) {
  calls_[num_calls_++ % kNumCalls] = {begin, end, num_keys_, static_cast<uint32_t>(ids.size()), op};
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool answer = !answers.empty() && (answers[i / 64] >> (i % 64) & 1) != 0;
    keys_[num_keys_++ % kNumKeys] = ids[i] << 1 | static_cast<uint32_t>(answer);
  }
}

std::vector<Event> EventLog::Last(uint32_t id, uint32_t thread, size_t max_events) const {
  std::vector<Event> events;
  const uint64_t first_kept = num_keys_ > kNumKeys ? num_keys_ - kNumKeys : 0;
  for (uint64_t i = num_calls_; i > 0 && num_calls_ - i < kNumCalls; --i) {
    const Call& call = calls_[(i - 1) % kNumCalls];
    for (uint32_t back = call.num_keys; back > 0; --back) {
      const uint64_t key_idx = call.first_key + back - 1;
      if (key_idx < first_kept || events.size() == max_events) break;
      const uint32_t word = keys_[key_idx % kNumKeys];
      if (word >> 1 != id) continue;
      events.push_back(
          {call.begin, call.end, thread, call.op, (word & 1) != 0, call.num_keys, back - 1});
    }
    if (events.size() == max_events || call.first_key < first_kept) break;
  }
  std::reverse(events.begin(), events.end());
  return events;
}

uint64_t ThreadRecord::Begin(Op op, Ids ids) {
  ++totals.num_calls;
  totals.num_keys[static_cast<size_t>(op)] += ids.size();
  return state_.clock.fetch_add(1, std::memory_order_relaxed);
}

void ThreadRecord::End(Op op, uint64_t begin, Ids ids, std::span<const uint64_t> answers) {
  log_.Add(op, begin, state_.clock.load(std::memory_order_relaxed), ids, answers);
  if (totals.num_calls % 64 == 0 || ids.size() > 64) {
    // An estimate: one small call in 64 adds for all of them.
    state_.num_keys.fetch_add(ids.size() > 64 ? ids.size() : 64 * ids.size(),
                              std::memory_order_relaxed);
  }
}

void ThreadRecord::Report(Invariant invariant, std::optional<uint32_t> id, std::string detail) {
  state_.stop.store(true, std::memory_order_relaxed);
  if (violation_) return;
  violation_ = Violation{};
  violation_->invariant = invariant;
  violation_->id = id;
  violation_->thread = thread_;
  violation_->time = state_.clock.load(std::memory_order_relaxed);
  violation_->detail = std::move(detail);
}

std::optional<Violation> FirstViolation(std::span<const ThreadRecord* const> records,
                                        const KeyTable& keys) {
  const Violation* first = nullptr;
  for (const ThreadRecord* record : records) {
    const std::optional<Violation>& found = record->violation();
    if (found && (first == nullptr || found->time < first->time)) first = &*found;
  }
  if (first == nullptr) return std::nullopt;
  Violation violation = *first;
  if (!violation.id) return violation;
  violation.key = keys.Text(*violation.id);
  for (const ThreadRecord* record : records) {
    const auto events = record->log().Last(*violation.id, record->thread(), kEventsPerThread);
    violation.events.insert(violation.events.end(), events.begin(), events.end());
  }
  std::stable_sort(violation.events.begin(), violation.events.end(),
                   [](const Event& a, const Event& b) { return a.begin < b.begin; });
  return violation;
}

}  // namespace trommel::stress
