// Maintenance: the thread that ends what was begun, and follows the rules by which regions are
// split and moved.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_MAINTENANCE_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_MAINTENANCE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/index/src/changes/balance.h"
#include "engine/index/src/changes/change_context.h"
#include "engine/index/src/changes/index_changes.h"
#include "engine/index/src/changes/region_changes.h"
#include "trommel/index/cluster.h"
#include "trommel/result.h"

namespace trommel::index {

// At each interval: leftovers, backfills and drops; then one split and one move, if a rule asks for
// them. What fails is tried again at the next.
//
// Thread safety: any thread may call anything at any time, but for Start, Stop and destruction. The
// calling thread must hold no pin.
class Maintenance {
 public:
  // All of these must outlive it.
  Maintenance(const ChangeContext& context, const RegionRules& rules, RegionChanges& regions,
              IndexChanges& indexes)
      : context_(context), rules_(rules), regions_(regions), indexes_(indexes) {}
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;
  ~Maintenance() { Stop(); }

  // Starts the thread. Fails with kIo if the system grants none.
  Status Start();
  // Ends it, at the next chunk of whatever it does; a search for the middle of a region ends first.
  void Stop();
  // Lets the thread look now.
  void Wake();

  // Cluster::FinishChanges.
  Result<bool> Finish(const Watch& watch);
  // Returns all regions by key. Sizes of regions whose server fails are 0.
  std::vector<LoadedRegion> Loads() const;
  // Returns the moves that balance the servers that run.
  std::vector<RegionMove> Plan(bool by_writes) const;

  // Why the thread's last try failed; empty: it did not.
  std::string last_failure() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Measured {
    uint64_t num_writes = 0;
    double writes_per_second = 0;
  };

  void Run();
  // One interval's work. Returns the first failure.
  Status Work();
  void MeasureWrites();
  Status SplitByRule();
  Status MoveByRule();
  bool HasRules() const {
    return rules_.split_bytes != 0 || rules_.split_writes_per_second != 0 || rules_.is_balanced;
  }
  Watch WhileRunning() const {
    return {nullptr, [this] { return !is_stopping_.load(std::memory_order_relaxed); }};
  }

  const ChangeContext context_;
  const RegionRules rules_;
  RegionChanges& regions_;
  IndexChanges& indexes_;

  mutable std::mutex mutex_;  // over what follows
  std::condition_variable changed_;
  std::atomic<bool> is_stopping_ = false;
  bool is_woken_ = false;
  std::string last_failure_;
  std::map<uint32_t, Measured> writes_;  // by region
  Clock::time_point measured_at_ = Clock::now();

  std::thread thread_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_MAINTENANCE_H_
