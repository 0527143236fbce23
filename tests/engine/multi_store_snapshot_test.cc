// Family snapshots: what goes in comes out, and nothing else is believed.
#include "engine/src/snapshots/multi_store_snapshot.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/multi_store_forge.h"
#include "support/sample_filters.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;
using tests::DeserializeMultiStore;
using tests::SerializeMultiStore;

constexpr SnapshotType kType = SnapshotType::kWindowFilter;

Bytes Again(const MultiStoreContents& family) {
  std::vector<MemberStore> members;
  for (const MemberStoreContents& member : family.members) {
    members.push_back({member.words, &member.contents.store, member.contents.facts});
  }
  return SerializeMultiStore(family.facts, members);
}

bool IsRefusedMultiStore(std::span<const std::byte> bytes) {
  const Result<MultiStoreContents> family = DeserializeMultiStore(bytes, kType, 0);
  return !family.ok() && !family.error().message.empty() &&
         (family.error().code == ErrorCode::kCorrupt || family.error().code == ErrorCode::kVersion);
}

TEST_CASE("a family comes back as it was written", "[engine][family]") {
  const size_t num_members = GENERATE(size_t{0}, 1, 2, 5, 60, 61);
  const tests::SampleMultiStore sample = tests::MakeMultiStore(kType, num_members);
  const Bytes bytes = sample.Serialize();
  CHECK(bytes.size() == MultiStoreSnapshotBytes(sample.Members()));
  const Result<MultiStoreContents> family = DeserializeMultiStore(bytes, kType, 0);
  REQUIRE(family.ok());
  CHECK(family->facts.type == kType);
  CHECK(family->facts.policy == sample.facts.policy);
  CHECK(family->facts.params == sample.facts.params);
  REQUIRE(family->members.size() == num_members);
  for (size_t i = 0; i < num_members; ++i) {
    CHECK(family->members[i].words == sample.Members()[i].words);
    CHECK(family->members[i].contents.facts.num_keys == sample.num_keys[i]);
    CHECK(family->members[i].contents.store.geometry() == sample.stores[i].geometry());
  }
  CHECK(Again(*family) == bytes);
}

TEST_CASE("each member of a family is an ordinary snapshot", "[engine][family]") {
  const Bytes bytes = tests::MakeMultiStore(kType, 5).Serialize();
  for (size_t i = 0; i < 5; ++i) {
    const auto record = tests::Get<MemberRecord>(bytes, kHeaderBytes + i * sizeof(MemberRecord));
    CHECK(record.offset % kPageAlignment == 0);
    const auto part = std::span(bytes).subspan(record.offset, record.num_bytes);
    CHECK(CountingFilter::Deserialize(part).ok());
  }
}

TEST_CASE("a family cut at any length is refused", "[engine][family][long]") {
  const Bytes good = tests::MakeMultiStore(kType, 3).Serialize();
  for (size_t length = 0; length < good.size(); ++length) {
    // A copy of exactly this size: reading one byte too far is then seen by AddressSanitizer.
    const auto cut = std::make_unique<std::byte[]>(length);
    std::copy_n(good.begin(), length, cut.get());
    if (!IsRefusedMultiStore({cut.get(), length}))
      FAIL_CHECK("read a family cut at byte " << length);
    if (length < kHeaderBytes) continue;
    const Bytes bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    const Bytes claimed = tests::WithMultiStoreHeader(
        bytes, [&](MultiStoreHeader& header) { header.file_bytes = length; });
    if (!IsRefusedMultiStore(claimed)) FAIL_CHECK("believed a family cut at byte " << length);
  }
}

TEST_CASE("any flipped bit of a family's header and table is refused", "[engine][family]") {
  const Bytes good = tests::MakeMultiStore(kType, 3).Serialize();
  for (size_t bit = 0; bit < (kHeaderBytes + 3 * sizeof(MemberRecord)) * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    if (!IsRefusedMultiStore(bad)) FAIL_CHECK("read a family with bit " << bit << " flipped");
  }
}

