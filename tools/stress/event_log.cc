// The last calls of one thread.
#include "tools/stress/event_log.h"

#include <algorithm>

namespace trommel::stress {

void EventLog::Add(Op op, uint64_t begin, uint64_t end, std::span<const uint32_t> ids,
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

}  // namespace trommel::stress
