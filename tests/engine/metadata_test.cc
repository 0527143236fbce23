// User metadata: kept behind a filter, checked, and no part of it.
#include "trommel/metadata.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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

TEST_CASE("metadata goes to sinks and comes from sources as in files", "[engine][metadata]") {
  const tests::ScratchFolder folder;
  const CountingFilter filter = Filter();
  const std::vector<std::byte> metadata = BytesOfText("where it is from");
  REQUIRE(filter.Save(folder / "filter", {.metadata = metadata}).ok());
  const std::vector<std::byte> file = tests::ReadFile(folder / "filter");
  std::vector<std::byte> buffer(file.size());
  SpanSink sink(buffer);
  REQUIRE(filter.SaveTo(sink).ok());
  CHECK(AppendMetadata({}, sink).ok());
  const std::vector<std::byte> much(kMaxMetadataBytes + 1);
  CHECK(AppendMetadata(much, sink).error().code == ErrorCode::kInvalidArgument);
  CHECK(sink.num_bytes() == filter.Serialize().size());
  REQUIRE(AppendMetadata(metadata, sink).ok());
  CHECK(buffer == file);
  CHECK(AppendMetadata(metadata, sink).error().code == ErrorCode::kOutOfMemory);
  CHECK(LoadMetadata(SpanSource(buffer)).value() == metadata);
  CHECK(CountingFilter::LoadFrom(SpanSource(buffer)).value() == filter);
}

// Inserts keys into a filter of one block until its snapshot ends with these bytes: the counts of
// the last slice's last positions, in the side table.
CountingFilter FilterThatEndsWith(std::span<const uint8_t> wanted) {
  const auto empty = [] {
    return CountingFilter::Create({.capacity = 8, .digest = {.kind = DigestKind::kCaller}}).value();
  };
  CountingFilter filter = empty();
  REQUIRE(filter.geometry().num_blocks == 1);
  std::vector<bool> is_set(wanted.size());
  for (uint64_t digest = 0; !std::ranges::all_of(is_set, std::identity()); digest += 0x9e3779b9) {
    CountingFilter one = empty();  // with a count that no block has space for
    for (int i = 0; i < 100; ++i) one.Insert(Key::Digest(digest));
    const std::vector<std::byte> bytes = one.Serialize();
    const auto end = std::span(bytes).last(wanted.size());
    const auto found = std::ranges::find(end, std::byte{100});
    if (found == end.end()) continue;
    const auto at = static_cast<size_t>(found - end.begin());
    if (is_set[at]) continue;
    is_set[at] = true;
    for (int i = 0; i < wanted[at]; ++i) filter.Insert(Key::Digest(digest));
  }
  return filter;
}

TEST_CASE("a filter whose last bytes look like a trailer loads", "[engine][metadata]") {
  const tests::ScratchFolder folder;
  const CountingFilter plain = Filter();
  REQUIRE(plain.Save(folder / "with", {.metadata = BytesOfText("it")}).ok());
  const std::vector<std::byte> with = tests::ReadFile(folder / "with");
  std::vector<uint8_t> magic;
  for (const std::byte of_magic : std::span(with).last(16)) {
    magic.push_back(std::to_integer<uint8_t>(of_magic));
  }
  const CountingFilter filter = FilterThatEndsWith(magic);
  const std::vector<std::byte> bytes = filter.Serialize();
  REQUIRE(std::ranges::equal(std::span(bytes).last(16), std::span(with).last(16)));
  CHECK(CountingFilter::Deserialize(bytes).value() == filter);
  CHECK(LoadMetadata(SpanSource(bytes)).value().empty());
  REQUIRE(filter.Save(folder / "both", {.metadata = BytesOfText("it")}).ok());
  CHECK(CountingFilter::Load(folder / "both").value() == filter);
  CHECK(LoadMetadata(folder / "both").value() == BytesOfText("it"));
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
    CHECK(LoadMetadata(folder / "damaged").error().code == ErrorCode::kCorrupt);
    if (at == end) continue;  // the whole filter, cut where it ends
    CHECK_FALSE(CountingFilter::Deserialize(std::span(good).first(at)).ok());
  }
  CHECK(CountingFilter::Deserialize(std::span(good).first(end)).value() == filter);
  CHECK(LoadMetadata(SpanSource(std::span(good).first(end))).value().empty());
  CHECK(LoadMetadata(SpanSource(std::span(good).first(end - 1))).error().code ==
        ErrorCode::kCorrupt);
  tests::WriteFile(folder / "other", BytesOfText("no filter at all"));
  CHECK(LoadMetadata(folder / "other").error().code == ErrorCode::kCorrupt);
  CHECK(LoadMetadata(folder / "none").error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace trommel
