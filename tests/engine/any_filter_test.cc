// The one door: files of every type are told apart, and come back as what they are.
#include "trommel/any_filter.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "support/catch.h"
#include "support/every_type.h"
#include "support/scratch_folder.h"

namespace trommel {
namespace {

using tests::NamedFilter;

// A filter of each type with 0 .. 299 in it.
std::vector<NamedFilter> OneOfEach() {
  std::vector<uint64_t> keys(300);
  std::iota(keys.begin(), keys.end(), 0);
  return tests::FiltersWith(keys);
}

TEST_CASE("every type that has a name is in the list that tests run over", "[engine][any_filter]") {
  std::set<FilterType> listed = {FilterType::kAttributes};
  for (const tests::KeyType& of : tests::KeyTypes()) listed.insert(of.type);
  for (int number = 0; number < 256; ++number) {
    const auto type = static_cast<FilterType>(number);
    CAPTURE(number);
    CHECK(listed.contains(type) == (FilterTypeName(type) != "unknown"));
  }
}

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

TEST_CASE("a filter of any type comes back from its file, and from a caller's source",
          "[engine][any_filter]") {
  const tests::ScratchFolder folder;
  for (const NamedFilter& one : OneOfEach()) {
    INFO(one.name);
    const AnyFilter& filter = *one.filter;
    const std::vector<std::byte> bytes = filter.Serialize();
    std::vector<std::byte> buffer(bytes.size() + 10);
    SpanSink in_buffer(buffer);
    REQUIRE(filter.SaveTo(in_buffer, {}).ok());
    CHECK(in_buffer.num_bytes() == bytes.size());
    CHECK(std::ranges::equal(std::span(buffer).first(bytes.size()), bytes));
    SpanSink too_small{std::span(buffer).first(bytes.size() - 1)};
    CHECK(filter.SaveTo(too_small, {}).error().code == ErrorCode::kOutOfMemory);

    const Result<AnyFilterPtr> loaded = AnyFilter::LoadFrom(SpanSource(bytes));
    REQUIRE(loaded.ok());
    CHECK((*loaded)->Equals(filter));
    CHECK(TypeOfBytes(bytes).value() == filter.type());
    const std::filesystem::path path = folder / "filter";
    REQUIRE(filter.Save(path, {}).ok());
    CHECK(TypeOfFile(path).value() == filter.type());
    CHECK(filter.Save(path, {.replace = false}).error().code == ErrorCode::kExists);
    CHECK(AnyFilter::Load(path).value()->Equals(filter));
    CHECK(AnyFilter::LoadFrom(FailingSource(bytes)).error().message == "the store is gone");
    CHECK(AnyFilter::LoadFrom(SpanSource(bytes), 100).error().code == ErrorCode::kOutOfMemory);
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

}  // namespace
}  // namespace trommel
