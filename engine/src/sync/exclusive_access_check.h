// ExclusiveAccessCheck: aborts when an exclusive operation on an object runs beside another one.
// Debug builds count the running operations; others do nothing.
#ifndef TROMMEL_ENGINE_SRC_SYNC_EXCLUSIVE_ACCESS_CHECK_H_
#define TROMMEL_ENGINE_SRC_SYNC_EXCLUSIVE_ACCESS_CHECK_H_

#include <atomic>
#include <cstdint>

#include "engine/src/base/check.h"

namespace trommel {

class ExclusiveAccessCheck {
 public:
#ifdef NDEBUG
  struct Access {};
  Access Enter() { return {}; }
  Access EnterExclusive() { return {}; }
#else
  // The operation runs for the lifetime of this object.
  class Access {
   public:
    Access(std::atomic<int64_t>& count, int64_t weight) : count_(count), weight_(weight) {
      const int64_t before = count_.fetch_add(weight_, std::memory_order_acquire);
      const bool is_exclusive = weight_ < 0;
      TROMMEL_CHECK(is_exclusive ? before == 0 : before >= 0,
                    "an exclusive operation while another one runs");
    }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;
    ~Access() { count_.fetch_sub(weight_, std::memory_order_release); }

   private:
    std::atomic<int64_t>& count_;
    const int64_t weight_;
  };
  Access Enter() { return Access(count_, 1); }
  Access EnterExclusive() { return Access(count_, -(int64_t{1} << 62)); }

 private:
  std::atomic<int64_t> count_{0};  // running operations; negative during an exclusive one
#endif
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SYNC_EXCLUSIVE_ACCESS_CHECK_H_
