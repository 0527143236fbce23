// EventLog: the last calls of one thread, key by key, cheap enough to be written all the time. Read
// only after the thread has joined.
#ifndef TROMMEL_TOOLS_STRESS_EVENT_LOG_H_
#define TROMMEL_TOOLS_STRESS_EVENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/stress/law.h"

namespace trommel::stress {

class EventLog {
 public:
  // Two rings: of calls, and of their keys.
  static constexpr size_t kNumCalls = size_t{1} << 13;
  static constexpr size_t kNumKeys = size_t{1} << 17;

  EventLog() : calls_(kNumCalls), keys_(kNumKeys) {}

  // Bit i of `answers` is key i's; without any, all are 0.
  void Add(Op op, uint64_t begin, uint64_t end, std::span<const uint32_t> ids,
           std::span<const uint64_t> answers);

  // The last events of this key, at most so many, oldest first.
  std::vector<Event> Last(uint32_t id, uint32_t thread, size_t max_events) const;

 private:
  struct Call {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t first_key = 0;  // counted from the beginning of the round
    uint32_t num_keys = 0;
    Op op = Op::kInsert;
  };

  std::vector<Call> calls_;
  std::vector<uint32_t> keys_;  // id * 2 + answer
  uint64_t num_calls_ = 0;
  uint64_t num_keys_ = 0;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_EVENT_LOG_H_
