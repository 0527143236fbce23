// Multi-store snapshots: what is written is read, and any other bytes are refused.
#include "engine/src/snapshots/multi_store_snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/src/snapshots/multi_store_format.h"
#include "support/catch.h"
#include "support/damage.h"
#include "support/multi_store_forge.h"
#include "support/sample_filters.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;
using tests::DeserializeMultiStore;
using tests::SerializeMultiStore;

Bytes Again(const MultiStoreContents& contents) {
  std::vector<MemberStore> members;
  for (const MemberStoreContents& member : contents.members) {
    members.push_back({member.words, member.store.get(), member.facts});
  }
  return SerializeMultiStore(contents.facts, members);
}

bool IsRefusedMultiStore(std::span<const std::byte> bytes) {
  const Result<MultiStoreContents> contents = DeserializeMultiStore(bytes, 0);
  return !contents.ok() && !contents.error().message.empty() &&
         (contents.error().code == ErrorCode::kCorrupt ||
          contents.error().code == ErrorCode::kVersion);
}

TEST_CASE("a multi-store snapshot comes back as it was written", "[engine][multi_store]") {
  const size_t num_members = GENERATE(size_t{0}, 1, 2, 5, 60, 61);
  const tests::SampleMultiStore sample = tests::MakeMultiStore(num_members);
  const Bytes bytes = sample.Serialize();
  CHECK(bytes.size() == MultiStoreSnapshotBytes(sample.Members()));
  const Result<MultiStoreContents> contents = DeserializeMultiStore(bytes, 0);
  REQUIRE(contents.ok());
  CHECK(contents->facts.policy == sample.facts.policy);
  CHECK(contents->facts.params == sample.facts.params);
  REQUIRE(contents->members.size() == num_members);
  for (size_t i = 0; i < num_members; ++i) {
    CHECK(contents->members[i].words == sample.Members()[i].words);
    CHECK(contents->members[i].facts.num_keys == sample.num_keys[i]);
    CHECK(contents->members[i].store->geometry() == sample.stores[i].geometry());
  }
  CHECK(Again(*contents) == bytes);
}

TEST_CASE("each member of a multi-store snapshot is an ordinary snapshot",
          "[engine][multi_store]") {
  const Bytes bytes = tests::MakeMultiStore(5).Serialize();
  for (size_t i = 0; i < 5; ++i) {
    const auto record = tests::Get<MemberRecord>(bytes, kHeaderBytes + i * sizeof(MemberRecord));
    CHECK(record.offset % kPageAlignment == 0);
    const auto part = std::span(bytes).subspan(record.offset, record.num_bytes);
    CHECK(CountingFilter::Deserialize(part).ok());
  }
}

TEST_CASE("a damaged multi-store snapshot is refused", "[engine][multi_store][long]") {
  const size_t num_members = GENERATE(0, 3);
  const Bytes good = tests::MakeMultiStore(num_members).Serialize();
  tests::CheckDamageIsRefused(good, [](auto bytes) { return DeserializeMultiStore(bytes, 0); });
}

TEST_CASE("a multi-store snapshot of another length that claims its own size is refused",
          "[engine][multi_store][long]") {
  const auto is_refused_claiming = [](Bytes bytes, size_t size) {
    bytes.resize(size);
    return IsRefusedMultiStore(tests::WithMultiStoreHeader(
        bytes, [size](MultiStoreHeader& header) { header.file_bytes = size; }));
  };
  const Bytes good = tests::MakeMultiStore(3).Serialize();
  for (size_t length = kHeaderBytes; length < good.size(); ++length) {
    if (!is_refused_claiming(good, length)) FAIL_CHECK("accepted one cut at byte " << length);
  }
  for (const size_t num_members : {0, 3}) {
    const Bytes whole = tests::MakeMultiStore(num_members).Serialize();
    CHECK(is_refused_claiming(whole, whole.size() + 5000));
  }
}

TEST_CASE("members must hash as their snapshot does", "[engine][multi_store]") {
  const Bytes good = tests::MakeMultiStore(3).Serialize();
  for (const auto& [kind, seed] : {std::pair{1u, 12u}, {0u, 11u}, {2u, 11u}}) {
    const Bytes bad =
        tests::WithMultiStoreHeader(good, [&, kind = kind, seed = seed](auto& header) {
          header.start.digest_kind = kind;
          header.start.seed = seed;
        });
    const Result<MultiStoreContents> contents = DeserializeMultiStore(bad, 0);
    REQUIRE_FALSE(contents.ok());
    CHECK_THAT(contents.error().message,
               ContainsSubstring("member 0") && ContainsSubstring("not those of the whole"));
  }
}

