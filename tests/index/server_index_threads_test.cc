// ServerIndex beside itself: writers, builders, marks and queries at once.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "index/support/directories.h"
#include "support/catch.h"
#include "trommel/index/server_index.h"

namespace trommel::index::tests {
namespace {

TEST_CASE("no query misses a pair while columns are filled, marked, replaced by others and freed",
          "[index][server_index][threads]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    constexpr uint32_t kRegions = 6;
    constexpr uint32_t kStable = 20;  // values that every region keeps
    ServerIndex index = MakeDirectory(structure, kRegions, 3);
    REQUIRE(index.Resize(0, 64));
    std::mutex locks[kRegions];  // the caller's: one per column
    std::vector<std::string> stable;
    for (uint32_t v = 0; v < kStable; ++v) stable.push_back("s" + std::to_string(v));
    std::sort(stable.begin(), stable.end());
    // What the region has, by the lock: so the builder knows.
    std::vector<std::vector<std::string>> moving(kRegions);

    std::atomic<bool> is_done{false};
    std::atomic<uint64_t> num_missed{0}, num_queries{0}, num_built{0};
    std::thread builder([&] {
      while (!is_done) {
        for (const ColumnName& name : index.ColumnsToBuild()) {
          const std::lock_guard<std::mutex> lock(locks[name.region_id]);
          const BuildState state = index.GetBuildState(name);
          if (state.column_id == 0 || state.is_built) continue;
          std::vector<std::string> values = stable;
          for (const std::string& value : moving[name.region_id]) values.push_back(value);
          std::sort(values.begin(), values.end());
          if (!state.cursor) {  // in two chunks
            values.resize(values.size() / 2);
            index.AdvanceBuild(name, state.column_id, values, values.back());
          } else {
            std::erase_if(values, [&](const std::string& value) { return value <= *state.cursor; });
            if (index.AdvanceBuild(name, state.column_id, values, std::nullopt)) ++num_built;
          }
        }
        index.Reclaim();
      }
    });
    std::thread marker([&] {
      std::mt19937 random(3);
      while (!is_done) {
        if (random() % 4 == 0) {
          if (!index.Resize(0, 32 + random() % 64)) ++num_missed;
        } else {
          const ColumnName name{static_cast<uint32_t>(random() % kRegions), 0};
          index.MarkUnbuilt({&name, 1});
        }
        std::this_thread::yield();
        for (int i = 0; i < 20 && !is_done; ++i) std::this_thread::yield();
      }
    });
    std::thread writer([&] {
      std::mt19937 random(4);
      for (int step = 0; step < 1500 || num_queries == 0 || num_built == 0; ++step) {
        const auto region = static_cast<uint32_t>(random() % kRegions);
        const std::string value = "m" + std::to_string(random() % 9);
        const std::lock_guard<std::mutex> lock(locks[region]);
        std::vector<std::string>& values = moving[region];
        const auto found = std::find(values.begin(), values.end(), value);
        if (found == values.end()) {
          index.GainPair({region, 0}, value);
          values.push_back(value);
        } else {
          values.erase(found);
          index.LosePair({region, 0}, value);
        }
        // Its own pairs are found at once.
        for (const std::string& own : values) {
          const Positions candidates = CandidatesOf(index, 0, own);
          if (!std::count(candidates.begin(), candidates.end(), region)) ++num_missed;
        }
      }
      is_done = true;
    });
    std::thread reader([&] {
      while (!is_done) {
        const ServerIndex::Pin pin = index.PinVersion();
        for (const std::string& value : stable) {
          if (CandidatesOf(pin, 0, value).size() != kRegions) ++num_missed;
          ++num_queries;
        }
      }
    });
    builder.join();
    marker.join();
    writer.join();
    reader.join();
    CHECK(num_missed == 0);
    CHECK(num_queries > 0);
    CHECK(num_built > 0);
  }
}

}  // namespace
}  // namespace trommel::index::tests
