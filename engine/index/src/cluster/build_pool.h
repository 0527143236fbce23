// BuildPool: the threads that build columns in the background, and BuildColumns beside them.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_BUILD_POOL_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_BUILD_POOL_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "engine/index/src/protocol/column_builder.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// Threads take columns from one queue, which is filled with the columns that are not built when it
// is empty. A column that one thread builds is not given to another. One that cannot be built, as
// those of a server that is lost, comes again when the queue is filled again. A thread that finds
// nothing to do, or nothing that can be built, looks again after a while, because marking a column
// unbuilt notifies no builder.
//
// Thread safety: any thread may call anything at any time, but for Start, Stop and destruction. The
// calling thread must hold no pin.
class BuildPool {
 public:
  // All of these must outlive the pool. servers[i] is server i's store.
  BuildPool(ServerIndex& directory, RegionStates& regions, std::span<RowStore* const> servers)
      : directory_(directory), builder_(directory, regions, servers) {}
  BuildPool(const BuildPool&) = delete;
  BuildPool& operator=(const BuildPool&) = delete;
  ~BuildPool() { Stop(); }

  // Starts the threads. Fails with kIo if the system grants no more.
  Status Start(uint32_t num_threads);
  // Waits for the chunks under way, of building and of counting pairs, and ends the threads.
  void Stop();

  // Says that rows or columns changed: so structures may have become too small, or too large.
  void NoteWrite() { num_writes_.fetch_add(1, std::memory_order_relaxed); }

  // As Cluster::BuildColumns.
  Result<bool> BuildAll(const std::function<void(uint64_t done, uint64_t total)>& progress,
                        const std::function<bool()>& keep_going);

  // While it is held, no structure gets a successor.
  std::unique_lock<std::mutex> HoldSizes() { return std::unique_lock(sizing_); }

 private:
  using Clock = std::chrono::steady_clock;

  void BuildInBackground();
  // Builds the next column, if there is one. Returns whether there was.
  Result<bool> BuildNext(const std::function<bool()>& keep_going);
  std::optional<ColumnName> TakeColumn();
  void EndColumn(ColumnName column);
  // Returns whether columns are left of what the queue was filled with.
  bool HasQueued();
  // Sizes structures. Returns whether one was made.
  Result<bool> SizeStructures(const std::function<bool()>& keep_going);
  // The same, if rows, columns or regions have changed, or the last one failed, and the last time
  // is long enough ago.
  void SizeStructuresIfDue(const std::function<bool()>& keep_going);
  // Waits for other threads' columns, or for so long.
  void WaitFor(std::chrono::milliseconds time);

  ServerIndex& directory_;
  ColumnBuilder builder_;

  std::atomic<uint64_t> num_writes_ = 0;
  std::mutex sizing_;  // over SizeStructures, and the three that follow
  Clock::time_point next_sizing_{};
  std::optional<uint64_t> num_writes_sized_;  // num_writes_ when structures were last sized
  uint64_t version_sized_ = 0;                // of the directory, then

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ColumnName> queue_;
  std::vector<ColumnName> being_built_;
  uint64_t num_ended_ = 0;  // columns that were taken and given back
  std::atomic<bool> is_stopping_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_BUILD_POOL_H_
