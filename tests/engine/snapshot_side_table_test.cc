// Forged side tables whose checksums are right.
#include "engine/src/snapshots/snapshot_side_table.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/src/snapshots/snapshot_format.h"
#include "support/catch.h"
#include "support/sample_filters.h"
#include "support/snapshot_forge.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;

constexpr uint64_t kEntry8 = 16 + 256;   // bytes of an entry of 8 slices with 1-byte counters
constexpr uint64_t kEntry16 = 16 + 512;  // with 2-byte counters

// Blocks 0, 2 and 3 of 4 promoted: counts of 10 (1 byte), 300 (2 bytes) and 20 (1 byte); the same
// position in every slice, for digests are small multiples of a block's first one.
Bytes ThreePromoted() {
  CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 4});
  const auto insert = [&filter](uint64_t block_idx, size_t times) {
    filter.Insert(Keys::Digests(std::vector<uint64_t>(times, block_idx << 62)));
  };
  insert(0, 10);
  insert(1, 5);
  insert(2, 300);
  insert(3, 20);
  return filter.Serialize();
}

std::string ErrorOf(const Bytes& good, const std::function<void(Bytes&, uint64_t)>& forge) {
  const Bytes bad = tests::Forged(
      good, [&](Bytes& bytes) { forge(bytes, tests::HeaderOf(bytes).side_table.offset); });
  const Result<CountingFilter> filter = CountingFilter::Deserialize(bad);
  REQUIRE_FALSE(filter.ok());
  CHECK(filter.error().code == ErrorCode::kCorrupt);
  return filter.error().message;
}

// The snapshot with another side table, its size told wherever it must be.
void SetSideTable(Bytes& bytes, const Bytes& side_table) {
  SnapshotHeader header = tests::HeaderOf(bytes);
  bytes.resize(header.side_table.offset);
  bytes.insert(bytes.end(), side_table.begin(), side_table.end());
  PlaceSections(header, side_table.size());
  tests::Put(bytes, 0, header);
}

Bytes SideTableOf(const Bytes& bytes) {
  const auto offset = static_cast<std::ptrdiff_t>(tests::HeaderOf(bytes).side_table.offset);
  return {bytes.begin() + offset, bytes.end()};
}

TEST_CASE("forged entries of the side table are refused", "[engine][snapshot]") {
  const Bytes good = ThreePromoted();
  REQUIRE(CountingFilter::Deserialize(good).ok());
  REQUIRE(tests::HeaderOf(good).side_table.num_bytes == kEntry8 + kEntry16 + kEntry8);

  struct EntryForgery {
    std::function<void(Bytes&, uint64_t)> forge;
    const char* message;
  };
  const uint64_t far = ~uint64_t{0};
  const auto put = [](uint64_t offset, auto value) {
    return [=](Bytes& bytes, uint64_t at) { tests::Put(bytes, at + offset, value); };
  };
  const uint64_t last = kEntry8 + kEntry16;
  const std::vector<EntryForgery> forgeries = {
      {put(0, uint64_t{4}), "a block that does not exist"},
      {put(0, far), "a block that does not exist"},
      {put(0, uint64_t{1}), "not marked as promoted"},
      {put(0, uint64_t{2}), "do not ascend"},
      {put(kEntry8, uint64_t{0}), "do not ascend"},
      {put(last, uint64_t{2}), "do not ascend"},
      {put(8, uint32_t{0}), "width"},
      {put(8, uint32_t{3}), "width"},
      {put(8, uint32_t{16}), "width"},
      {put(8, uint32_t{2}), "presence bits"},
      {put(8, ~uint32_t{0}), "width"},
      {put(last + 8, uint32_t{8}), "ends within an entry"},
      {put(12, uint32_t{1}), "reserved"},
      {put(16, uint8_t{11}), "different numbers of keys"},
      {put(16 + 255, uint8_t{1}), "different numbers of keys"},
      {put(kEntry8 + 16, uint16_t{299}), "different numbers of keys"},
  };
  for (size_t i = 0; i < forgeries.size(); ++i) {
    INFO("forgery " << i);
    CHECK_THAT(ErrorOf(good, forgeries[i].forge), ContainsSubstring(forgeries[i].message));
  }
}

