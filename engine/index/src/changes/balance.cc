#include "engine/index/src/changes/balance.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trommel::index {
namespace {

constexpr double kLeastGain = 1e-3;

}  // namespace

std::vector<RegionMove> PlanMoves(std::span<const LoadedRegion> regions,
                                  const std::vector<bool>& runs, bool by_writes) {
  std::vector<uint32_t> servers;  // that take part
  for (uint32_t i = 0; i < runs.size(); ++i) {
    if (runs[i]) servers.push_back(i);
  }
  std::vector<size_t> moving;  // positions of regions on them
  double all_writes = 0;
  for (size_t i = 0; i < regions.size(); ++i) {
    if (!runs[regions[i].region.server]) continue;
    moving.push_back(i);
    all_writes += regions[i].writes_per_second;
  }
  if (servers.size() < 2 || moving.empty()) return {};

  const double num_servers = static_cast<double>(servers.size());
  const double of_region = num_servers / static_cast<double>(moving.size());
  const double of_write = by_writes && all_writes > 0 ? num_servers / all_writes : 0;
  const auto load_of = [&](size_t i) {
    return of_region + of_write * regions[i].writes_per_second;
  };
  std::vector<double> loads(runs.size());
  std::vector<uint32_t> server_of(regions.size());
  for (const size_t i : moving) {
    server_of[i] = regions[i].region.server;
    loads[server_of[i]] += load_of(i);
  }

  // Moves the region of `from` after whose move the greater of the two loads is least. Returns
  // whether there is one that makes it less.
  const auto move_one = [&](uint32_t from, uint32_t to) {
    std::optional<size_t> best;
    double least = loads[from] - kLeastGain;
    for (const size_t i : moving) {
      if (server_of[i] != from || regions[i].is_busy) continue;
      const double greater = std::max(loads[from] - load_of(i), loads[to] + load_of(i));
      if (greater >= least) continue;
      least = greater;
      best = i;
    }
    if (!best) return false;
    loads[from] -= load_of(*best);
    loads[to] += load_of(*best);
    server_of[*best] = to;
    return true;
  };
  for (size_t num_moves = 0; num_moves < moving.size(); ++num_moves) {
    // A server whose one region is most of its load, or whose regions are busy, gives none.
    std::ranges::sort(servers, [&](uint32_t a, uint32_t b) { return loads[a] > loads[b]; });
    const uint32_t to = servers.back();
    if (std::ranges::none_of(servers, [&](uint32_t from) { return move_one(from, to); })) break;
  }
  // A region that moved twice moves once.
  std::vector<RegionMove> moves;
  for (const size_t i : moving) {
    if (server_of[i] == regions[i].region.server) continue;
    moves.push_back({regions[i].region.id, server_of[i]});
  }
  return moves;
}

}  // namespace trommel::index
