// The one door: files of every type are told apart, and come back as what they are.
#include "trommel/any_filter.h"

#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/catch.h"
#include "support/family_forge.h"
#include "support/scratch_folder.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<uint64_t> Integers() {
  std::vector<uint64_t> keys(1000);
  std::iota(keys.begin(), keys.end(), 0);
  return keys;
}

// A filter of each type with 0 .. 999 in it.
std::vector<AnyFilter> OneOfEach() {
  std::vector<AnyFilter> filters;
  CountingFilter counting = std::move(CountingFilter::Create({.capacity = 1000})).value();
  counting.Insert(Integers());
  filters.emplace_back(std::move(counting));
  ScalableFilter scalable = ScalableFilter::Create({.first_capacity = 100}).value();
  scalable.Insert(Integers());
  CHECK(scalable.num_generations() > 1);
  filters.emplace_back(std::move(scalable));
  return filters;
}

TEST_CASE("every type comes back through the one door", "[engine][any_filter]") {
  const tests::ScratchFolder folder;
  for (const AnyFilter& filter : OneOfEach()) {
    INFO("type " << FilterTypeName(TypeOf(filter)));
    const std::filesystem::path path = folder / "filter";
    REQUIRE(SaveAny(filter, path).ok());
    CHECK(TypeOfFile(path).value() == TypeOf(filter));
    const Result<AnyFilter> loaded = LoadAny(path);
    REQUIRE(loaded.ok());
    CHECK(loaded->index() == filter.index());
    const std::vector<std::byte> bytes = SerializeAny(filter);
    CHECK(SerializeAny(*loaded) == bytes);
    CHECK(TypeOfBytes(bytes).value() == TypeOf(filter));
    const Result<AnyFilter> copy = DeserializeAny(bytes);
    REQUIRE(copy.ok());
    CHECK(copy->index() == filter.index());
    CHECK(std::visit([](const auto& one) { return one.MayContain(999); }, *copy));
  }
}

TEST_CASE("the one door keeps the memory limit", "[engine][any_filter]") {
  const tests::ScratchFolder folder;
  for (const AnyFilter& filter : OneOfEach()) {
    INFO("type " << FilterTypeName(TypeOf(filter)));
    REQUIRE(SaveAny(filter, folder / "filter").ok());
    const Result<AnyFilter> loaded = LoadAny(folder / "filter", 100);
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().code == ErrorCode::kOutOfMemory);
  }
}

TEST_CASE("what is no filter is refused at the one door", "[engine][any_filter]") {
  const tests::ScratchFolder folder;
  CHECK(LoadAny(folder / "none").error().code == ErrorCode::kIo);
  CHECK(TypeOfFile(folder.path()).error().code == ErrorCode::kIo);
  CHECK(TypeOfBytes({}).error().code == ErrorCode::kCorrupt);
  const std::vector<std::byte> text(1000, std::byte{'x'});
  CHECK(DeserializeAny(text).error().code == ErrorCode::kCorrupt);
  // A type that is yet to come.
  tests::Bytes later = tests::MakeFamily(SnapshotType::kScalableFilter, 1).Serialize();
  later = tests::WithFamilyHeader(later, [](FamilyHeader& header) { header.start.type = 77; });
  CHECK(TypeOfBytes(later).error().code == ErrorCode::kVersion);
  CHECK_THAT(DeserializeAny(later).error().message, ContainsSubstring("type is 77"));
}

TEST_CASE("filter types have names", "[engine][any_filter]") {
  CHECK(FilterTypeName(FilterType::kCounting) == "counting");
  CHECK(FilterTypeName(FilterType::kScalable) == "scalable");
  CHECK(FilterTypeName(FilterType::kWindow) == "window");
  CHECK(FilterTypeName(FilterType::kLayered) == "layered");
  CHECK(FilterTypeName(FilterType::kClassic) == "classic");
  CHECK(FilterTypeName(static_cast<FilterType>(0)) == "unknown");
}

}  // namespace
}  // namespace trommel
