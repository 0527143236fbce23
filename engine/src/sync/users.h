// Users: who is inside an object that some operations need to themselves. Debug builds count;
// others do nothing.
#ifndef TROMMEL_ENGINE_SRC_SYNC_USERS_H_
#define TROMMEL_ENGINE_SRC_SYNC_USERS_H_

#include <atomic>
#include <cstdint>

#include "engine/src/base/check.h"

namespace trommel {

class Users {
 public:
#ifdef NDEBUG
  struct Use {};
  Use Enter() { return {}; }
  Use EnterAlone() { return {}; }
#else
  // Inside for as long as it lives.
  class Use {
   public:
    Use(std::atomic<int64_t>& count, int64_t weight) : count_(count), weight_(weight) {
      const int64_t before = count_.fetch_add(weight_, std::memory_order_acquire);
      const bool is_alone_wanted = weight_ < 0;
      TROMMEL_CHECK(is_alone_wanted ? before == 0 : before >= 0,
                    "an exclusive operation while another one runs");
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { count_.fetch_sub(weight_, std::memory_order_release); }

   private:
    std::atomic<int64_t>& count_;
    const int64_t weight_;
  };
  Use Enter() { return Use(count_, 1); }
  Use EnterAlone() { return Use(count_, -(int64_t{1} << 62)); }

 private:
  std::atomic<int64_t> count_{0};  // how many are inside; negative while one is there alone
#endif
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_USERS_H_
