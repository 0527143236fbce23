// Hostile snapshots: accidents of every kind, and forged blocks whose checksums are right.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/src/snapshots/snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "support/catch.h"
#include "support/damage.h"
#include "support/sample_filters.h"
#include "support/snapshot_forge.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;

const std::vector<Bytes>& Snapshots() {
  static const std::vector<Bytes> snapshots = [] {
    std::vector<Bytes> all;
    for (const tests::Sample& sample : tests::SampleFilters()) {
      all.push_back(sample.filter.Serialize());
    }
    return all;
  }();
  return snapshots;
}

// An error that a reader of the message can act on.
bool IsRefused(std::span<const std::byte> bytes) {
  const Result<CountingFilter> filter = CountingFilter::Deserialize(bytes);
  return !filter.ok() && !filter.error().message.empty() &&
         (filter.error().code == ErrorCode::kCorrupt || filter.error().code == ErrorCode::kVersion);
}

TEST_CASE("a damaged snapshot is refused", "[engine][snapshot][long]") {
  for (const Bytes& good : Snapshots()) {
    tests::CheckDamageIsRefused(good,
                                [](auto bytes) { return CountingFilter::Deserialize(bytes); });
  }
}

TEST_CASE("a cut snapshot that claims its own size is refused", "[engine][snapshot][long]") {
  for (const Bytes& good : Snapshots()) {
    for (size_t length = sizeof(SnapshotHeader); length < good.size(); ++length) {
      const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
      const Bytes forged =
          tests::WithHeader(cut, [&](SnapshotHeader& header) { header.file_bytes = length; });
      if (!IsRefused(forged)) FAIL_CHECK("read a snapshot cut at byte " << length);
    }
  }
}

TEST_CASE("padding that is not zero is refused whatever the checksums", "[engine][snapshot]") {
  for (const Bytes& good : Snapshots()) {
    const SnapshotHeader header = tests::HeaderOf(good);
    const uint64_t after_presence = header.presence.offset + header.presence.num_bytes;
    const uint64_t after_counts = header.counts.offset + header.counts.num_bytes;
    for (const uint64_t at :
         {uint64_t{256}, uint64_t{4095}, after_presence, header.counts.offset - 1, after_counts}) {
      // No padding there.
      if (at == header.counts.offset || at == header.side_table.offset) continue;
      const Bytes bad = tests::Forged(good, [at](Bytes& bytes) { bytes[at] = std::byte{1}; });
      const Result<CountingFilter> filter = CountingFilter::Deserialize(bad);
      REQUIRE_FALSE(filter.ok());
      CHECK(filter.error().message ==
            "corrupt snapshot at byte " + std::to_string(at) + ": padding is not zero");
    }
  }
}

TEST_CASE("a snapshot with something appended that it claims is refused", "[engine][snapshot]") {
  for (const Bytes& good : Snapshots()) {
    for (const size_t num_extra : {1, 8, 272, 5000}) {
      Bytes longer = good;
      longer.resize(good.size() + num_extra);
      const Bytes claimed = tests::WithHeader(
          longer, [&](SnapshotHeader& header) { header.file_bytes = longer.size(); });
      CHECK(IsRefused(claimed));
      // Even as part of the side table.
      CHECK(IsRefused(tests::Forged(longer, [](Bytes& bytes) {
        SnapshotHeader header = tests::HeaderOf(bytes);
        header.file_bytes = bytes.size();
        header.side_table.num_bytes = bytes.size() - header.side_table.offset;
        tests::Put(bytes, 0, header);
      })));
    }
  }
}

TEST_CASE("what is no snapshot at all is refused", "[engine][snapshot]") {
  CHECK(IsRefused({}));
  for (const size_t size : {1, 7, 8, 12, 255, 256, 10000}) {
    CHECK(IsRefused(Bytes(size, std::byte{0})));
    CHECK(IsRefused(Bytes(size, std::byte{0xff})));
    CHECK(IsRefused(Bytes(size, std::byte{'\n'})));
  }
}

// One block of 8 slices with one key, counted once: the smallest thing to forge.
Bytes OneKey() {
  CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 1});
  filter.Insert(Key::Digest(0));  // position 0 of each slice
  return filter.Serialize();
}

std::string ForgedError(const Bytes& good, uint64_t offset, uint32_t word) {
  const Bytes bad = tests::Forged(good, [&](Bytes& bytes) { tests::Put(bytes, offset, word); });
  const Result<CountingFilter> filter = CountingFilter::Deserialize(bad);
  REQUIRE_FALSE(filter.ok());
  CHECK(filter.error().code == ErrorCode::kCorrupt);
  return filter.error().message;
}

