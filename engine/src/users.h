// Users: who is inside an object that some operations need to themselves. Debug builds count;
// others do nothing.
#ifndef TROMMEL_ENGINE_SRC_USERS_H_
#define TROMMEL_ENGINE_SRC_USERS_H_

#include <atomic>
#include <cstdint>

#include "engine/src/check.h"

namespace trommel {

class Users {
 public:
#ifdef NDEBUG
  struct Use {
    ~Use() {}  // so that a variable of it is not unused
  };
  Use Enter() { return {}; }
  void CheckAlone() {}
#else
  class Use {
   public:
    explicit Use(std::atomic<int64_t>& count) : count_(count) {
      count_.fetch_add(1, std::memory_order_acquire);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { count_.fetch_sub(1, std::memory_order_release); }

   private:
    std::atomic<int64_t>& count_;
  };
  Use Enter() { return Use(count_); }
  void CheckAlone() {
    TROMMEL_CHECK(count_.load(std::memory_order_acquire) == 0,
                  "an exclusive operation while another one runs");
  }

 private:
  std::atomic<int64_t> count_{0};
#endif
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_USERS_H_
