// Classic filters on disk, and hostile bytes: whatever is wrong is noticed, and nothing crashes.
#include "engine/src/classic/snapshot.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/src/disk/checksum.h"
#include "support/catch.h"
#include "support/damage.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"
#include "support/snapshot_forge.h"
#include "trommel/classic/filter.h"
#include "trommel/classic/sizing.h"
#include "trommel/counting_filter.h"

namespace trommel::classic {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;
using tests::ScratchFolder;

// Three slices of 77 counters of 3 bits, in fields of 4: 39 bytes and 25 of padding a slice.
constexpr ArrayGeometry kGeometry{.num_hashes = 3, .counter_bits = 3, .num_positions = 77};

Bytes Snapshot() {
  auto filter = std::move(Filter::CreateWithGeometry(kGeometry)).value();
  filter.Insert(tests::MemberKeys(20, 5));
  REQUIRE(filter.GetStats().num_stuck == 0);
  return filter.Serialize();
}

Error ErrorOf(const Bytes& bytes) {
  const Result<Filter> filter = Filter::Deserialize(bytes);
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

TEST_CASE("a classic filter comes back from a file with all it was",
          "[engine][classic][snapshot]") {
  const Kind kind = GENERATE(Kind::kBloom, Kind::kCountingBloom, Kind::kSplitCounting);
  const ScratchFolder folder;
  const Config config{.kind = kind,
                      .capacity = 700,
                      .target_fpr = 0.003,
                      .digest = {.kind = DigestKind::kXxh3, .seed = 77},
                      .counter_bits = 5,
                      .hashing = Hashing::kMixed};
  Filter filter = std::move(Filter::Create(config)).value();
  CHECK(filter.geometry() == SizeFor({.kind = kind,
                                      .capacity = 700,
                                      .target_fpr = 0.003,
                                      .counter_bits = 5,
                                      .hashing = Hashing::kMixed})
                                 ->geometry);
  filter.Insert(tests::MemberKeys(500, Catch::rngSeed()));
  for (int i = 0; i < 50; ++i) filter.Insert("hot");  // stuck
  REQUIRE(filter.Save(folder / "filter").ok());
  CHECK((tests::ReadFile(folder / "filter") == filter.Serialize()));

  Result<Filter> loaded = Filter::Load(folder / "filter");
  REQUIRE(loaded.ok());
  CHECK(loaded->geometry() == filter.geometry());
  CHECK(loaded->digest_policy() == config.digest);
  CHECK(loaded->capacity() == 700);
  CHECK(loaded->target_fpr() == 0.003);
  CHECK(loaded->num_keys() == 550);
  CHECK(loaded->GetStats().slice_fills == filter.GetStats().slice_fills);
  CHECK(loaded->GetStats().num_stuck == filter.GetStats().num_stuck);
  CHECK(loaded->GetStats().num_lost_increments == 0);  // wear stays behind
  // It works on: both take the same keys and stay the same.
  filter.Insert("after");
  loaded->Insert("after");
  CHECK((loaded->Serialize() == filter.Serialize()));
  // Moved, it is the same filter.
  const Filter moved = *std::move(loaded);
  CHECK((moved.Serialize() == filter.Serialize()));
}

TEST_CASE("classic filters and others refuse each other's files", "[engine][classic][snapshot]") {
  const ScratchFolder folder;
  const auto classic = std::move(Filter::Create({.capacity = 100})).value();
  const auto blocked = std::move(CountingFilter::Create({.capacity = 100})).value();
  const Result<Filter> not_classic = Filter::Deserialize(blocked.Serialize());
  REQUIRE_FALSE(not_classic.ok());
  CHECK(not_classic.error().code == ErrorCode::kMismatch);
  CHECK(not_classic.error().message ==
        "this is a counting filter's snapshot, not a classic filter's");
  REQUIRE(classic.Save(folder / "classic").ok());
  const Result<CountingFilter> not_blocked = CountingFilter::Load(folder / "classic");
  REQUIRE_FALSE(not_blocked.ok());
  CHECK(not_blocked.error().code == ErrorCode::kMismatch);
  CHECK_THAT(not_blocked.error().message, ContainsSubstring("classic filter's snapshot, not a"));
  REQUIRE(blocked.Save(folder / "blocked").ok());
  CHECK_THAT(Filter::Load(folder / "blocked").error().message,
             ContainsSubstring("blocked: this is a counting filter's"));
  CHECK(Filter::Load(folder / "nothing").error().code == ErrorCode::kIo);
  CHECK(classic.Save(folder.path()).error().code == ErrorCode::kIo);
}

TEST_CASE("a damaged classic snapshot is refused", "[engine][classic][snapshot]") {
  const Bytes whole = Snapshot();
  REQUIRE(whole.size() == 4096 + 3 * 64);
  tests::CheckDamageIsRefused(whole, [](auto bytes) { return Filter::Deserialize(bytes); },
                              {.flips_all_bits = [](size_t at) { return at < 256 || at >= 4096; }});
}

TEST_CASE("a forged header never crashes the reader, whatever bit it has",
          "[engine][classic][snapshot]") {
  const Bytes whole = Snapshot();
  for (size_t bit = 0; bit < 248 * 8; ++bit) {
    const Bytes forged = ForgedClassic(whole, [&](ClassicHeader& header, Bytes&) {
      auto* bytes = reinterpret_cast<unsigned char*>(&header);
      bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ 1U << bit % 8);
    });
    const Result<Filter> filter = Filter::Deserialize(forged);
    if (!filter.ok()) continue;
    // Taken for good: then it is a whole snapshot of some filter (of another seed, say).
    REQUIRE((filter->Serialize() == forged));
  }
}

TEST_CASE("each field of a classic header is checked for itself", "[engine][classic][snapshot]") {
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.start.header_bytes = 264; }),
             ContainsSubstring("byte 12: the header is not 256 bytes"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.start.version = 4; }),
             ContainsSubstring("snapshot of version 4"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.start.type = 1; }),
             ContainsSubstring("counting filter's snapshot, not a classic"));
  CHECK_THAT(ComplaintOfHeader([](ClassicHeader& h) { h.start.digest_kind = 4; }),
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
             ContainsSubstring("file is 4,288 bytes, its header says 4,224"));
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
  const ArrayGeometry bits{
      .kind = Kind::kBloom, .num_hashes = 3, .counter_bits = 1, .num_positions = 1000};
  auto filter = std::move(Filter::CreateWithGeometry(bits)).value();
  const auto with_keys = [&](uint64_t num_keys) {
    const Bytes forged = ForgedClassic(
        filter.Serialize(), [&](ClassicHeader& header, Bytes&) { header.num_keys = num_keys; });
    return Filter::Deserialize(forged).ok();
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
  CHECK(Filter::Deserialize(Snapshot(), 100).error().code == ErrorCode::kOutOfMemory);
  CHECK(Filter::Deserialize(Snapshot(), 192).ok());
}

}  // namespace
}  // namespace trommel::classic