TEST_CASE("any changed byte of a family is refused", "[engine][family][long]") {
  const Bytes good = tests::MakeMultiStore(kType, 2).Serialize();
  for (size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= std::byte{static_cast<uint8_t>(1 + at % 255)};
    if (!IsRefusedMultiStore(bad)) FAIL_CHECK("read a family with byte " << at << " changed");
  }
}

TEST_CASE("a family with something behind it is refused", "[engine][family]") {
  for (const size_t num_members : {0, 3}) {
    Bytes longer = tests::MakeMultiStore(kType, num_members).Serialize();
    REQUIRE(DeserializeMultiStore(longer, kType, 0).ok());
    longer.resize(longer.size() + 5000);
    CHECK(IsRefusedMultiStore(longer));
    CHECK(IsRefusedMultiStore(tests::WithMultiStoreHeader(
        longer, [&](MultiStoreHeader& header) { header.file_bytes = longer.size(); })));
  }
}

TEST_CASE("members must hash as their family does", "[engine][family]") {
  const Bytes good = tests::MakeMultiStore(kType, 3).Serialize();
  for (const auto& [kind, seed] : {std::pair{1u, 12u}, {0u, 11u}, {2u, 11u}}) {
    const Bytes bad =
        tests::WithMultiStoreHeader(good, [&, kind = kind, seed = seed](auto& header) {
          header.start.digest_kind = kind;
          header.start.seed = seed;
        });
    const Result<MultiStoreContents> family = DeserializeMultiStore(bad, kType, 0);
    REQUIRE_FALSE(family.ok());
    CHECK_THAT(family.error().message,
               ContainsSubstring("member 0") && ContainsSubstring("not those of the whole"));
  }
}

TEST_CASE("a bad member is named with its place", "[engine][family]") {
  Bytes bytes = tests::MakeMultiStore(kType, 3).Serialize();
  const auto record = tests::Get<MemberRecord>(bytes, kHeaderBytes + sizeof(MemberRecord));
  bytes[record.offset + 5000] ^= std::byte{1};
  const Result<MultiStoreContents> family = DeserializeMultiStore(bytes, kType, 0);
  REQUIRE_FALSE(family.ok());
  CHECK_THAT(family.error().message,
             ContainsSubstring("member 1, which begins at byte " + std::to_string(record.offset)));
}

TEST_CASE("a family's limit is of all members together", "[engine][family]") {
  const tests::SampleMultiStore sample = tests::MakeMultiStore(kType, 3);
  const Bytes bytes = sample.Serialize();
  uint64_t num_bytes = 0;
  for (const BlockStore& store : sample.stores) num_bytes += store.num_bytes();
  CHECK(DeserializeMultiStore(bytes, kType, num_bytes).ok());
  for (const uint64_t limit : {uint64_t{1}, num_bytes / 2, num_bytes - 1}) {
    const Result<MultiStoreContents> family = DeserializeMultiStore(bytes, kType, limit);
    REQUIRE_FALSE(family.ok());
    CHECK(family.error().code == ErrorCode::kOutOfMemory);
  }
}

TEST_CASE("files of another type are told by name", "[engine][family]") {
  const Bytes window = tests::MakeMultiStore(kType, 2).Serialize();
  const Bytes counting = tests::SampleFilters().front().filter.Serialize();
  const Result<CountingFilter> filter = CountingFilter::Deserialize(window);
  REQUIRE_FALSE(filter.ok());
  CHECK(filter.error().code == ErrorCode::kMismatch);
  CHECK(filter.error().message == "this is a window filter's snapshot, not a counting filter's");
  const auto message_of = [](const Bytes& bytes, SnapshotType wanted) {
    const Result<MultiStoreContents> family = DeserializeMultiStore(bytes, wanted, 0);
    REQUIRE_FALSE(family.ok());
    CHECK(family.error().code == ErrorCode::kMismatch);
    return family.error().message;
  };
  CHECK(message_of(window, SnapshotType::kScalableFilter) ==
        "this is a window filter's snapshot, not a scalable filter's");
  CHECK(message_of(counting, SnapshotType::kLayeredFilter) ==
        "this is a counting filter's snapshot, not a layered filter's");
}

}  // namespace
}  // namespace trommel
