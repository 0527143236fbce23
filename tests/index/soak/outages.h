// Outages: when each server was stopped.
#ifndef TROMMEL_TESTS_INDEX_SOAK_OUTAGES_H_
#define TROMMEL_TESTS_INDEX_SOAK_OUTAGES_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "index/soak/rows.h"

namespace trommel::index::soak {

// Thread safety: any thread may call anything; one server is stopped and started by one thread.
class Outages {
 public:
  // How many outages of each server had ended at some time.
  using Mark = std::array<uint64_t, kNumServers>;

  void Begin(uint32_t server) { ++begun_[server]; }  // before the server is stopped
  void End(uint32_t server) { ++ended_[server]; }    // after it was started

  Mark Now() const {
    Mark mark;
    for (uint32_t server = 0; server < kNumServers; ++server) mark[server] = ended_[server];
    return mark;
  }
  // Returns whether the server was, or may have been, stopped at any time since the mark.
  bool AnySince(const Mark& mark, uint32_t server) const {
    return server < kNumServers && begun_[server] != mark[server];
  }
  bool AnySince(const Mark& mark) const {
    for (uint32_t server = 0; server < kNumServers; ++server) {
      if (AnySince(mark, server)) return true;
    }
    return false;
  }

 private:
  std::array<std::atomic<uint64_t>, kNumServers> begun_{};
  std::array<std::atomic<uint64_t>, kNumServers> ended_{};
};

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_OUTAGES_H_
