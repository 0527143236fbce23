// RegionStates: the states of regions by id.
#include "engine/index/src/protocol/region_states.h"

#include <string>

#include "support/catch.h"
#include "support/death.h"

namespace trommel::index {
namespace {

TEST_CASE("a region's state stays where it is", "[index][protocol]") {
  RegionStates regions(2, 1);
  CHECK(regions.size() == 2);
  CHECK(&regions.Of(1) == &regions.Of(1));
  CHECK(&regions.Of(0) != &regions.Of(1));
}

TEST_CASE("an id without a state ends the program with a message", "[index][protocol]") {
  RegionStates regions(2, 1);
  const std::string message = trommel::tests::AbortMessage([&] { regions.Of(2); });
  CHECK(message.find("misuse: there is no state of a region") != std::string::npos);
}

}  // namespace
}  // namespace trommel::index
