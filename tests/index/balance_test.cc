// PlanMoves: which regions move, so that servers have even shares.
#include "engine/index/src/changes/balance.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "support/catch.h"

namespace trommel::index {
namespace {

// A region per entry, with ids 0, 1, ...: its server, and its writes per second.
struct Placed {
  uint32_t server = 0;
  double writes = 0;
};

std::vector<LoadedRegion> PlaceRegions(const std::vector<Placed>& places) {
  std::vector<LoadedRegion> regions;
  for (uint32_t id = 0; id < places.size(); ++id) {
    LoadedRegion& region = regions.emplace_back();
    region.region.id = id;
    region.region.server = places[id].server;
    region.writes_per_second = places[id].writes;
  }
  return regions;
}

// The regions after the moves, each of which must be of a region that is there, to another server,
// and the only one of its region.
std::vector<LoadedRegion> AfterMoves(std::vector<LoadedRegion> regions,
                                     const std::vector<RegionMove>& moves) {
  std::set<uint32_t> moved;
  for (const RegionMove& move : moves) {
    const auto region = std::ranges::find_if(
        regions, [&](const LoadedRegion& of) { return of.region.id == move.region_id; });
    REQUIRE(region != regions.end());
    CHECK(moved.insert(move.region_id).second);
    CHECK(region->region.server != move.server);
    region->region.server = move.server;
  }
  return regions;
}

// By server: the number of regions, and their writes.
std::map<uint32_t, size_t> NumRegions(const std::vector<LoadedRegion>& regions) {
  std::map<uint32_t, size_t> num;
  for (const LoadedRegion& of : regions) ++num[of.region.server];
  return num;
}

std::map<uint32_t, double> WritesOfServers(const std::vector<LoadedRegion>& regions) {
  std::map<uint32_t, double> writes;
  for (const LoadedRegion& of : regions) writes[of.region.server] += of.writes_per_second;
  return writes;
}

// The greatest load, by the definition in the header; all servers take part.
double GreatestLoad(const std::vector<LoadedRegion>& regions, size_t num_servers) {
  double all_writes = 0;
  for (const LoadedRegion& of : regions) all_writes += of.writes_per_second;
  std::vector<double> loads(num_servers);
  for (const LoadedRegion& of : regions) {
    double share = 1.0 / static_cast<double>(regions.size());
    if (all_writes > 0) share += of.writes_per_second / all_writes;
    loads[of.region.server] += static_cast<double>(num_servers) * share;
  }
  return *std::ranges::max_element(loads);
}

TEST_CASE("balance gives each server an even share of the regions") {
  for (uint32_t num_servers = 2; num_servers <= 5; ++num_servers) {
    for (size_t num_regions = 1; num_regions <= 17; ++num_regions) {
      CAPTURE(num_servers, num_regions);
      const auto regions = PlaceRegions(std::vector<Placed>(num_regions, Placed{1, 0}));
      const auto after =
          AfterMoves(regions, PlanMoves(regions, std::vector<bool>(num_servers, true), true));
      const auto num = NumRegions(after);
      for (uint32_t server = 0; server < num_servers; ++server) {
        const size_t of_server = num.contains(server) ? num.at(server) : 0;
        CHECK(of_server >= num_regions / num_servers);
        CHECK(of_server <= (num_regions + num_servers - 1) / num_servers);
      }
      CHECK(PlanMoves(after, std::vector<bool>(num_servers, true), true).empty());
    }
  }
}

TEST_CASE("writes weigh as much as regions, if they are asked for") {
  // Two regions on each server; all writes are on server 0.
  const auto regions = PlaceRegions({{0, 100}, {0, 100}, {1, 0}, {1, 0}});
  CHECK(PlanMoves(regions, {true, true}, false).empty());
  const auto after = AfterMoves(regions, PlanMoves(regions, {true, true}, true));
  CHECK(NumRegions(after) == std::map<uint32_t, size_t>{{0, 2}, {1, 2}});
  CHECK(WritesOfServers(after) == std::map<uint32_t, double>{{0, 100}, {1, 100}});
}

TEST_CASE("balance leaves busy regions and stopped servers alone") {
  auto regions = PlaceRegions({{0}, {0}, {0}, {0}, {0}, {0}, {1}, {1}, {1}, {1}});
  const std::vector<bool> runs = {true, false, true};
  const auto after = AfterMoves(regions, PlanMoves(regions, runs, true));
  CHECK(NumRegions(after) == std::map<uint32_t, size_t>{{0, 3}, {1, 4}, {2, 3}});
  for (size_t i = 6; i < 10; ++i) CHECK(after[i].region.server == 1);

  for (size_t i = 0; i < 5; ++i) regions[i].is_busy = true;
  const auto moves = PlanMoves(regions, runs, true);
  REQUIRE(moves.size() == 1);
  CHECK(moves[0].region_id == 5);
  CHECK(moves[0].server == 2);
  regions[5].is_busy = true;
  CHECK(PlanMoves(regions, runs, true).empty());
}

TEST_CASE("writes of stopped servers' regions are no part of the shares") {
  // By those of server 1, which is stopped, the writes of the others would weigh nothing.
  const auto regions = PlaceRegions({{0, 10}, {0, 10}, {1, 1e9}, {2, 0}, {2, 0}});
  const auto after = AfterMoves(regions, PlanMoves(regions, {true, false, true}, true));
  CHECK(WritesOfServers(after) == std::map<uint32_t, double>{{0, 10}, {1, 1e9}, {2, 10}});
}

TEST_CASE("nothing moves when shares are even, or as good as even") {
  CHECK(PlanMoves(PlaceRegions({{0}, {1}, {2}}), {true, true, true}, true).empty());
  CHECK(PlanMoves(PlaceRegions({{0, 5}, {0, 7}, {1, 6}, {1, 6}}), {true, true}, true).empty());
  // One region more than the other server has: a move would only turn this around.
  CHECK(PlanMoves(PlaceRegions({{0}, {0}, {1}}), {true, true}, true).empty());
  // An exchange of the first and third would gain less than a thousandth of a share.
  CHECK(PlanMoves(PlaceRegions({{0, 1000.1}, {0, 1000}, {1, 1000}, {1, 1000}}), {true, true}, true)
            .empty());
}

TEST_CASE("nothing moves without two servers that run, or without regions") {
  const auto regions = PlaceRegions({{0, 9}, {0, 1}, {0, 0}});
  CHECK(PlanMoves(regions, {true}, true).empty());
  CHECK(PlanMoves(regions, {true, false}, true).empty());
  CHECK(PlanMoves(regions, {false, true}, true).empty());
  CHECK(PlanMoves(regions, {false, false}, true).empty());
  CHECK(PlanMoves({}, {true, true}, true).empty());
}

TEST_CASE("a region that dominates gets a server of its own and then stays") {
  const std::vector<bool> runs = {true, true};
  const auto regions = PlaceRegions({{0, 1000}, {0, 0}, {0, 0}, {0, 0}});
  const auto after = AfterMoves(regions, PlanMoves(regions, runs, true));
  for (size_t i = 1; i < 4; ++i) CHECK(after[i].region.server != after[0].region.server);
  CHECK(PlanMoves(after, runs, true).empty());
  // Alone, it stays although its server has the greatest load.
  CHECK(PlanMoves(PlaceRegions({{0, 1000}, {1, 1}, {1, 1}, {1, 1}}), runs, true).empty());
}

TEST_CASE("no plan makes the greatest load greater, and only one that makes it less moves any") {
  std::mt19937 random(7);
  const auto draw = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 2'000; ++round) {
    const uint32_t num_servers = 2 + draw(5);
    std::vector<Placed> places(1 + draw(24));
    for (Placed& place : places) {
      place.server = draw(num_servers);
      place.writes = draw(3) == 0 ? 0 : draw(1000);
    }
    const auto regions = PlaceRegions(places);
    const auto moves = PlanMoves(regions, std::vector<bool>(num_servers, true), true);
    const double before = GreatestLoad(regions, num_servers);
    const double greatest = GreatestLoad(AfterMoves(regions, moves), num_servers);
    CAPTURE(round, num_servers, places.size());
    CHECK(greatest <= before);
    // Two servers: there is no third one with the same greatest load.
    if (num_servers == 2 && !moves.empty()) CHECK(greatest < before - 1e-3);
  }
}

TEST_CASE("a server that can give no region does not keep others from giving") {
  // Server 0 has one region with all the writes; server 1 has ten idle ones, and server 2 none.
  std::vector<Placed> places(11, Placed{1, 0});
  places[0] = {0, 1000};
  const auto regions = PlaceRegions(places);
  const auto after = AfterMoves(regions, PlanMoves(regions, {true, true, true}, true));
  CHECK(NumRegions(after)[0] == 1);
  CHECK(NumRegions(after)[1] == 5);
  CHECK(NumRegions(after)[2] == 5);
}

}  // namespace
}  // namespace trommel::index
