// Names and texts of invariants and events.
#include "tools/stress/records/invariant.h"

#include <fmt/format.h>

#include <array>

namespace trommel::stress {
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