TEST_CASE("entries that moved, vanished or appeared are refused", "[engine][snapshot]") {
  const Bytes good = ThreePromoted();
  const Bytes table = SideTableOf(good);
  const auto part = [&table](uint64_t begin, uint64_t end) {
    return Bytes(table.begin() + static_cast<std::ptrdiff_t>(begin),
                 table.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const auto error_with = [&](Bytes side_table) {
    return ErrorOf(good, [&](Bytes& bytes, uint64_t) { SetSideTable(bytes, side_table); });
  };
  CHECK_THAT(error_with({}), ContainsSubstring("lacks a block"));
  CHECK_THAT(error_with(part(kEntry8, table.size())), ContainsSubstring("lacks a block"));
  CHECK_THAT(error_with(part(0, kEntry8 + kEntry16)), ContainsSubstring("lacks a block"));
  CHECK_THAT(error_with(part(0, 7)), ContainsSubstring("ends within an entry"));
  CHECK_THAT(error_with(part(0, 16)), ContainsSubstring("ends within an entry"));
  CHECK_THAT(error_with(part(0, table.size() - 8)), ContainsSubstring("ends within an entry"));
  Bytes twice = table;
  twice.insert(twice.end(), table.end() - kEntry8, table.end());
  CHECK_THAT(error_with(twice), ContainsSubstring("do not ascend"));
  Bytes wide = part(0, 16);  // block 0 with counters of 2 bytes, which need only 1
  wide[8] = std::byte{2};
  for (uint64_t i = 16; i < kEntry8; ++i) wide.insert(wide.end(), {table[i], std::byte{0}});
  wide.insert(wide.end(), table.begin() + kEntry8, table.end());
  CHECK_THAT(error_with(wide), ContainsSubstring("narrower counters"));
  Bytes zeros = table;
  zeros.resize(table.size() + 8);
  CHECK_THAT(error_with(zeros), ContainsSubstring("ends within an entry"));
}

TEST_CASE("counters that disagree with presence or marker are refused", "[engine][snapshot]") {
  const Bytes good = ThreePromoted();
  // The same counts at other positions: the sums are right, the presence bits are not.
  CHECK_THAT(ErrorOf(good,
                     [](Bytes& bytes, uint64_t at) {
                       for (size_t s = 0; s < 8; ++s) {
                         std::rotate(bytes.begin() + static_cast<std::ptrdiff_t>(at + 16 + s * 32),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(at + 17 + s * 32),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(at + 48 + s * 32));
                       }
                     }),
             ContainsSubstring("presence bits"));
  // A block whose counts would fit, in the canonical place for counts that do not.
  CHECK_THAT(ErrorOf(good,
                     [](Bytes& bytes, uint64_t at) {
                       for (size_t i = 0; i < 256; ++i) {
                         std::byte& count = bytes[at + 16 + i];
                         if (count == std::byte{10}) count = std::byte{8};
                       }
                     }),
             ContainsSubstring("fits its encoding"));
  // More keys in the block than the header knows.
  CHECK_THAT(ErrorOf(good,
                     [](Bytes& bytes, uint64_t at) {
                       for (size_t i = 0; i < 256; ++i) {
                         std::byte& count = bytes[at + 16 + i];
                         if (count == std::byte{10}) count = std::byte{11};
                       }
                     }),
             ContainsSubstring("num_keys"));
}

TEST_CASE("a promoted block with more than its marker is refused", "[engine][snapshot]") {
  const Bytes good = ThreePromoted();
  for (const uint64_t word : {1, 7, 9, 23}) {  // words 0, 8 and 16 are the marker
    CHECK_THAT(ErrorOf(good,
                       [word](Bytes& bytes, uint64_t) {
                         tests::Put(bytes, tests::HeaderOf(bytes).counts.offset + word * 4, 1U);
                       }),
               ContainsSubstring("more than its marker"));
  }
}

TEST_CASE("counts that would wrap are refused", "[engine][snapshot]") {
  // One promoted block with 8-byte counters; each slice then gets a second huge one.
  CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 1});
  filter.Insert(Key::Digest(0));
  tests::Double(filter, 40);
  const Bytes good = filter.Serialize();
  REQUIRE(tests::HeaderOf(good).side_table.num_bytes == 16 + 256 * 8);
  const auto with_counts = [&](uint64_t first, uint64_t second) {
    return ErrorOf(good, [&](Bytes& bytes, uint64_t at) {
      const SnapshotHeader header = tests::HeaderOf(bytes);
      for (uint64_t s = 0; s < 8; ++s) {
        tests::Put(bytes, at + 16 + s * 256, first);
        tests::Put(bytes, at + 16 + s * 256 + 8, second);
        tests::Put(bytes, header.presence.offset + s * 4, uint32_t{3});
      }
    });
  };
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  CHECK_THAT(with_counts(kHalf, 1), ContainsSubstring("counts over 2^63 - 1"));
  CHECK_THAT(with_counts(kHalf, kHalf), ContainsSubstring("counts over 2^63 - 1"));
  CHECK_THAT(with_counts(~uint64_t{0}, 1 + (uint64_t{1} << 40)), ContainsSubstring("counts over"));
  CHECK_THAT(with_counts(kHalf - 1, 1), ContainsSubstring("counts over 2^63 - 1"));
  CHECK_THAT(with_counts(kHalf - 2, 1), ContainsSubstring("num_keys"));
}

TEST_CASE("blocks whose counts together wrap to num_keys are refused", "[engine][snapshot]") {
  CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 4});
  for (const uint64_t block_idx : {0, 1, 2}) filter.Insert(Key::Digest(block_idx << 62));
  tests::Double(filter, 40);
  const std::string message = ErrorOf(filter.Serialize(), [](Bytes& bytes, uint64_t at) {
    constexpr uint64_t kMost = (uint64_t{1} << 63) - 1;
    constexpr uint64_t kRest = 2 + (uint64_t{1} << 40);  // all three: 2^64 + 2^40
    for (const uint64_t count : {kMost, kMost, kRest}) {
      for (uint64_t s = 0; s < 8; ++s) tests::Put(bytes, at + 16 + s * 256, count);
      at += 16 + 8 * 256;
    }
    tests::Put(bytes, offsetof(SnapshotHeader, num_keys), uint64_t{1} << 40);
  });
  CHECK_THAT(message, ContainsSubstring("counts over 2^63 - 1"));
}

}  // namespace
}  // namespace trommel