TEST_CASE("forged blocks are refused", "[engine][snapshot]") {
  const Bytes good = OneKey();
  REQUIRE(CountingFilter::Deserialize(good).ok());
  const SnapshotHeader header = tests::HeaderOf(good);
  const uint64_t presence = header.presence.offset;
  const uint64_t counts = header.counts.offset;
  CHECK_THAT(ForgedError(good, presence, 0), ContainsSubstring("different numbers of keys"));
  CHECK_THAT(ForgedError(good, presence, 3), ContainsSubstring("different numbers of keys"));
  CHECK_THAT(ForgedError(good, presence + 28, 9), ContainsSubstring("different numbers of keys"));
  CHECK_THAT(ForgedError(good, counts, 1), ContainsSubstring("different numbers of keys"));
  CHECK_THAT(ForgedError(good, counts + 92, 2), ContainsSubstring("where it has no presence bit"));
  // The marker without an entry in the side table.
  const Bytes marked = tests::Forged(good, [&](Bytes& bytes) {
    for (const uint64_t plane : {0, 1, 2}) tests::Put(bytes, counts + plane * 32, ~uint32_t{0});
  });
  const Result<CountingFilter> filter = CountingFilter::Deserialize(marked);
  REQUIRE_FALSE(filter.ok());
  CHECK_THAT(filter.error().message, ContainsSubstring("lacks a block marked as promoted"));
}

TEST_CASE("forged blocks of runs are refused", "[engine][snapshot]") {
  CountingFilter filter =
      tests::MakeFilter({.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 1});
  filter.Insert(Key::Digest(0));  // position 0 of each slice: 5 words 1 and 0, 5 words 3, one 0
  const Bytes good = filter.Serialize();
  REQUIRE(CountingFilter::Deserialize(good).ok());
  const uint64_t presence = tests::HeaderOf(good).counts.offset;
  const uint64_t runs = presence + 40;
  CHECK_THAT(ForgedError(good, presence, 0), ContainsSubstring("not those of its presence bits"));
  CHECK_THAT(ForgedError(good, presence + 36, 1), ContainsSubstring("not those of its presence"));
  CHECK_THAT(ForgedError(good, runs, 5), ContainsSubstring("different numbers of keys"));
  CHECK_THAT(ForgedError(good, runs + 16, 5), ContainsSubstring("different numbers of keys"));
  CHECK_THAT(ForgedError(good, runs + 4, 2), ContainsSubstring("not those of its presence bits"));
  CHECK_THAT(ForgedError(good, runs + 20, 1), ContainsSubstring("not those of its presence bits"));
  CHECK_THAT(ForgedError(good, runs + 20, 1U << 30), ContainsSubstring("between its run strings"));
  // A string less: the marker, but not all of it.
  CHECK_THAT(ForgedError(good, runs, 0), ContainsSubstring("more than its marker"));
  // The whole marker without an entry in the side table.
  const Bytes marked = tests::Forged(good, [&](Bytes& bytes) {
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(runs), 24, std::byte{0});
  });
  const Result<CountingFilter> read = CountingFilter::Deserialize(marked);
  REQUIRE_FALSE(read.ok());
  CHECK_THAT(read.error().message, ContainsSubstring("lacks a block marked as promoted"));
}

TEST_CASE("a bad block is named by its place in the file", "[engine][snapshot]") {
  CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 100});
  tests::InsertIntegers(filter, 500);
  const Bytes good = filter.Serialize();
  const uint64_t at = tests::HeaderOf(good).counts.offset + 57 * 96;
  const std::string message = ForgedError(good, at + 92, 0xff00ff00);
  CHECK_THAT(message, ContainsSubstring("at byte " + std::to_string(at) + ":"));
}

TEST_CASE("a turned slice is another valid filter", "[engine][snapshot]") {
  // The other direction: what the rules allow is read, though no insertion led there.
  const Bytes turned = tests::Forged(OneKey(), [](Bytes& bytes) {
    tests::Put(bytes, tests::HeaderOf(bytes).presence.offset, uint32_t{1} << 31);
  });
  const Result<CountingFilter> filter = CountingFilter::Deserialize(turned);
  REQUIRE(filter.ok());
  CHECK(filter->Serialize() == turned);
  CHECK(filter->num_keys() == 1);
}

}  // namespace
}  // namespace trommel