TEST_CASE("a bad member is named with its place", "[engine][multi_store]") {
  Bytes bytes = tests::MakeMultiStore(3).Serialize();
  const auto record = tests::Get<MemberRecord>(bytes, kHeaderBytes + sizeof(MemberRecord));
  bytes[record.offset + 5000] ^= std::byte{1};
  const Result<MultiStoreContents> contents = DeserializeMultiStore(bytes, 0);
  REQUIRE_FALSE(contents.ok());
  CHECK_THAT(contents.error().message,
             ContainsSubstring("member 1, which begins at byte " + std::to_string(record.offset)));
}

TEST_CASE("a multi-store snapshot's limit is of all members together", "[engine][multi_store]") {
  const tests::SampleMultiStore sample = tests::MakeMultiStore(3);
  const Bytes bytes = sample.Serialize();
  uint64_t num_bytes = 0;
  for (const BlockStore& store : sample.stores) num_bytes += store.num_bytes();
  CHECK(DeserializeMultiStore(bytes, num_bytes).ok());
  for (const uint64_t limit : {uint64_t{1}, num_bytes / 2, num_bytes - 1}) {
    const Result<MultiStoreContents> contents = DeserializeMultiStore(bytes, limit);
    REQUIRE_FALSE(contents.ok());
    CHECK(contents.error().code == ErrorCode::kOutOfMemory);
  }
}

TEST_CASE("files of another type are told by name", "[engine][multi_store]") {
  const Bytes scalable = tests::MakeMultiStore(2).Serialize();
  const Bytes counting = tests::SampleFilters().front().filter.Serialize();
  const Result<CountingFilter> filter = CountingFilter::Deserialize(scalable);
  REQUIRE_FALSE(filter.ok());
  CHECK(filter.error().code == ErrorCode::kMismatch);
  CHECK(filter.error().message == "this is a scalable filter's snapshot, not a counting filter's");
  const Result<MultiStoreContents> contents = DeserializeMultiStore(counting, 0);
  REQUIRE_FALSE(contents.ok());
  CHECK(contents.error().code == ErrorCode::kMismatch);
  CHECK(contents.error().message ==
        "this is a counting filter's snapshot, not a scalable filter's");
}

// --- Headers and tables, field by field.

Error MultiStoreErrorOf(const Bytes& bytes) {
  const Result<MultiStoreContents> contents = DeserializeMultiStore(bytes, 0);
  REQUIRE_FALSE(contents.ok());
  return contents.error();
}

struct HeaderForgery {
  const char* what;
  std::function<void(MultiStoreHeader&)> edit;
  ErrorCode code;
  std::string message;  // part of it
};

