// The version: one number, written in one place.
#include "trommel/version.h"

#include <string>

#include "support/catch.h"

namespace trommel {
namespace {

TEST_CASE("the linked version is the one of the headers", "[engine][version]") {
  CHECK(LinkedVersion() == TROMMEL_VERSION_STRING);
}

TEST_CASE("the version's text is its three numbers", "[engine][version]") {
  const std::string numbers = std::to_string(TROMMEL_VERSION_MAJOR) + "." +
                              std::to_string(TROMMEL_VERSION_MINOR) + "." +
                              std::to_string(TROMMEL_VERSION_PATCH);
  CHECK(numbers == TROMMEL_VERSION_STRING);
}

}  // namespace
}  // namespace trommel
