// The laws in words.
#include "tools/stress/law.h"

#include <fmt/format.h>

namespace trommel::stress {

std::string_view OpName(Op op) {
  switch (op) {
    case Op::kInsert:
      return "insert";
    case Op::kInsertIfAbsent:
      return "insert-if-absent";
    case Op::kErase:
      return "erase";
    case Op::kQuery:
      return "query";
    case Op::kCount:
      return "count";
  }
  return "";
}

std::string_view LawName(Law law) {
  switch (law) {
    case Law::kNoFalseNegative:
      return "no-false-negative";
    case Law::kCountNotBelow:
      return "count-not-below";
    case Law::kNewOnlyIfAbsent:
      return "new-only-if-absent";
    case Law::kNewToldOnce:
      return "new-told-once";
    case Law::kEraseNotRefused:
      return "erase-not-refused";
    case Law::kLoneKeyExact:
      return "lone-key-exact";
    case Law::kSumsAgree:
      return "sums-agree";
    case Law::kRoomForAll:
      return "room-for-all";
    case Law::kWholeFilter:
      return "whole-filter";
    case Law::kWithinWindow:
      return "within-window-never-missed";
    case Law::kExpiredIsGone:
      return "expired-is-gone";
    case Law::kTimeAsTold:
      return "time-as-told";
    case Law::kNumKeysExact:
      return "num-keys-exact";
    case Law::kBytesAsSequential:
      return "bytes-as-sequential";
    case Law::kEmptyAfterDraining:
      return "empty-after-draining";
  }
  return "";
}

std::string_view LawSentence(Law law) {
  switch (law) {
    case Law::kNoFalseNegative:
      return "a key that is in is never answered \"absent\"";
    case Law::kCountNotBelow:
      return "a count estimate is never below the true count";
    case Law::kNewOnlyIfAbsent:
      return "InsertIfAbsent says \"new\" of no key that is in";
    case Law::kNewToldOnce:
      return "of racing callers exactly one is told \"new\"";
    case Law::kEraseNotRefused:
      return "the erasure of a key that is in is never refused";
    case Law::kLoneKeyExact:
      return "a key alone in its block is counted exactly";
    case Law::kSumsAgree:
      return "a returned number agrees with its bitmap";
    case Law::kRoomForAll:
      return "a filter that grows refuses no insertion that its budgets allow";
    case Law::kWholeFilter:
      return "num_keys, statistics and snapshots miss no key that is in, and load";
    case Law::kWithinWindow:
      return "until a window after its insertion, a key is never answered \"absent\"";
    case Law::kExpiredIsGone:
      return "a bucket that has left the window is gone, with all its keys";
    case Law::kTimeAsTold:
      return "time is what the last Advance said, never goes back, and an insertion's time is one "
             "of "
             "its call";
    case Law::kNumKeysExact:
      return "after the threads joined, num_keys is exact";
    case Law::kBytesAsSequential:
      return "after the threads joined, the bytes are a sequential filter's";
    case Law::kEmptyAfterDraining:
      return "when all keys are erased, every bit, counter and side table entry is gone, and every "
             "generation but one";
  }
  return "";
}

std::string ThreadName(uint32_t thread, uint32_t num_writers) {
  if (thread == kMainThread) return "main";
  if (thread == kTickerThread) return "ticker";
  return thread < num_writers ? fmt::format("writer {}", thread)
                              : fmt::format("reader {}", thread - num_writers);
}

std::string EventText(const Event& event, uint32_t num_writers) {
  std::string_view answer;
  switch (event.op) {
    case Op::kInsert:
      answer = "done";
      break;
    case Op::kInsertIfAbsent:
      answer = event.answer ? "new" : "maybe present";
      break;
    case Op::kErase:
      answer = event.answer ? "erased" : "refused";
      break;
    case Op::kQuery:
      answer = event.answer ? "maybe present" : "absent";
      break;
    case Op::kCount:
      answer = event.answer ? "above zero" : "zero";
      break;
  }
  return fmt::format("{:>10} - {:<10} {:<10} {:<16} {:<14} key {} of {}", event.begin, event.end,
                     ThreadName(event.thread, num_writers), OpName(event.op), answer,
                     event.position + 1, event.batch);
}

}  // namespace trommel::stress
