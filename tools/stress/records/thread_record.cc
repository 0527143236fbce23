// What each thread of a round keeps.
#include "tools/stress/records/thread_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

namespace {

struct InvariantText {
  std::string_view name;
  std::string_view sentence;
};

// By Invariant.
constexpr std::array<InvariantText, kNumInvariants> kInvariants = {{
    {"no-false-negative", "a key that is in is never answered \"absent\""},
    {"count-not-below", "a count estimate is never below the true count"},
    {"new-only-if-absent", "InsertIfAbsent never says \"new\" of a key that is in"},
    {"new-told-once", "of racing callers exactly one is told \"new\""},
    {"erase-not-refused", "the erasure of a key that is in is never refused"},
    {"lone-key-exact", "a key alone in its block is counted exactly"},
    {"sums-agree", "a returned number agrees with its bitmap"},
    {"room-for-all", "a filter that grows refuses no insertion that its budgets allow"},
    {"refusals-agree",
     "an update is refused if and only if it must or may be, and refusals are counted exactly"},
    {"whole-filter", "num_keys, statistics and snapshots miss no key that is in, and load"},
    {"within-window-never-missed",
     "until a window after its insertion, a key is never answered \"absent\""},
    {"expired-is-gone", "a bucket that has left the window is gone, with all its keys"},
    {"time-as-told",
     "time is that of the last Advance, never goes back, and an insertion's time is one of its "
     "call"},
    {"num-keys-exact", "after the threads have joined, num_keys is exact"},
    {"bytes-as-sequential", "after the threads have joined, the bytes are a sequential filter's"},
    {"empty-after-draining",
     "when all keys are erased, every bit, counter and side table entry is gone, and all blocks "
     "that a filter had grown by"},
}};

struct OpText {
  std::string_view name;
  std::string_view no;  // by answer
  std::string_view yes;
};

// By Op.
constexpr std::array<OpText, kNumOps> kOps = {{
    {"insert", "refused", "done"},
    {"insert-if-absent", "maybe present", "new"},
    {"erase", "refused", "erased"},
    {"query", "absent", "maybe present"},
    {"count", "zero", "above zero"},
}};

}  // namespace

std::string_view OpName(Op op) { return kOps[static_cast<size_t>(op)].name; }

std::string_view InvariantName(Invariant invariant) {
  return kInvariants[static_cast<size_t>(invariant)].name;
}

std::string_view InvariantSentence(Invariant invariant) {
  return kInvariants[static_cast<size_t>(invariant)].sentence;
}

std::string ThreadName(uint32_t thread, uint32_t num_writers) {
  if (thread == kMainThread) return "main";
  if (thread == kTickerThread) return "ticker";
  return thread < num_writers ? fmt::format("writer {}", thread)
                              : fmt::format("reader {}", thread - num_writers);
}

std::string EventText(const Event& event, uint32_t num_writers) {
  const OpText& op = kOps[static_cast<size_t>(event.op)];
  return fmt::format("{:>10} - {:<10} {:<10} {:<16} {:<14} key {} of {}", event.begin, event.end,
                     ThreadName(event.thread, num_writers), op.name, event.answer ? op.yes : op.no,
                     event.position + 1, event.batch);
}

}  // namespace trommel::stress
