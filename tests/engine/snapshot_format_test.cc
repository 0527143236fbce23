// Headers: each field's rule, by a forger whose checksums are right.
#include "engine/src/snapshots/snapshot_format.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/sample_filters.h"
#include "support/snapshot_forge.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;

Bytes SmallSnapshot() {
  CountingFilter filter = tests::MakeFilter({.num_slices = 8, .shard_bits = 1, .num_blocks = 2});
  tests::InsertIntegers(filter, 10);
  return filter.Serialize();
}

Error ErrorOf(const Bytes& bytes) {
  const Result<CountingFilter> filter = CountingFilter::Deserialize(bytes);
  REQUIRE_FALSE(filter.ok());
  return filter.error();
}

struct Forgery {
  const char* what;
  std::function<void(SnapshotHeader&)> edit;
  ErrorCode code;
  std::string message;  // part of it
};

TEST_CASE("a forged header field is refused and named", "[engine][snapshot]") {
  using H = SnapshotHeader;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;
  constexpr ErrorCode kVersion = ErrorCode::kVersion;
  const std::vector<Forgery> forgeries = {
      {"magic", [](H& h) { h.start.magic[1] = 't'; }, kCorrupt, "not a Trommel file (bad magic)"},
      {"version", [](H& h) { h.start.version = 4; }, kVersion,
       "version 4; this library reads versions 1 to 3"},
      {"version 0", [](H& h) { h.start.version = 0; }, kVersion, "version 0"},
      {"header size", [](H& h) { h.start.header_bytes = 512; }, kCorrupt, "byte 12"},
      {"type 0", [](H& h) { h.start.type = 0; }, kVersion, "byte 16 the type is 0"},
      {"type 4", [](H& h) { h.start.type = 4; }, kVersion, "type is 4 (layered filter)"},
      {"16 slices", [](H& h) { h.num_slices = 16; }, kVersion, "planes of 16 slices"},
      {"type 5", [](H& h) { h.start.type = 5; }, kVersion, "type is 5 (classic filter)"},
      {"type 7", [](H& h) { h.start.type = 7; }, kVersion, "byte 16 the type is 7"},
      {"type 2", [](H& h) { h.start.type = 2; }, ErrorCode::kMismatch,
       "a scalable filter's snapshot"},
      {"digest kind", [](H& h) { h.start.digest_kind = 4; }, kVersion,
       "byte 20 the digest kind is 4"},
      {"digest 256", [](H& h) { h.start.digest_kind = 256; }, kVersion, "the digest kind is 256"},
      {"slices", [](H& h) { h.num_slices = 9; }, kCorrupt, "num_slices is 9"},
      {"no slices", [](H& h) { h.num_slices = 0; }, kCorrupt, "num_slices is 0"},
      {"encoding", [](H& h) { h.encoding = 2; }, kVersion, "byte 36 the encoding is 2"},
      {"runs of planes", [](H& h) { h.encoding = 1; }, kCorrupt, "byte 88: a section of 64 bytes"},
      {"encoding 256", [](H& h) { h.encoding = 256; }, kVersion, "the encoding is 256"},
      {"shards", [](H& h) { h.shard_bits = 2; }, kCorrupt, "shard_bits"},
      {"all shards", [](H& h) { h.shard_bits = 64; }, kCorrupt, "shard_bits"},
      {"reserved", [](H& h) { h.reserved = 1; }, kCorrupt, "byte 44: reserved"},
      {"no blocks", [](H& h) { h.num_blocks = 0; }, kCorrupt, "num_blocks is 0"},
      {"more blocks", [](H& h) { h.num_blocks = 4; }, kCorrupt, "byte 48: 4 blocks do not fit"},
      {"too many blocks", [](H& h) { h.num_blocks = 1 << 30; }, kCorrupt, "do not fit in a file"},
      {"2^31 blocks", [](H& h) { h.num_blocks = 1U << 31; }, kCorrupt, "num_blocks is 2147483648"},
      {"2^64 blocks", [](H& h) { h.num_blocks = ~uint64_t{1}; }, kCorrupt, "num_blocks"},
      {"capacity alone", [](H& h) { h.capacity = 10; }, kCorrupt, "byte 56"},
      {"rate alone", [](H& h) { h.target_fpr = 0.01; }, kCorrupt, "byte 56"},
      {"-0.0", [](H& h) { h.target_fpr = -0.0; }, kCorrupt, "byte 56"},
      {"NaN", [](H& h) { h.capacity = 10, h.target_fpr = kNan; }, kCorrupt, "byte 56"},
      {"1", [](H& h) { h.capacity = 10, h.target_fpr = 1; }, kCorrupt, "byte 56"},
      {"huge capacity", [](H& h) { h.capacity = ~uint64_t{0}, h.target_fpr = 0.1; }, kCorrupt,
       "56"},
      {"a key less", [](H& h) { h.num_keys -= 1; }, kCorrupt, "byte 72: num_keys"},
      {"a key more", [](H& h) { h.num_keys += 1; }, kCorrupt, "byte 72: num_keys"},
      {"2^63 keys", [](H& h) { h.num_keys = uint64_t{1} << 63; }, kCorrupt, "num_keys is over"},
      {"promoted", [](H& h) { h.num_promoted = 1; }, kCorrupt, "byte 80: num_promoted"},
      {"presence offset", [](H& h) { h.presence.offset += 64; }, kCorrupt, "byte 88"},
      {"presence size", [](H& h) { h.presence.num_bytes -= 32; }, kCorrupt, "byte 88"},
      {"far presence", [](H& h) { h.presence.offset = ~uint64_t{0}; }, kCorrupt, "byte 88"},
      {"counts offset", [](H& h) { h.counts.offset = 4096; }, kCorrupt, "byte 112"},
      {"counts size", [](H& h) { h.counts.num_bytes = ~uint64_t{0}; }, kCorrupt, "byte 112"},
      {"side table offset", [](H& h) { h.side_table.offset = 0; }, kCorrupt, "byte 136"},
      {"side table size", [](H& h) { h.side_table.num_bytes = 272; }, kCorrupt, "byte 136"},
      {"presence sum", [](H& h) { h.presence.checksum ^= 1; }, kCorrupt, "4096: the presence"},
      {"counts sum", [](H& h) { h.counts.checksum ^= 1; }, kCorrupt, "8192: the counts"},
      {"side table sum", [](H& h) { h.side_table.checksum ^= 1; }, kCorrupt, "the side table"},
      {"file size", [](H& h) { h.file_bytes += 1; }, kCorrupt, "bytes, its header says"},
      {"10 TB", [](H& h) { h.file_bytes = uint64_t{10} << 40; }, kCorrupt,
       "header says 10,995,116,277,760: truncated?"},
      {"first zero", [](H& h) { h.zeros.front() = 1; }, kCorrupt, "byte 168: reserved"},
      {"last zero", [](H& h) { h.zeros.back() = uint64_t{1} << 63; }, kCorrupt, "reserved"},
  };
  const Bytes good = SmallSnapshot();
  REQUIRE(CountingFilter::Deserialize(good).ok());
  for (const Forgery& forgery : forgeries) {
    INFO("forged: " << forgery.what);
    const Error error = ErrorOf(tests::WithHeader(good, forgery.edit));
    CHECK(ErrorCodeName(error.code) == ErrorCodeName(forgery.code));
    CHECK_THAT(error.message, ContainsSubstring(forgery.message));
    CHECK(error.message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a header of 10 TB in 300 bytes is corrupt and takes no memory", "[engine][snapshot]") {
  Bytes bytes = SmallSnapshot();
  bytes.resize(300);
  const auto claim = [&](uint64_t file_bytes) {
    return tests::WithHeader(bytes, [file_bytes](SnapshotHeader& header) {
      header.num_blocks = kMaxBlocks - 1;
      header.num_slices = 8;
      PlaceSections(header, uint64_t{10} << 40);
      if (file_bytes != 0) header.file_bytes = file_bytes;
    });
  };
  CHECK(ErrorOf(claim(0)).code == ErrorCode::kCorrupt);
  CHECK(ErrorOf(claim(300)).code == ErrorCode::kCorrupt);
}

TEST_CASE("a file that ends within its header says so", "[engine][snapshot]") {
  Bytes bytes = SmallSnapshot();
  bytes.resize(100);
  CHECK(ErrorOf(bytes).message == "file is 100 bytes, and its header alone takes 256: truncated?");
}

TEST_CASE("a file copied as text is recognized", "[engine][snapshot]") {
  const Bytes good = SmallSnapshot();
  Bytes unix_ends;  // CR LF -> LF
  Bytes dos_ends;   // LF -> CR LF
  for (size_t i = 0; i < good.size(); ++i) {
    const bool is_pair = good[i] == std::byte{'\r'} && good[i + 1] == std::byte{'\n'};
    if (!is_pair) unix_ends.push_back(good[i]);
    if (good[i] == std::byte{'\n'}) dos_ends.push_back(std::byte{'\r'});
    dos_ends.push_back(good[i]);
  }
  Bytes seven_bits = good;
  for (std::byte& byte : seven_bits) byte &= std::byte{0x7f};
  CHECK_THAT(ErrorOf(unix_ends).message, ContainsSubstring("copied as text"));
  CHECK_THAT(ErrorOf(dos_ends).message, ContainsSubstring("copied as text"));
  CHECK_THAT(ErrorOf(seven_bits).message, ContainsSubstring("not a Trommel file"));
}

TEST_CASE("sections of full pages need no padding", "[engine][snapshot]") {
  // 128 blocks of 8 slices: presence is one page, counts are three.
  CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 128});
  tests::InsertIntegers(filter, 1000);
  const Bytes bytes = filter.Serialize();
  const SnapshotHeader header = tests::HeaderOf(bytes);
  CHECK(header.presence.offset == 4096);
  CHECK(header.counts.offset == 8192);
  CHECK(header.side_table.offset == 20480);
  CHECK(header.file_bytes == 20480 + header.side_table.num_bytes);
  CHECK(CountingFilter::Deserialize(bytes).ok());
}

