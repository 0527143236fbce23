// User metadata: kept behind a filter, checked, and no part of it.
#include "trommel/metadata.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/any_filter.h"

namespace trommel {
namespace {

using tests::BytesOfText;

CountingFilter Filter() {
  CountingFilter filter = CountingFilter::Create({.capacity = 100}).value();
  filter.Insert("a key");
  return filter;
}

TEST_CASE("metadata of any length comes back, and the filter is what it is without",
          "[engine][metadata]") {
  const tests::ScratchFolder folder;
  const CountingFilter filter = Filter();
  const std::vector<std::byte> plain = filter.Serialize();
  for (const size_t size : {size_t{0}, size_t{1}, size_t{31}, kMaxMetadataBytes}) {
    const std::vector<std::byte> metadata(size, std::byte{7});
    REQUIRE(filter.Save(folder / "filter", {.metadata = metadata}).ok());
    CHECK(LoadMetadata(folder / "filter").value() == metadata);
    const std::vector<std::byte> file = tests::ReadFile(folder / "filter");
    CHECK(std::ranges::equal(std::span(file).first(plain.size()), plain));
    CHECK(file.size() == plain.size() + (size == 0 ? 0 : size + 32));
    CHECK(CountingFilter::Load(folder / "filter").value() == filter);
    CHECK(CountingFilter::Deserialize(file).value() == filter);
    CHECK(std::get<CountingFilter>(LoadAny(folder / "filter").value()) == filter);
    CHECK(TypeOfFile(folder / "filter").value() == FilterType::kCounting);
  }
}

TEST_CASE("metadata beyond 64 KiB is refused, and the file stays", "[engine][metadata]") {
  const tests::ScratchFolder folder;
  const CountingFilter filter = Filter();
  REQUIRE(filter.Save(folder / "filter").ok());
  const std::vector<std::byte> much(kMaxMetadataBytes + 1);
  const Status saved = filter.Save(folder / "filter", {.metadata = much});
  REQUIRE_FALSE(saved.ok());
  CHECK(saved.error().code == ErrorCode::kInvalidArgument);
  CHECK(saved.error().message == "metadata has 65,537 bytes; it may have at most 65,536");
  CHECK(tests::ReadFile(folder / "filter") == filter.Serialize());
}

TEST_CASE("a file with damaged metadata is corrupt", "[engine][metadata]") {
  const tests::ScratchFolder folder;
  const CountingFilter filter = Filter();
  const size_t end = filter.Serialize().size();
  REQUIRE(filter.Save(folder / "filter", {.metadata = BytesOfText("where it is from")}).ok());
  const std::vector<std::byte> good = tests::ReadFile(folder / "filter");
  for (size_t at = end; at < good.size(); ++at) {
    INFO("byte " << at);
    std::vector<std::byte> damaged = good;
    damaged[at] ^= std::byte{1};
    tests::WriteFile(folder / "damaged", damaged);
    CHECK(CountingFilter::Load(folder / "damaged").error().code == ErrorCode::kCorrupt);
    if (at < good.size() - 16) {  // else there is none to be seen
      CHECK(LoadMetadata(folder / "damaged").error().code == ErrorCode::kCorrupt);
    }
    if (at == end) continue;  // the whole filter, cut where it ends
    CHECK_FALSE(CountingFilter::Deserialize(std::span(good).first(at)).ok());
  }
  CHECK(CountingFilter::Deserialize(std::span(good).first(end)).value() == filter);
  tests::WriteFile(folder / "other", BytesOfText("no filter at all"));
  CHECK(LoadMetadata(folder / "other").error().code == ErrorCode::kCorrupt);
  CHECK(LoadMetadata(folder / "none").error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace trommel
