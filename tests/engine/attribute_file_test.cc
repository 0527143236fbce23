// Filters over attributes on disk: what is written is read, and goes on as what was written.
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/every_file.h"
#include "support/sample_filters.h"
#include "support/tuple_rows.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string LoadingError(const Bytes& bytes, ErrorCode code = ErrorCode::kCorrupt) {
  const Result<AttributeFilter> filter = AttributeFilter::Deserialize(bytes);
  if (filter.ok()) return "read";
  CHECK(filter.error().code == code);
  return filter.error().message;
}

}  // namespace

TEST_CASE("a loaded filter over attributes grows within the limit it was loaded with",
          "[engine][attributes][attribute_filter][files]") {
  const AttributeFilter sample = AttributeSample();
  const Bytes bytes = sample.Serialize();
  const uint64_t limit = sample.num_bytes();
  CHECK(LoadingError(bytes) == "read");
  Result<AttributeFilter> tight = AttributeFilter::Deserialize(bytes, limit);
  REQUIRE(tight.ok());
  const TupleColumns rows(RandomRows(5000, std::vector<uint64_t>{0, 0}, 3));
  CHECK(tight->Insert(rows.view()).refusal == GrowthRefusal::kMemoryLimit);
  Result<AttributeFilter> wide = AttributeFilter::Deserialize(bytes, 100 * limit);
  REQUIRE(wide.ok());
  CHECK(wide->Insert(rows.view()).refusal != GrowthRefusal::kMemoryLimit);
  const Result<AttributeFilter> low = AttributeFilter::Deserialize(bytes, 99);
  REQUIRE_FALSE(low.ok());
  CHECK(low.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(low.error().message, ContainsSubstring("2 sets of attributes need ") &&
                                      ContainsSubstring("more than the limit of 99 bytes"));
}

TEST_CASE("filters of a limit, of a list and of 64 attributes come back from their files",
          "[engine][attributes][attribute_filter][files]") {
  const std::vector<AttributeMask> cuts = {0b011};
  const std::vector<AttributeMask> list = {~AttributeMask{0}, AttributeMask{0b101} << 61};
  const std::vector<AttributeMask> few = {0b111, 0b100};
  for (const AttributeSets& sets :
       {*AttributeSets::AtMost(3, 2, cuts), *AttributeSets::AtMost(17, 1),
        *AttributeSets::Keep(64, list), *AttributeSets::Keep(3, few)}) {
    INFO(sets.num_attributes() << " attributes, " << sets.allowed().size() << " sets");
    const AttributeFilter filter = AttributesOf(sets);
    const Bytes bytes = filter.Serialize();
    const Result<AttributeFilter> loaded = AttributeFilter::Deserialize(bytes);
    REQUIRE(loaded.ok());
    CHECK(loaded->sets() == sets);
    CHECK(loaded->PartsOf(sets.full()) == filter.PartsOf(sets.full()));
    CHECK(loaded->Serialize() == bytes);
  }
  // A limit that limits nothing is none.
  CHECK((AttributesOf(*AttributeSets::AtMost(3, 3, cuts)).Serialize() ==
         AttributesOf(*AttributeSets::Create(3, cuts)).Serialize()));
}

}  // namespace trommel::tests
