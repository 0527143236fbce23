// Family headers and tables: each field's rule, by a forger whose checksums are right.
#include "engine/src/snapshots/multi_store_format.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/src/snapshots/multi_store_snapshot.h"
#include "support/catch.h"
#include "support/multi_store_forge.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;
using tests::DeserializeMultiStore;
constexpr SnapshotType kScalable = SnapshotType::kScalableFilter;

Error MultiStoreErrorOf(const Bytes& bytes) {
  const Result<MultiStoreContents> family = DeserializeMultiStore(bytes, kScalable, 0);
  REQUIRE_FALSE(family.ok());
  return family.error();
}

struct HeaderForgery {
  const char* what;
  std::function<void(MultiStoreHeader&)> edit;
  ErrorCode code;
  std::string message;  // part of it
};

TEST_CASE("a forged field of a family's header is refused and named", "[engine][family]") {
  using H = MultiStoreHeader;
  constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;
  constexpr ErrorCode kVersion = ErrorCode::kVersion;
  const std::vector<HeaderForgery> forgeries = {
      {"magic", [](H& h) { h.start.magic[2] = 'r'; }, kCorrupt, "not a Trommel file (bad magic)"},
      {"version", [](H& h) { h.start.version = 2; }, kVersion, "of version 2"},
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
  const Bytes good = tests::MakeMultiStore(kScalable, 3).Serialize();
  REQUIRE(DeserializeMultiStore(good, kScalable, 0).ok());
  for (const HeaderForgery& forgery : forgeries) {
    INFO("forged: " << forgery.what);
    const Error error = MultiStoreErrorOf(tests::WithMultiStoreHeader(good, forgery.edit));
    CHECK(ErrorCodeName(error.code) == ErrorCodeName(forgery.code));
    CHECK_THAT(error.message, ContainsSubstring(forgery.message));
    CHECK(error.message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a forged place in a family's table is refused and named", "[engine][family]") {
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
  const Bytes good = tests::MakeMultiStore(kScalable, 3).Serialize();
  for (const auto& edit : edits) {
    for (const size_t member_idx : {0, 1, 2}) {
      CHECK(MultiStoreErrorOf(tests::WithRecord(good, member_idx, edit)).code ==
            ErrorCode::kCorrupt);
    }
  }
}

TEST_CASE("members that trade places are not where they belong", "[engine][family]") {
  const Bytes good = tests::MakeMultiStore(kScalable, 2).Serialize();
  const Bytes bad = tests::ForgedMultiStore(good, [](Bytes& bytes) {
    const auto first = tests::Get<MemberRecord>(bytes, kHeaderBytes);
    const auto second = tests::Get<MemberRecord>(bytes, kHeaderBytes + sizeof(MemberRecord));
    tests::Put(bytes, kHeaderBytes, second);
    tests::Put(bytes, kHeaderBytes + sizeof(MemberRecord), first);
  });
  CHECK_THAT(MultiStoreErrorOf(bad).message, ContainsSubstring("byte 256: member 0"));
}

TEST_CASE("a family's padding must be zero whatever the checksums", "[engine][family]") {
  const Bytes good = tests::MakeMultiStore(kScalable, 3).Serialize();
  const auto record = tests::Get<MemberRecord>(good, kHeaderBytes);
  for (const uint64_t at : {kHeaderBytes + 3 * sizeof(MemberRecord), kPageAlignment - 1,
                            record.offset + record.num_bytes}) {
    Bytes bad = good;
    bad[at] = std::byte{1};
    CHECK(MultiStoreErrorOf(bad).message ==
          "corrupt snapshot at byte " + std::to_string(at) + ": padding is not zero");
  }
}

TEST_CASE("numbers that a type does not use must be zero", "[engine][family]") {
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

TEST_CASE("a member's place follows from the sizes before it", "[engine][family]") {
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
