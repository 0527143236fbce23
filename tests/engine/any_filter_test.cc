// The one door: files of every type are told apart, and come back as what they are.
#include "trommel/any_filter.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/held_filter.h"
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
void AddFilter(const Config& config, std::vector<tests::HeldFilter>& filters) {
  Filter filter = std::move(Filter::Create(config)).value();
  filter.Insert(Integers());
  filters.emplace_back(std::move(filter));
}

// Pairs of attributes, of which those with key i are (i, i).
void AddAttributeFilter(std::vector<tests::HeldFilter>& filters) {
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

// A filter of each type with 0 .. 999 in it.
std::vector<tests::HeldFilter> OneOfEach() {
  std::vector<tests::HeldFilter> filters;
  AddFilter<CountingFilter>(CountingConfig{.capacity = 1000}, filters);
  AddFilter<ScalableFilter>(ScalableConfig{.first_capacity = 100, .mode = GrowthMode::kGenerations},
                            filters);
  CHECK(filters.back()->As<ScalableFilter>()->num_generations() > 1);
  AddFilter<WindowFilter>(WindowConfig{.window = 100, .num_buckets = 4, .capacity = 1000}, filters);
  AddAttributeFilter(filters);
  CHECK(filters.size() == tests::kNumTypes);
  return filters;
}

TEST_CASE("every type comes back through the one door", "[engine][any_filter][long]") {
  const tests::ScratchFolder folder;
  for (const tests::HeldFilter& filter : OneOfEach()) {
    INFO("type " << FilterTypeName(filter->type()));
    const std::filesystem::path path = folder / "filter";
    REQUIRE(filter->Save(path, {}).ok());
    CHECK(filter->Save(path, {.replace = false}).error().code == ErrorCode::kExists);
    CHECK(TypeOfFile(path).value() == filter->type());
    const Result<AnyFilterPtr> loaded = AnyFilter::Load(path);
    REQUIRE(loaded.ok());
    CHECK((*loaded)->type() == filter->type());
    const std::vector<std::byte> bytes = filter->Serialize();
    CHECK((*loaded)->Serialize() == bytes);
    CHECK(TypeOfBytes(bytes).value() == filter->type());
    const Result<AnyFilterPtr> copy = AnyFilter::Deserialize(bytes);
    REQUIRE(copy.ok());
    CHECK((*copy)->type() == filter->type());
    CHECK(tests::OnType(**copy, [](const auto& one) { return Shows(one, 999); }));
  }
}

// Inserts one more key, or tuple.
void InsertOne(auto& filter, uint64_t key) { filter.Insert(Key(key)); }
void InsertOne(AttributeFilter& filter, uint64_t key) {
  TupleDigests tuple(2);
  for (uint32_t a = 0; a < 2; ++a) tuple.Set(a, std::vector<uint64_t>{key});
  filter.Insert(tuple.view());
}

TEST_CASE("a copy of any type is equal to the filter, and changes by itself",
          "[engine][any_filter]") {
  for (const tests::HeldFilter& any : OneOfEach()) {
    INFO("type " << FilterTypeName(any->type()));
    const std::vector<std::byte> bytes = any->Serialize();
    tests::OnType(*any, [&](auto& filter) {
      auto clone = filter.Clone();
      REQUIRE(clone.ok());
      CHECK(*clone == filter);
      CHECK(clone->Serialize() == bytes);
      InsertOne(*clone, 123'456'789);
      CHECK_FALSE(*clone == filter);
      CHECK(*clone != filter);
      CHECK(filter.Serialize() == bytes);
    });
  }
}

// Grows by its own rules, and takes notes.
class NotingSink final : public ByteSink {
 public:
  explicit NotingSink(size_t most) : most_(most) {}
  Status Append(std::span<const std::byte> bytes) override {
    if (bytes_.size() + bytes.size() > most_) return Error{ErrorCode::kIo, "the store is full"};
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return Ok();
  }
  Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) override {
    REQUIRE(offset + bytes.size() <= bytes_.size());
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    return Ok();
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  size_t most_;
  std::vector<std::byte> bytes_;
};

class FailingSource final : public ByteSource {
 public:
  explicit FailingSource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  uint64_t num_bytes() const override { return bytes_.num_bytes(); }
  Status ReadAt(uint64_t offset, std::span<std::byte> into) const override {
    if (offset + into.size() > num_bytes() / 2) return Error{ErrorCode::kIo, "the store is gone"};
    return bytes_.ReadAt(offset, into);
  }

 private:
  SpanSource bytes_;
};

TEST_CASE("a filter of any type goes to a caller's sink and comes from a caller's source",
          "[engine][any_filter]") {
  for (const tests::HeldFilter& any : OneOfEach()) {
    INFO("type " << FilterTypeName(any->type()));
    const std::vector<std::byte> bytes = any->Serialize();
    tests::OnType(*any, [&](const auto& filter) {
      using Filter = std::decay_t<decltype(filter)>;
      NotingSink sink(bytes.size());
      REQUIRE(filter.SaveTo(sink).ok());
      CHECK(sink.bytes() == bytes);
      NotingSink small(bytes.size() - 1);
      CHECK(filter.SaveTo(small).error().message == "the store is full");

      std::vector<std::byte> buffer(bytes.size() + 10);
      SpanSink in_buffer(buffer);
      REQUIRE(filter.SaveTo(in_buffer).ok());
      CHECK(in_buffer.num_bytes() == bytes.size());
      CHECK(std::ranges::equal(std::span(buffer).first(bytes.size()), bytes));
      SpanSink too_small{std::span(buffer).first(bytes.size() - 1)};
      CHECK(filter.SaveTo(too_small).error().code == ErrorCode::kOutOfMemory);

      const Result<Filter> loaded = Filter::LoadFrom(SpanSource(bytes));
      REQUIRE(loaded.ok());
      CHECK(*loaded == filter);
      CHECK(Filter::LoadFrom(FailingSource(bytes)).error().message == "the store is gone");
      CHECK(Filter::LoadFrom(SpanSource(bytes), 100).error().code == ErrorCode::kOutOfMemory);
    });
  }
}

TEST_CASE("the one door keeps the memory limit", "[engine][any_filter]") {
  const tests::ScratchFolder folder;
  for (const tests::HeldFilter& filter : OneOfEach()) {
    INFO("type " << FilterTypeName(filter->type()));
    REQUIRE(filter->Save(folder / "filter", {}).ok());
    const Result<AnyFilterPtr> loaded = AnyFilter::Load(folder / "filter", 100);
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().code == ErrorCode::kOutOfMemory);
  }
}

