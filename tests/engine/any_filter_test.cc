// The one door: files of every type are told apart, and come back as what they are.
#include "trommel/any_filter.h"

#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/catch.h"
#include "support/multi_store_forge.h"
#include "support/sample_filters.h"
#include "support/scratch_folder.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<uint64_t> Integers() {
  std::vector<uint64_t> keys(1000);
  std::iota(keys.begin(), keys.end(), 0);
  return keys;
}

template <class Filter, class Config>
void AddFilter(const Config& config, std::vector<AnyFilter>& filters) {
  Filter filter = std::move(Filter::Create(config)).value();
  filter.Insert(Integers());
  filters.emplace_back(std::move(filter));
}

// Pairs of attributes, of which those with key i are (i, i).
void AddAttributeFilter(std::vector<AnyFilter>& filters) {
  AttributeFilter filter =
      *AttributeFilter::Create({.sets = *AttributeSets::Create(2), .capacity = 1000});
  TupleDigests tuples(2);
  for (uint32_t a = 0; a < 2; ++a) tuples.Set(a, Integers());
  filter.Insert(tuples.view());
  filters.emplace_back(std::move(filter));
}

bool Shows(const auto& filter, uint64_t key) { return filter.MayContain(key); }
bool Shows(const AttributeFilter& filter, uint64_t key) {
  TupleDigests tuple(2);
  for (uint32_t a = 0; a < 2; ++a) tuple.Set(a, std::vector<uint64_t>{key});
  uint64_t bit = 0;
  return filter.Query(filter.sets().full(), tuple.view(), std::span(&bit, 1)) == 1;
}

// A filter of each type, and of each kind of the classic one, with 0 .. 999 in it.
std::vector<AnyFilter> OneOfEach() {
  std::vector<AnyFilter> filters;
  AddFilter<CountingFilter>(CountingConfig{.capacity = 1000}, filters);
  AddFilter<ScalableFilter>(ScalableConfig{.first_capacity = 100, .mode = GrowthMode::kGenerations},
                            filters);
  CHECK(std::get<ScalableFilter>(filters.back()).num_generations() > 1);
  AddFilter<WindowFilter>(WindowConfig{.window = 100, .num_buckets = 4, .capacity = 1000}, filters);
  AddFilter<LayeredFilter>(LayeredConfig{.capacity = 1000}, filters);
  for (const classic::Kind kind : tests::kClassicKinds) {
    AddFilter<classic::Filter>(classic::Config{.kind = kind, .capacity = 1000}, filters);
  }
  AddAttributeFilter(filters);
  CHECK(filters.size() == std::variant_size_v<AnyFilter> + 2);  // the other classic kinds
  return filters;
}

TEST_CASE("every type comes back through the one door", "[engine][any_filter][long]") {
  const tests::ScratchFolder folder;
  for (const AnyFilter& filter : OneOfEach()) {
    INFO("type " << FilterTypeName(TypeOf(filter)));
    const std::filesystem::path path = folder / "filter";
    REQUIRE(SaveAny(filter, path).ok());
    CHECK(SaveAny(filter, path, {.replace = false}).error().code == ErrorCode::kExists);
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
    CHECK(std::visit([](const auto& one) { return Shows(one, 999); }, *copy));
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

TEST_CASE("a damaged file of any type is refused at the one door", "[engine][any_filter]") {
  for (const AnyFilter& filter : OneOfEach()) {
    INFO("type " << FilterTypeName(TypeOf(filter)));
    std::vector<std::byte> bytes = SerializeAny(filter);
    bytes.resize(bytes.size() - 64);
    const Result<AnyFilter> refused = DeserializeAny(bytes);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kCorrupt);
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
  tests::Bytes later = tests::MakeMultiStore(SnapshotType::kScalableFilter, 1).Serialize();
  later =
      tests::WithMultiStoreHeader(later, [](MultiStoreHeader& header) { header.start.type = 77; });
  CHECK(TypeOfBytes(later).error().code == ErrorCode::kVersion);
  CHECK_THAT(DeserializeAny(later).error().message, ContainsSubstring("type is 77"));
}

TEST_CASE("filter types have names", "[engine][any_filter]") {
  CHECK(FilterTypeName(FilterType::kCounting) == "counting");
  CHECK(FilterTypeName(FilterType::kScalable) == "scalable");
  CHECK(FilterTypeName(FilterType::kWindow) == "window");
  CHECK(FilterTypeName(FilterType::kLayered) == "layered");
  CHECK(FilterTypeName(FilterType::kClassic) == "classic");
  CHECK(FilterTypeName(FilterType::kAttributes) == "attribute");
  CHECK(FilterTypeName(static_cast<FilterType>(0)) == "unknown");
}

}  // namespace
}  // namespace trommel
