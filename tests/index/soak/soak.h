// Soak: what the threads of a round share.
#ifndef TROMMEL_TESTS_INDEX_SOAK_SOAK_H_
#define TROMMEL_TESTS_INDEX_SOAK_SOAK_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "index/soak/board.h"
#include "index/soak/history.h"
#include "index/soak/outages.h"
#include "index/soak/round_plan.h"
#include "trommel/index/cluster.h"
#include "trommel/result.h"

namespace trommel::index::soak {

struct Soak {
  Cluster& cluster;
  History& history;
  Board& board;
  const RoundPlan& plan;
  Outages outages = {};
  std::atomic<bool> is_over = false;

  bool MayGoOn() const { return !is_over && !board.has_failed(); }
  // Returns whether the call may fail so: a server was stopped during it.
  bool IsOutage(const Error& error, const Outages::Mark& mark) const {
    return error.code == ErrorCode::kIo && outages.AnySince(mark);
  }
};

// "Merge of 3 and 4: Busy: ..."
inline std::string FailureText(const std::string& call, const Error& error) {
  return call + ": " + std::string(ErrorCodeName(error.code)) + ": " + error.message;
}

// What a thread does until the round is over. Each has a number of its own on the board.
void StopServers(Soak& soak, uint32_t thread);
void ChangeIndexes(Soak& soak, uint32_t thread);
void ChangeRegions(Soak& soak, uint32_t thread);
void Maintain(Soak& soak, uint32_t thread);
void Ask(Soak& soak, uint32_t thread);

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_SOAK_H_
