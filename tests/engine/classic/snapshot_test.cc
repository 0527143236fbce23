// Hostile bytes: whatever is wrong is noticed, and nothing crashes.
#include "engine/src/classic/snapshot.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/src/disk/checksum.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "support/snapshot_forge.h"
#include "trommel/classic/bloom_filter.h"
#include "trommel/classic/split_counting_filter.h"

namespace trommel::classic {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;

// Three slices of 77 counters of 3 bits, in fields of 4: 39 bytes and 25 of padding a slice.
constexpr Geometry kGeometry{.num_hashes = 3, .counter_bits = 3, .num_positions = 77};

Bytes Snapshot() {
  auto filter = std::move(SplitCountingFilter::CreateWithGeometry(kGeometry)).value();
  filter.Insert(tests::MemberKeys(20, 5));
  REQUIRE(filter.GetStats().num_stuck == 0);
  return filter.Serialize();
}

Error ErrorOf(const Bytes& bytes) {
  const Result<SplitCountingFilter> filter = SplitCountingFilter::Deserialize(bytes);
  if (!filter.ok()) return filter.error();
  return {.code = ErrorCode::kIo, .message = "was taken for a good one"};
}

// Other bytes, and all checksums right.
template <class Edit>
Bytes ForgedClassic(Bytes bytes, const Edit& edit) {
  auto header = tests::Get<ClassicHeader>(bytes, 0);
  edit(header, bytes);
  header.positions.checksum = Checksum::Of(std::span(bytes).subspan(kPageAlignment));
  Seal(header);
  tests::Put(bytes, 0, header);
  return bytes;
}

template <class Edit>
std::string ComplaintOfHeader(const Edit& edit) {
  return ErrorOf(ForgedClassic(Snapshot(), [&](ClassicHeader& h, Bytes&) { edit(h); })).message;
}

TEST_CASE("a classic snapshot cut anywhere is refused", "[engine][classic][snapshot]") {
  const Bytes whole = Snapshot();
  REQUIRE(whole.size() == 4096 + 3 * 64);
  REQUIRE(SplitCountingFilter::Deserialize(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    const Error error = ErrorOf({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    REQUIRE(error.code == ErrorCode::kCorrupt);
  }
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  CHECK(ErrorOf(longer).code == ErrorCode::kCorrupt);
}

TEST_CASE("a classic snapshot with any bit flipped is refused", "[engine][classic][snapshot]") {
  Bytes bytes = Snapshot();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    if (bit >= 256 * 8 && bit < 4096 * 8 && bit % 97 != 0) continue;  // most of the padding
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
    const ErrorCode code = ErrorOf(bytes).code;
    REQUIRE((code == ErrorCode::kCorrupt || code == ErrorCode::kVersion));
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
  }
}

TEST_CASE("a forged header never crashes the reader, whatever bit it has",
          "[engine][classic][snapshot]") {
  const Bytes whole = Snapshot();
  for (size_t bit = 0; bit < 248 * 8; ++bit) {
    const Bytes forged = ForgedClassic(whole, [&](ClassicHeader& header, Bytes&) {
      auto* bytes = reinterpret_cast<unsigned char*>(&header);
      bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ 1U << bit % 8);
    });
    const Result<SplitCountingFilter> filter = SplitCountingFilter::Deserialize(forged);
    if (!filter.ok()) continue;
    // Taken for good: then it is a whole snapshot of some filter (of another seed, say).
    REQUIRE((filter->Serialize() == forged));
  }
}

TEST_CASE("each field of a classic header is checked for itself", "[engine][classic][snapshot]") {
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.header_bytes = 264; }),
             ContainsSubstring("byte 12: the header is not 256 bytes"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.version = 2; }),
             ContainsSubstring("snapshot of version 2"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.type = 1; }),
             ContainsSubstring("counting filter's snapshot, not a classic"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.digest_kind = 4; }),
             ContainsSubstring("at byte 20 the digest kind is 4"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.kind = 3; }),
             ContainsSubstring("at byte 32 the kind is 3"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.hashing = 2; }),
             ContainsSubstring("at byte 36 the hashing is 2"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.num_hashes = 65; }),
             ContainsSubstring("num_hashes is 65"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.num_positions = uint64_t{1} << 40; }),
             ContainsSubstring("num_positions is 1099511627776"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.num_positions = 1'000'000; }),
             ContainsSubstring("the geometry wants"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.capacity = 1; }),
             ContainsSubstring("byte 56"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.target_fpr = std::nan(""); }),
             ContainsSubstring("byte 56"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.target_fpr = -0.0; }),
             ContainsSubstring("byte 56"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.num_keys = ~uint64_t{0}; }),
             ContainsSubstring("byte 72: num_keys is over"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.num_keys = 21; }),
             ContainsSubstring("do not add up to num_keys"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.positions.offset = 8192; }),
             ContainsSubstring("byte 80"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.file_bytes -= 64; }),
             ContainsSubstring("the file has 4288 bytes, but the snapshot 4224"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.zeros[16] = 1; }),
             ContainsSubstring("byte 112: reserved"));
}

