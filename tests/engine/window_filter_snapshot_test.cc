// Window filters on disk: what comes back, what one file has for one content, and what is refused.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/window/window_snapshot.h"
#include "kernels/stamped_layout.h"
#include "support/catch.h"
#include "support/damage.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"
#include "support/snapshot_forge.h"
#include "support/window_slots.h"
#include "trommel/counting_filter.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;
using tests::MemberKeys;

// Five live buckets, with copies, blocks that overflow, and others that spill.
WindowFilter UsedWindow(double target_fpr, bool is_erasable = true, uint64_t capacity = 600) {
  WindowFilter filter = std::move(WindowFilter::Create({.window = 50,
                                                        .num_buckets = 5,
                                                        .capacity = capacity,
                                                        .target_fpr = target_fpr,
                                                        .digest = {DigestKind::kXxh3, 9},
                                                        .is_erasable = is_erasable}))
                            .value();
  for (const uint64_t now : {1, 15, 21, 77, 84, 93, 118, 121}) {
    filter.Advance(now);
    if (now != 84) filter.Insert(MemberKeys(500, now));
    if (now == 93) filter.Insert(std::vector<uint64_t>(200, 5));
    if (now == 118) filter.Insert(MemberKeys(100, 93));
    if (now == 121) filter.Insert(MemberKeys(100, 118), 90);
  }
  return filter;
}

Bytes BytesOfUsed(double target_fpr, bool is_erasable = true) {
  return UsedWindow(target_fpr, is_erasable).Serialize();
}

void ResealWindow(Bytes& bytes) {
  auto header = tests::Get<WindowHeader>(bytes, 0);
  for (SectionRecord* section : {&header.blocks, &header.lines, &header.keys, &header.side_table}) {
    if (section->offset > bytes.size()) continue;
    if (section->num_bytes > bytes.size() - section->offset) continue;
    section->checksum = Checksum::Of(std::span(bytes).subspan(section->offset, section->num_bytes));
  }
  Seal(header);
  tests::Put(bytes, 0, header);
}

std::string WindowErrorOf(Bytes bytes) {
  ResealWindow(bytes);
  const Result<WindowFilter> loaded = WindowFilter::Deserialize(bytes);
  return loaded.ok() ? "" : loaded.error().message;
}

template <class Edit>
std::string WindowErrorWith(const Bytes& good, const Edit& edit) {
  Bytes bytes = good;
  auto header = tests::Get<WindowHeader>(bytes, 0);
  edit(header);
  tests::Put(bytes, 0, header);
  return WindowErrorOf(std::move(bytes));
}

TEST_CASE("a window that comes back from disk goes on as the one that stayed",
          "[engine][window][snapshot]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  const bool is_erasable = GENERATE(true, false);
  WindowFilter stayed = UsedWindow(rate, is_erasable);
  const tests::ScratchFolder folder;
  REQUIRE(stayed.Save(folder / "window.trm").ok());
  Result<WindowFilter> loaded = WindowFilter::Load(folder / "window.trm");
  REQUIRE(loaded.ok());
  CHECK((loaded->Serialize() == stayed.Serialize()));
  CHECK(loaded->now() == 121);
  CHECK(loaded->window() == 50);
  CHECK(loaded->num_buckets() == 5);
  CHECK(loaded->capacity() == 600);
  CHECK(loaded->target_fpr() == rate);
  CHECK(loaded->is_erasable() == is_erasable);
  CHECK(loaded->geometry() == stayed.geometry());
  CHECK(loaded->digest_policy() == stayed.digest_policy());
  CHECK(loaded->num_keys() == stayed.num_keys());
  CHECK(loaded->GetStats().slots.undecided_share > 0);
  for (uint64_t now = 121; now < 300; now += 6) {
    for (WindowFilter* each : {&stayed, &*loaded}) {
      each->Advance(now);
      each->Insert(MemberKeys(100, now));
      each->Erase(MemberKeys(50, 93), 93);
    }
    REQUIRE((stayed.Serialize() == loaded->Serialize()));
  }
}

TEST_CASE("how a window came to hold what it holds does not show in its bytes",
          "[engine][window][snapshot]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter once = UsedWindow(rate);
  WindowFilter again = UsedWindow(rate);
  again.Insert(MemberKeys(5000, 3));
  again.Erase(MemberKeys(5000, 3), 121);
  CHECK((once.Serialize() == again.Serialize()));
  // What has gone does not show, nor does what is not swept yet.
  for (WindowFilter* each : {&once, &again}) each->Clear();
  again.Advance(200);
  again.Insert(MemberKeys(5000, 3));
  for (WindowFilter* each : {&once, &again}) each->Advance(1000);
  CHECK((once.Serialize() == again.Serialize()));
}

TEST_CASE("an empty window is saved with its time", "[engine][window][snapshot]") {
  WindowFilter filter =
      WindowFilter::Create({.window = 10, .num_buckets = 2, .capacity = 10}).value();
  filter.Advance(~uint64_t{0});
  const Bytes bytes = filter.Serialize();
  Result<WindowFilter> loaded = WindowFilter::Deserialize(bytes);
  REQUIRE(loaded.ok());
  CHECK(loaded->now() == ~uint64_t{0});
  CHECK(loaded->num_keys() == 0);
  CHECK((loaded->Serialize() == bytes));
}

TEST_CASE("loading a window keeps to the limit of memory", "[engine][window][snapshot]") {
  const WindowFilter filter = UsedWindow(tests::kRateOfSlots16);
  const Bytes bytes = filter.Serialize();
  const WindowStats stats = filter.GetStats();
  const uint64_t num_bytes = stats.num_bytes - stats.slots.side_table_bytes;
  CHECK(WindowFilter::Deserialize(bytes, num_bytes).ok());
  const auto refused = WindowFilter::Deserialize(bytes, num_bytes - 1);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
}

