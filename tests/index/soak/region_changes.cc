// Regions that are split, merged and moved.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "index/soak/soak.h"

namespace trommel::index::soak {
namespace {

constexpr size_t kFewRegions = 6, kManyRegions = 90;

std::vector<Region> RegionsOf(const Cluster& cluster) {
  const ServerIndex::Pin pin = cluster.directory().PinVersion();
  return {pin.table().regions().begin(), pin.table().regions().end()};
}

std::optional<Region> RegionOf(const Cluster& cluster, uint32_t id) {
  for (Region& region : RegionsOf(cluster)) {
    if (region.id == id) return std::move(region);
  }
  return std::nullopt;
}

class RegionAdmin {
 public:
  RegionAdmin(Soak& soak, uint32_t thread)
      : soak_(soak), thread_(thread), random_(soak.plan.seed + 300 + thread) {}

  void Step() {
    random_.Pause(std::chrono::milliseconds(random_.OneIn(3) ? 60 : 6));
    const std::vector<Region> regions = RegionsOf(soak_.cluster);
    const uint32_t choice = random_.Below(12);
    if (regions.size() > kManyRegions || (choice < 3 && regions.size() > kFewRegions)) {
      Merge(regions);
    } else if (choice < 6) {
      Split(regions);
    } else if (choice < 11) {
      Move(Choose(regions), random_.Below(kNumServers), random_.OneIn(4));
    } else {
      Balance();
    }
  }

 private:
  // A change failed: so it may, if something else changes regions, or a server is stopped.
  void Judge(const std::string& what, const Error& error, const Outages::Mark& mark,
             bool may_be_invalid) {
    ++soak_.board.num_refused;
    const bool is_alone = soak_.plan.is_alone();
    soak_.board.num_busy += error.code == ErrorCode::kBusy;
    if (error.code == ErrorCode::kBusy && !is_alone) return;
    if (error.code == ErrorCode::kInvalidArgument && (may_be_invalid || !is_alone)) return;
    if (soak_.IsOutage(error, mark)) return;
    soak_.board.Fail(FailureText(what, error));
  }
  // Often the same region for all administrators.
  const Region& Choose(const std::vector<Region>& regions) {
    if (!random_.OneIn(3)) return regions[random_.Below(regions.size())];
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return regions[Mix(static_cast<uint64_t>(now / std::chrono::milliseconds(50))) %
                   regions.size()];
  }
  void Expect(bool is_so, const std::string& what) {
    if (!is_so) soak_.board.Fail(what);
  }

  void Split(const std::vector<Region>& regions) {
    const std::string key = KeyOf({random_.Below(kNumWriters), random_.Below(kRowsPerWriter)});
    const bool has_key = random_.OneIn(2);
    Region parent = Choose(regions);
    if (has_key) {
      for (const Region& region : regions) {
        if (region.range.Contains(key)) parent = region;
      }
    }
    const std::string what =
        "Split of " + std::to_string(parent.id) + (has_key ? " at " + key : "");
    const Outages::Mark mark = soak_.outages.Now();
    Result<SplitRegions> split = Error{};
    {
      Call call(soak_.board, thread_, ChangeKind::kSplit);
      split = soak_.cluster.Split(parent.id, has_key ? std::optional(key) : std::nullopt);
      if (split) call.Done();
    }
    // A region of fewer than two rows has no middle, and none is split at its first key.
    if (!split) {
      return Judge(what, split.error(), mark, !has_key || key == parent.range.begin);
    }
    if (!soak_.plan.is_alone()) return;
    const std::optional<Region> low = RegionOf(soak_.cluster, split->low_id);
    const std::optional<Region> high = RegionOf(soak_.cluster, split->high_id);
    Expect(low && high && low->range.begin == parent.range.begin &&
               low->range.end == high->range.begin && high->range.end == parent.range.end &&
               low->server == parent.server && high->server == parent.server &&
               (!has_key || high->range.begin == key),
           what + ": not its parts in the table");
  }

  void Merge(const std::vector<Region>& regions) {
    // Neighbours on one server, from a random place on.
    const size_t first = random_.Below(regions.size());
    for (size_t i = 0; i < regions.size(); ++i) {
      const size_t low = (first + i) % regions.size();
      if (low + 1 == regions.size() || regions[low].server != regions[low + 1].server) continue;
      return Merge(regions[low], regions[low + 1]);
    }
    Move(regions[first], regions[first == 0 ? 1 : first - 1].server, false);
  }

  void Merge(const Region& low, const Region& high) {
    const std::string what =
        "Merge of " + std::to_string(low.id) + " and " + std::to_string(high.id);
    const bool is_reversed = random_.OneIn(2);
    const Outages::Mark mark = soak_.outages.Now();
    Result<uint32_t> merged = Error{};
    {
      Call call(soak_.board, thread_, ChangeKind::kMerge);
      merged = soak_.cluster.Merge(is_reversed ? high.id : low.id, is_reversed ? low.id : high.id);
      if (merged) call.Done();
    }
    if (!merged) return Judge(what, merged.error(), mark, false);
    if (!soak_.plan.is_alone()) return;
    const std::optional<Region> region = RegionOf(soak_.cluster, *merged);
    Expect(region && region->range == KeyRange{low.range.begin, high.range.end} &&
               region->server == low.server,
           what + ": not the whole in the table");
  }

  void Move(const Region& region, uint32_t server, bool is_cancelled) {
    const std::string what =
        "Move of " + std::to_string(region.id) + " to server " + std::to_string(server);
    uint32_t num_left = random_.Below(4);
    bool was_asked = false;
    const auto keep_going = [&] {
      was_asked |= num_left == 0;
      return num_left > 0 && num_left-- > 0;
    };
    const Outages::Mark mark = soak_.outages.Now();
    Result<bool> moved = Error{};
    {
      Call call(soak_.board, thread_,
                is_cancelled ? ChangeKind::kCancelledMove : ChangeKind::kMove);
      moved = is_cancelled ? soak_.cluster.Move(region.id, server, nullptr, keep_going)
                           : soak_.cluster.Move(region.id, server);
      if (moved && *moved == !is_cancelled) call.Done();
    }
    if (!moved) return Judge(what, moved.error(), mark, region.server == server);
    Expect(*moved || was_asked, what + ": gave up by itself");
    if (!soak_.plan.is_alone()) return;
    const std::optional<Region> after = RegionOf(soak_.cluster, region.id);
    Expect(
        after && after->range == region.range && after->server == (*moved ? server : region.server),
        what + ": not so in the table");
  }

  void Balance() {
    const Outages::Mark mark = soak_.outages.Now();
    uint32_t num_left = random_.OneIn(2) ? 1 + random_.Below(10) : ~uint32_t{0};
    Call call(soak_.board, thread_, ChangeKind::kBalance);
    const Result<uint32_t> moved =
        soak_.cluster.Balance(nullptr, [&] { return num_left > 0 && num_left-- > 0; });
    if (!moved) return Judge("Balance", moved.error(), mark, false);
    call.Done();
  }

  Soak& soak_;
  const uint32_t thread_;
  Random random_;
};

}  // namespace

void ChangeRegions(Soak& soak, uint32_t thread) {
  RegionAdmin admin(soak, thread);
  while (soak.MayGoOn()) admin.Step();
}

}  // namespace trommel::index::soak
