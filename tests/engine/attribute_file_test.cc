// Filters over attributes on disk: what is written is read, and goes on as what was written.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "golden/files.h"
#include "support/catch.h"
#include "support/every_file.h"
#include "support/sample_filters.h"
#include "support/scratch_folder.h"
#include "support/targets.h"
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

TEST_CASE("a filter over attributes comes back from a file as it was",
          "[engine][attributes][attribute_filter][files]") {
  const ScratchFolder folder;
  const std::vector<AttributeMask> cuts = {0b0110, 0b1001};
  Result<AttributeFilter> made =
      AttributeFilter::Create({.sets = *AttributeSets::Create(4, cuts),
                               .names = {"a", "b", std::string(255, 'c'), "\xc3\xa4"},
                               .capacity = 40,
                               .digest = {.kind = DigestKind::kXxh3, .seed = 7},
                               .encoding = Encoding::kPlanes});
  REQUIRE(made.ok());
  const std::vector<TupleRow> rows = RandomRows(300, std::vector<uint64_t>{0, 3, 0, 20}, 1);
  const TupleColumns columns(rows);
  made->Insert(columns.view());
  REQUIRE(made->Save(folder / "tuples").ok());
  Result<AttributeFilter> loaded = AttributeFilter::Load(folder / "tuples");
  REQUIRE(loaded.ok());
  CHECK(loaded->sets() == made->sets());
  CHECK(std::ranges::equal(loaded->names(), made->names()));
  CHECK(loaded->digest_policy() == made->digest_policy());
  CHECK(loaded->num_tuples() == 300);
  CHECK(loaded->num_bytes() == made->num_bytes());
  CHECK(loaded->PartsOf(0b1111) == made->PartsOf(0b1111));
  CHECK(loaded->Serialize() == made->Serialize());
  // It goes on as the other one.
  const std::vector<TupleRow> more = RandomRows(300, std::vector<uint64_t>{0, 3, 0, 20}, 9);
  for (AttributeFilter* filter : {&*loaded, &*made}) {
    CHECK(filter->Erase(TupleColumns(std::span(rows).first(100)).view()).num_refused == 0);
    CHECK(filter->Insert(TupleColumns(more).view()).num_refused == 0);
  }
  CHECK(loaded->Serialize() == made->Serialize());
  loaded->Clear();
  CHECK(loaded->Insert(columns.view()).num_refused == 0);
}

TEST_CASE("a loaded filter over attributes grows within the limit it was loaded with",
          "[engine][attributes][attribute_filter][files]") {
  const AttributeFilter sample = AttributeSample();
  const Bytes bytes = sample.Serialize();
  const uint64_t limit = sample.num_bytes();
  CHECK(LoadingError(bytes) == "read");
  Result<AttributeFilter> tight = AttributeFilter::Deserialize(bytes, limit);
  REQUIRE(tight.ok());
  const TupleColumns rows(RandomRows(500, std::vector<uint64_t>{0, 0}, 3));
  CHECK(tight->Insert(rows.view()).refusal == GrowthRefusal::kMemoryLimit);
  Result<AttributeFilter> wide = AttributeFilter::Deserialize(bytes, 100 * limit);
  REQUIRE(wide.ok());
  CHECK(wide->Insert(rows.view()).refusal != GrowthRefusal::kMemoryLimit);
  const Result<AttributeFilter> low = AttributeFilter::Deserialize(bytes, 9999);
  REQUIRE_FALSE(low.ok());
  CHECK(low.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(low.error().message, ContainsSubstring("2 sets of attributes need ") &&
                                      ContainsSubstring("more than the limit of 9,999 bytes"));
}

TEST_CASE("the sample over attributes never changes, on any target",
          "[engine][attributes][attribute_filter][files][golden]") {
  ForEachRunnableTarget([] {
    const Bytes bytes = AttributeSample().Serialize();
    CHECK(bytes.size() == golden::kAttributeFile.num_bytes);
    CHECK(Checksum::Of(bytes) == golden::kAttributeFile.hash);
  });
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