TEST_CASE("the narrowest counters that hold the largest are chosen", "[engine][snapshot]") {
  const auto width_of = [](uint64_t largest) {
    return SideCounterWidth(std::vector<uint64_t>{0, largest, 1});
  };
  CHECK(width_of(0) == 1);
  CHECK(width_of(255) == 1);
  CHECK(width_of(256) == 2);
  CHECK(width_of(65535) == 2);
  CHECK(width_of(65536) == 4);
  CHECK(width_of((uint64_t{1} << 32) - 1) == 4);
  CHECK(width_of(uint64_t{1} << 32) == 8);
}

TEST_CASE("padding is zeros, and a stray byte is named", "[engine][padding]") {
  VectorSink sink;
  REQUIRE(AppendZeros(0, sink).ok());
  REQUIRE(AppendZeros(2 * kPageAlignment + 7, sink).ok());
  std::vector<std::byte> bytes = sink.Take();
  REQUIRE(bytes.size() == 2 * kPageAlignment + 7);
  CHECK(std::ranges::count(bytes, std::byte{0}) == static_cast<ptrdiff_t>(bytes.size()));
  CHECK(CheckZeros(SpanSource(bytes), 5, 5 + kPageAlignment).ok());

  bytes[100] = std::byte{1};
  CHECK(CheckZeros(SpanSource(bytes), 0, 100).ok());
  CHECK(CheckZeros(SpanSource(bytes), 101, 200).ok());
  const Status stray = CheckZeros(SpanSource(bytes), 90, 110);
  REQUIRE(!stray.ok());
  CHECK(stray.error().code == ErrorCode::kCorrupt);
  CHECK_THAT(stray.error().message, Catch::Matchers::ContainsSubstring("byte 100"));
}

}  // namespace
}  // namespace trommel