TEST_CASE("a forged field of a multi-store snapshot's header is refused and named",
          "[engine][multi_store]") {
  using H = MultiStoreHeader;
  constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;
  constexpr ErrorCode kVersion = ErrorCode::kVersion;
  const std::vector<HeaderForgery> forgeries = {
      {"magic", [](H& h) { h.start.magic[2] = 'r'; }, kCorrupt, "not a Trommel file (bad magic)"},
      {"version", [](H& h) { h.start.version = 2; }, kVersion, "byte 8"},
      {"header size", [](H& h) { h.start.header_bytes = 64; }, kCorrupt, "byte 12"},
      {"type 0", [](H& h) { h.start.type = 0; }, kVersion, "byte 16 the type is 0"},
      {"type 7", [](H& h) { h.start.type = 7; }, kVersion, "byte 16 the type is 7"},
      {"digest kind", [](H& h) { h.start.digest_kind = 4; }, kVersion, "byte 20"},
      {"a byte less", [](H& h) { h.file_bytes -= 1; }, kCorrupt, "bytes, its header says"},
      {"all bytes", [](H& h) { h.file_bytes = ~uint64_t{0}; }, kCorrupt, "bytes, its header says"},
      {"no members", [](H& h) { h.num_members = 0; }, kCorrupt, "256: the file goes on behind"},
      {"one less", [](H& h) { h.num_members = 2; }, kCorrupt, "the file goes on behind"},
      {"one more", [](H& h) { h.num_members = 4; }, kCorrupt, "byte 448: member 3 of 0 bytes"},
      {"too many", [](H& h) { h.num_members = 4097; }, kCorrupt, "byte 168: 4097 members"},
      {"table", [](H& h) { h.num_members = 4096; }, kCorrupt, "does not fit in a file"},
      {"2^64 members", [](H& h) { h.num_members = ~uint64_t{0}; }, kCorrupt, "byte 168"},
      {"first zero", [](H& h) { h.zeros.front() = 1; }, kCorrupt, "byte 184: reserved"},
      {"last zero", [](H& h) { h.zeros.back() = uint64_t{1} << 63; }, kCorrupt, "reserved"},
  };
  const Bytes good = tests::MakeMultiStore(3).Serialize();
  REQUIRE(DeserializeMultiStore(good, 0).ok());
  for (const HeaderForgery& forgery : forgeries) {
    INFO("forged: " << forgery.what);
    const Error error = MultiStoreErrorOf(tests::WithMultiStoreHeader(good, forgery.edit));
    CHECK(ErrorCodeName(error.code) == ErrorCodeName(forgery.code));
    CHECK_THAT(error.message, ContainsSubstring(forgery.message));
    CHECK(error.message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a forged place in a multi-store snapshot's table is refused and named",
          "[engine][multi_store]") {
  using R = MemberRecord;
  const std::vector<std::function<void(R&)>> edits = {
      [](R& r) { r.offset += kPageAlignment; },
      [](R& r) { r.offset = 0; },
      [](R& r) { r.offset = ~uint64_t{0}; },
      [](R& r) { r.num_bytes = ~uint64_t{0}; },
      [](R& r) { r.num_bytes += kPageAlignment; },
      [](R& r) { r.num_bytes = 0; },
      [](R& r) { r.num_bytes -= 1; },
      [](R& r) { r.num_bytes += 1; },
  };
  const Bytes good = tests::MakeMultiStore(3).Serialize();
  for (const auto& edit : edits) {
    for (const size_t member_idx : {0, 1, 2}) {
      CHECK(MultiStoreErrorOf(tests::WithRecord(good, member_idx, edit)).code ==
            ErrorCode::kCorrupt);
    }
  }
}

TEST_CASE("members that trade places are not where they belong", "[engine][multi_store]") {
  const Bytes good = tests::MakeMultiStore(2).Serialize();
  const Bytes bad = tests::ForgedMultiStore(good, [](Bytes& bytes) {
    const auto first = tests::Get<MemberRecord>(bytes, kHeaderBytes);
    const auto second = tests::Get<MemberRecord>(bytes, kHeaderBytes + sizeof(MemberRecord));
    tests::Put(bytes, kHeaderBytes, second);
    tests::Put(bytes, kHeaderBytes + sizeof(MemberRecord), first);
  });
  CHECK_THAT(MultiStoreErrorOf(bad).message, ContainsSubstring("byte 256: member 0"));
}

TEST_CASE("a multi-store snapshot's padding must be zero whatever the checksums",
          "[engine][multi_store]") {
  const Bytes good = tests::MakeMultiStore(3).Serialize();
  const auto record = tests::Get<MemberRecord>(good, kHeaderBytes);
  for (const uint64_t at : {kHeaderBytes + 3 * sizeof(MemberRecord), kPageAlignment - 1,
                            record.offset + record.num_bytes}) {
    Bytes bad = good;
    bad[at] = std::byte{1};
    CHECK(MultiStoreErrorOf(bad).message ==
          "corrupt snapshot at byte " + std::to_string(at) + ": padding is not zero");
  }
}

TEST_CASE("numbers that a type does not use must be zero", "[engine][multi_store]") {
  MultiStoreParams params{};
  CHECK(CheckUnusedParams(params, 0).ok());
  params[2] = 5;
  CHECK(CheckUnusedParams(params, 3).ok());
  REQUIRE_FALSE(CheckUnusedParams(params, 2).ok());
  CHECK_THAT(CheckUnusedParams(params, 1).error().message, ContainsSubstring("byte 48: "));
  params[15] = 1;
  CHECK_THAT(CheckUnusedParams(params, 3).error().message, ContainsSubstring("byte 152: "));
  MemberWords words{};
  CHECK(CheckUnusedWords(1, words, 0).ok());
  words[5] = 1;
  CHECK(CheckUnusedWords(1, words, 6).ok());
  // The header, a record, offset and num_bytes, five words.
  CHECK_THAT(CheckUnusedWords(1, words, 2).error().message,
             ContainsSubstring("byte " + std::to_string(256 + 64 + 16 + 40) + ": member 1: "));
}

TEST_CASE("a member's place follows from the sizes before it", "[engine][multi_store]") {
  std::vector<MemberRecord> members(3);
  members[0].num_bytes = 4096;
  members[1].num_bytes = 4097;
  members[2].num_bytes = 10;
  CHECK(PlaceMembers(members) == 4096 * 4 + 10);
  CHECK(members[0].offset == 4096);
  CHECK(members[1].offset == 2 * 4096);
  CHECK(members[2].offset == 4 * 4096);
  CHECK(PlaceMembers({}) == 256);
}

}  // namespace
}  // namespace trommel
