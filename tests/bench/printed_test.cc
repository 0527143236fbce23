// printf into a string: as printf, and cut where it ends.
#include "bench/printed.h"

#include <string>

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("what is printed into a string is what printf prints", "[bench][printed]") {
  CHECK(Printed("%d of %s, %.2f", 3, "four", 0.755) == "3 of four, 0.76");
  CHECK(Printed("%s", std::string(600, 'a').c_str()) == std::string(511, 'a'));
}

}  // namespace
}  // namespace trommel::bench
