// The hashes under comparison are the ones they are called.
#include "bench/paper/hash_sides.h"

#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("each hash gives every key a digest of its own", "[paper][hash]") {
  const std::vector<std::string_view> keys = {"", "a", "b", "ab", "a rather longer key than that"};
  REQUIRE(HashSides().size() >= 3);
  for (const HashSide& side : HashSides()) {
    INFO(side.name);
    std::vector<uint64_t> digests(keys.size());
    side.digests(keys, digests);
    for (size_t i = 0; i < keys.size(); ++i) {
      for (size_t j = 0; j < i; ++j) CHECK(digests[i] != digests[j]);
    }
  }
  CHECK((HashSides().size() == 5) == MissingHashes().empty());
}

TEST_CASE("XXH64 of nothing is the published value", "[paper][hash]") {
  const std::vector<std::string_view> keys = {""};
  std::vector<uint64_t> digests(1);
  HashSides()[0].digests(keys, digests);
  CHECK(HashSides()[0].name == "XXH64");
  CHECK(digests[0] == 0xef46db3751d8e999U);
}

}  // namespace
}  // namespace trommel::paper
