// RegionServer: answers lookups about the ranges that one server holds, on threads of its own.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_REGION_SERVER_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_REGION_SERVER_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/holdings.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/region_store.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

// Failures that tests cause: how a server answers lookups.
enum class Outage : uint8_t {
  kNone,    // normally
  kFails,   // with a failure, at once
  kSilent,  // not before the deadline
};

// Thread safety: any thread may call anything at any time, but for Start and destruction.
class RegionServer {
 public:
  // The store must outlive the server.
  RegionServer(const RocksRowStore& store, size_t num_attributes)
      : store_(store), num_attributes_(num_attributes), holdings_(store.folder()) {}
  RegionServer(const RegionServer&) = delete;
  RegionServer& operator=(const RegionServer&) = delete;
  // Lookups that wait fail.
  ~RegionServer();

  // Starts the threads. Fails with kIo if the system grants no more.
  Status Start(uint32_t num_threads);
  // LookupServers::SetHeld and SetAnswering.
  void SetHeld(std::vector<KeyRange> ranges) noexcept { holdings_.Set(std::move(ranges)); }
  void SetAnswering(bool is_answering) { holdings_.SetAnswering(is_answering); }
  // RegionStore::Lookup.
  void Lookup(LookupRequest request, RegionStore::Completion completion);
  // Returns the versions of the row, none if there is none; or nothing: the server did not hold its
  // key throughout the call. Fails as a lookup does. Runs in the calling thread.
  Result<std::optional<Versions>> Read(std::string_view key);
  void SetOutage(Outage outage);

  uint64_t num_lookups() const { return num_lookups_.load(std::memory_order_relaxed); }

 private:
  struct Waiting {
    LookupRequest request;
    RegionStore::Completion completion;
  };

  void AnswerLookups();
  LookupAnswer Answer(const LookupRequest& request);
  Status Verify(const LookupRequest& request) const;
  // Returns why the server does not answer now, if it does not.
  Status WaitThroughOutage(const LookupRequest& request);

  const RocksRowStore& store_;
  const size_t num_attributes_;

  Holdings holdings_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  Outage outage_ = Outage::kNone;
  bool is_stopping_ = false;

  std::atomic<uint64_t> num_lookups_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_REGION_SERVER_H_
