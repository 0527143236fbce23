// BusyRegions: regions that a split, merge or move works on, so that no other does.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CHANGES_BUSY_REGIONS_H_
#define TROMMEL_ENGINE_INDEX_SRC_CHANGES_BUSY_REGIONS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "trommel/result.h"

namespace trommel::index {

// Thread safety: any thread.
class BusyRegions {
 public:
  // A region is busy for the lifetime of this object.
  class Hold {
   public:
    Hold(Hold&& other) noexcept : busy_(std::exchange(other.busy_, nullptr)), id_(other.id_) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (busy_ == nullptr) return;
      const std::lock_guard lock(busy_->mutex_);
      busy_->doings_.erase(id_);
    }

   private:
    friend class BusyRegions;
    Hold(BusyRegions& busy, uint32_t id) : busy_(&busy), id_(id) {}

    BusyRegions* busy_;
    uint32_t id_;
  };

  // `doing` says what is done to the region: "moved to server 3". Fails with kBusy if something is.
  Result<Hold> Take(uint32_t region_id, const std::string& doing) {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = doings_.try_emplace(region_id, doing);
    if (is_new) return Hold(*this, region_id);
    return Error{ErrorCode::kBusy, "region " + std::to_string(region_id) + " is being " +
                                       entry->second + "; try again when that has ended"};
  }
  // Returns whether the region is busy.
  bool Has(uint32_t region_id) const {
    const std::lock_guard lock(mutex_);
    return doings_.contains(region_id);
  }

 private:
  mutable std::mutex mutex_;
  std::map<uint32_t, std::string> doings_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CHANGES_BUSY_REGIONS_H_