TEST_CASE("a window's snapshot of version 1 is refused by name", "[engine][window][snapshot]") {
  Bytes bytes = BytesOfUsed(tests::kRateOfSlots16);
  tests::Put(bytes, offsetof(SnapshotStart, version), kSnapshotVersion);
  ResealWindow(bytes);
  const auto refused = WindowFilter::Deserialize(bytes);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kVersion);
  CHECK_THAT(refused.error().message,
             ContainsSubstring("version is 1 of a window filter (a ring of buckets)"));
}

TEST_CASE("another type's snapshot is no window", "[engine][window][snapshot]") {
  const tests::ScratchFolder folder;
  const auto path = folder / "counting.trm";
  const CountingFilter counting = std::move(CountingFilter::Create({.capacity = 100})).value();
  REQUIRE(counting.Save(path).ok());
  const auto refused = WindowFilter::Load(path);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kMismatch);
  CHECK_THAT(refused.error().message, ContainsSubstring(path.string()));
  CHECK(WindowFilter::Load(folder / "nothing").error().code == ErrorCode::kIo);
}

TEST_CASE("a damaged snapshot of a window is refused", "[engine][window][snapshot][long]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  const Bytes good = BytesOfUsed(rate);
  const auto load = [](std::span<const std::byte> bytes) {
    return WindowFilter::Deserialize(bytes);
  };
  tests::CheckDamageIsRefused(good, load, {.step = 7});
}

TEST_CASE("numbers that no window has are refused", "[engine][window][snapshot]") {
  const Bytes good = BytesOfUsed(tests::kRateOfSlots16);
  REQUIRE(WindowErrorOf(good).empty());
  using Header = WindowHeader;
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.fingerprint_bits = 13; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.fingerprint_bits = 16; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.is_erasable = 2; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.is_erasable = 0; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.shard_bits = 31; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.num_buckets = 0; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.num_buckets = 13; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.num_blocks = 0; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.num_blocks = ~uint64_t{0}; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.num_blocks -= 1; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.capacity = 0; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.target_fpr = 1e-6; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.window = 0; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.window = ~uint64_t{0}; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.now = ~uint64_t{0}; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.now = 0; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.keys.offset += 64; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.side_table.num_bytes -= 32; }).empty());
  CHECK_FALSE(WindowErrorWith(good, [](Header& h) { h.zeros[3] = 1; }).empty());
}

TEST_CASE("forged contents of a window are refused", "[engine][window][snapshot][long]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  const Bytes good = BytesOfUsed(rate);
  const auto header = tests::Get<WindowHeader>(good, 0);
  // Any word changed in a section is not what some contents make, or not what the keys say.
  const auto changed = [&](uint64_t at, uint32_t difference) {
    Bytes bytes = good;
    tests::Put(bytes, at, tests::Get<uint32_t>(bytes, at) ^ difference);
    return WindowErrorOf(std::move(bytes));
  };
  for (const SectionRecord& section :
       {header.blocks, header.lines, header.keys, header.side_table}) {
    REQUIRE(section.num_bytes > 0);
    for (uint64_t at = 0; at < section.num_bytes; at += 4) {
      INFO("byte " << section.offset + at);
      // A fingerprint may become another one that is not there: the keys are then others, and so
      // is the order. Stamps, homes, counts and places may not.
      REQUIRE_FALSE(changed(section.offset + at, 0x80008000).empty());
    }
  }
  // Entries of the side table without a count, of a future bucket, out of order, of no block.
  const uint64_t entry = header.side_table.offset;
  const auto with = [&](auto value, uint64_t at) {
    Bytes bytes = good;
    tests::Put(bytes, entry + at, value);
    return WindowErrorOf(std::move(bytes));
  };
  CHECK_FALSE(with(uint64_t{0}, 16).empty());
  CHECK_FALSE(with(~uint64_t{0}, 16).empty());
  CHECK_FALSE(with(~uint64_t{0} >> 1, 16).empty());
  CHECK_FALSE(with(uint64_t{1} << 40, 8).empty());
  CHECK_FALSE(with(uint64_t{1} << 40, 0).empty());
  CHECK_FALSE(with(uint32_t{1} << 20, 24).empty());
  CHECK_FALSE(with(uint32_t{1}, 28).empty());
}

TEST_CASE("a fingerprint of too many bits in the side table of a window is refused",
          "[engine][window][snapshot]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter filter =
      WindowFilter::Create({.window = 100, .num_buckets = 4, .capacity = 100, .target_fpr = rate})
          .value();
  for (int i = 0; i < 3; ++i) filter.Insert(MemberKeys(1, 1), 0);
  const Bytes good = filter.Serialize();
  const auto header = tests::Get<WindowHeader>(good, 0);
  REQUIRE(header.side_table.num_bytes == sizeof(SideCopiesEntry));
  const uint64_t at = header.side_table.offset + offsetof(SideCopiesEntry, fingerprint);
  const auto fingerprint = tests::Get<uint32_t>(good, at);
  // Else it would be accepted, and saved as another file.
  for (uint32_t bit = header.fingerprint_bits; bit < 32; ++bit) {
    CAPTURE(bit);
    Bytes bytes = good;
    tests::Put(bytes, at, fingerprint | uint32_t{1} << bit);
    CHECK_THAT(WindowErrorOf(bytes), ContainsSubstring("a fingerprint of another length"));
  }
  Bytes bytes = good;
  tests::Put(bytes, at, 0U);
  CHECK_FALSE(WindowErrorOf(bytes).empty());
}

}  // namespace
}  // namespace trommel