TEST_CASE("a damaged file of any type is refused at the one door", "[engine][any_filter]") {
  for (const tests::HeldFilter& filter : OneOfEach()) {
    INFO("type " << FilterTypeName(filter->type()));
    std::vector<std::byte> bytes = filter->Serialize();
    bytes.resize(bytes.size() - 64);
    const Result<AnyFilterPtr> refused = AnyFilter::Deserialize(bytes);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kCorrupt);
  }
}

TEST_CASE("what is no filter is refused at the one door", "[engine][any_filter]") {
  const tests::ScratchFolder folder;
  CHECK(AnyFilter::Load(folder / "none").error().code == ErrorCode::kIo);
  CHECK(TypeOfFile(folder.path()).error().code == ErrorCode::kIo);
  CHECK(TypeOfBytes({}).error().code == ErrorCode::kCorrupt);
  const std::vector<std::byte> text(1000, std::byte{'x'});
  CHECK(AnyFilter::Deserialize(text).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("filter types have names", "[engine][any_filter]") {
  CHECK(FilterTypeName(FilterType::kCounting) == "counting");
  CHECK(FilterTypeName(FilterType::kScalable) == "scalable");
  CHECK(FilterTypeName(FilterType::kWindow) == "window");
  CHECK(FilterTypeName(FilterType::kAttributes) == "attribute");
  CHECK(FilterTypeName(static_cast<FilterType>(0)) == "unknown");
  CHECK(FilterTypeName(static_cast<FilterType>(5)) == "unknown");
}

}  // namespace
}  // namespace trommel