TEST_CASE("forged positions are found out", "[engine][classic][snapshot]") {
  const auto complaint = [](uint64_t byte, unsigned value) {
    const Bytes forged = ForgedClassic(Snapshot(), [=](ClassicHeader&, Bytes& bytes) {
      bytes[byte] |= std::byte{static_cast<unsigned char>(value)};
    });
    return ErrorOf(forged).message;
  };
  CHECK_THAT(complaint(300, 1), ContainsSubstring("byte 300: padding is not zero"));
  // The 77th counter is the low half of byte 38 of its slice.
  CHECK_THAT(complaint(4096 + 64 + 38, 0x10),
             ContainsSubstring("byte 4160: a slice is not zero behind its last position"));
  CHECK_THAT(complaint(4096 + 128 + 63, 0x80),
             ContainsSubstring("byte 4224: a slice is not zero behind"));
  CHECK_THAT(complaint(4096, 0x80), ContainsSubstring("byte 4096: a counter is over its maximum"));
  // One count more, on a counter of the last slice that is even and below the maximum.
  const Bytes one_more = ForgedClassic(Snapshot(), [](ClassicHeader&, Bytes& bytes) {
    for (size_t i = 4096 + 128;; ++i) {
      if ((bytes[i] & std::byte{0x0f}) == std::byte{0}) {
        bytes[i] |= std::byte{1};
        break;
      }
    }
  });
  CHECK_THAT(ErrorOf(one_more).message, ContainsSubstring("byte 4224: no counter is stuck"));
}

TEST_CASE("bits that no such number of keys sets are found out", "[engine][classic][snapshot]") {
  const Geometry bits{
      .kind = Kind::kBloom, .num_hashes = 3, .counter_bits = 1, .num_positions = 1000};
  auto filter = std::move(BloomFilter::CreateWithGeometry(bits)).value();
  const auto with_keys = [&](uint64_t num_keys) {
    const Bytes forged = ForgedClassic(
        filter.Serialize(), [&](ClassicHeader& header, Bytes&) { header.num_keys = num_keys; });
    return BloomFilter::Deserialize(forged).ok();
  };
  CHECK(with_keys(0));
  CHECK_FALSE(with_keys(1));
  filter.Insert(tests::MemberKeys(4, 1));  // 12 bits, but for chance
  const uint64_t num_set = filter.CounterHistogram()[1];
  CHECK_FALSE(with_keys(0));
  CHECK_FALSE(with_keys((num_set - 1) / 3));
  CHECK(with_keys((num_set + 2) / 3));
  CHECK(with_keys(1'000'000));  // duplicates
}

TEST_CASE("a classic snapshot over the memory limit is refused", "[engine][classic][snapshot]") {
  CHECK(SplitCountingFilter::Deserialize(Snapshot(), 100).error().code == ErrorCode::kOutOfMemory);
  CHECK(SplitCountingFilter::Deserialize(Snapshot(), 192).ok());
}

}  // namespace
}  // namespace trommel::classic
