// Inbox: where completions of lookups leave their answers for the query that waits.
//
// It is shared by the query and by all completions, so a completion that comes when the query has
// returned finds it, closed, and drops its answer.
#ifndef TROMMEL_ENGINE_INDEX_SRC_QUERY_INBOX_H_
#define TROMMEL_ENGINE_INDEX_SRC_QUERY_INBOX_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "trommel/index/region_store.h"

namespace trommel::index {

class Inbox {
 public:
  // Returns the number of a new lookup, whose answer may then be delivered. Reserves all memory
  // that Deliver needs.
  size_t Expect() {
    const std::lock_guard<std::mutex> lock(mutex_);
    arrived_.reserve(slots_.size() + 1);
    slots_.emplace_back();
    return slots_.size() - 1;
  }

  // For completions. Only the first answer of a lookup counts.
  void Deliver(size_t lookup, LookupAnswer answer) noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (is_closed_ || slots_[lookup].is_delivered) return;
      slots_[lookup].is_delivered = true;
      slots_[lookup].answer = std::move(answer);
      arrived_.push_back(lookup);
    }
    changed_.notify_one();
  }

  // Waits until an answer is there or the time has come. Returns the lookups that were answered
  // since the last call, in the order of their answers.
  std::vector<std::pair<size_t, LookupAnswer>> Take(std::chrono::steady_clock::time_point until) {
    std::vector<std::pair<size_t, LookupAnswer>> taken;
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_until(lock, until, [this] { return !arrived_.empty(); });
    taken.reserve(arrived_.size());
    for (const size_t lookup : arrived_) {
      taken.emplace_back(lookup, std::move(slots_[lookup].answer));
    }
    arrived_.clear();
    return taken;
  }

  // From now on answers are dropped.
  void Close() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_closed_ = true;
    slots_.clear();
  }

 private:
  struct Slot {
    bool is_delivered = false;
    LookupAnswer answer;
  };

  std::mutex mutex_;  // over all below
  std::condition_variable changed_;
  bool is_closed_ = false;
  std::deque<Slot> slots_;       // by lookup
  std::vector<size_t> arrived_;  // lookups that were delivered and not taken
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_QUERY_INBOX_H_
