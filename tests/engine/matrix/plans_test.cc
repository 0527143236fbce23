// Plans: which blocks are probed for a query.
#include "engine/src/matrix/plans.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/matrix_reference.h"

namespace trommel::matrix {
namespace {

using tests::MadeGeometry;
using Sets = std::vector<AttributeMask>;

AttributeSets Cut(uint32_t num_attributes, const Sets& cuts) {
  return *AttributeSets::Create(num_attributes, cuts);
}

CellStore StoreOf(const MatrixGeometry& geometry) { return *CellStore::Create(geometry, 0); }

TEST_CASE("every kind probes its own blocks", "[engine][matrix][plans]") {
  const std::vector<uint64_t> positions = {90, 80, 70};
  const auto parts = [&](Kind kind, const Sets& cuts, AttributeMask queried) {
    return MakePlan(StoreOf(MadeGeometry(kind, Cut(3, cuts), positions, 2)), queried).parts;
  };
  CHECK(parts(Kind::kSbf, {}, 7) == Sets{7});
  CHECK(parts(Kind::kMdbf, {}, 6) == Sets{2, 4});
  CHECK(parts(Kind::kMdbf, {}, 7) == Sets{1, 2, 4});
  CHECK(parts(Kind::kCmdbf, {}, 5) == Sets{1, 4});
  CHECK(parts(Kind::kCmdbf, {}, 7) == Sets{1, 2, 4, 7});
  CHECK(parts(Kind::kBfm, {}, 5) == Sets{5});
  CHECK(parts(Kind::kCartesian, {}, 7) == Sets{7});
  CHECK(parts(Kind::kCartesian, {}, 2) == Sets{2});
  CHECK(parts(Kind::kCbfm, {0b101, 0b011}, 7) == Sets{6, 1});
  CHECK(parts(Kind::kCbfm, {0b101, 0b011}, 5) == Sets{1, 4});
  for (const Kind kind : {Kind::kMdbf, Kind::kCmdbf, Kind::kBfm, Kind::kCartesian, Kind::kCbfm}) {
    CHECK(parts(kind, {}, 0).empty());
  }
}

TEST_CASE("threads that query at the same time share one plan",
          "[engine][matrix][plans][threads]") {
  const CellStore store = StoreOf(MadeGeometry(Kind::kBfm, Cut(6, {}), {3, 3, 3, 3, 3, 3}, 2));
  const Plans plans(6);
  std::vector<std::vector<const Plan*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& of_thread : seen) {
    threads.emplace_back([&] {
      for (AttributeMask queried = 0; queried < 64; ++queried) {
        of_thread.push_back(&plans.For(store, queried));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_thread : seen) CHECK(of_thread == seen[0]);
  for (AttributeMask queried = 1; queried < 64; ++queried)
    CHECK(seen[0][queried]->parts == Sets{queried});
}

}  // namespace
}  // namespace trommel::matrix
