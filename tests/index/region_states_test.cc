// States of regions: made and forgotten while they are used.
#include "engine/index/src/protocol/region_states.h"

#include <memory>

#include "engine/index/src/protocol/gate.h"
#include "support/catch.h"

namespace trommel::index {
namespace {

TEST_CASE("a region's state is found until it is removed", "[index][protocol]") {
  RegionStates regions(1);
  CHECK(regions.Find(7) == nullptr);
  regions.Add(7);
  regions.Add(4'000'000'000);  // ids are never used again, so they may be large
  CHECK(regions.Find(7) == regions.Find(7));
  CHECK(regions.Find(7) != regions.Find(4'000'000'000));
  regions.Remove(7);
  CHECK(regions.Find(7) == nullptr);
  CHECK(regions.Find(4'000'000'000) != nullptr);
}

TEST_CASE("a state that was removed can still be left by those inside", "[index][protocol]") {
  RegionStates regions(1);
  regions.Add(1);
  const std::shared_ptr<RegionState> state = regions.Find(1);
  const Gate::Shared gate(state->gate);
  regions.Remove(1);
  CHECK(state->flight_tables[0].Lock().owns_lock());
}

}  // namespace
}  // namespace trommel::index
