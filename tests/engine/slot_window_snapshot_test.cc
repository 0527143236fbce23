// Windows in slots on disk: what comes back, what one file has for one content, and what is
// refused.
#include "engine/src/window/slot_window_snapshot.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/stamped_layout.h"
#include "support/catch.h"
#include "support/damage.h"
#include "support/random_keys.h"
#include "support/snapshot_forge.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::Bytes;
using tests::MemberKeys;

// Five live buckets, with copies, blocks that overflow, and others that spill.
WindowFilter UsedSlots(WindowForm form, bool is_erasable = true, uint64_t capacity = 600) {
  WindowFilter filter = std::move(WindowFilter::Create({.window = 50,
                                                        .num_buckets = 5,
                                                        .capacity = capacity,
                                                        .target_fpr = 0.02,
                                                        .digest = {DigestKind::kXxh3, 9},
                                                        .form = form,
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

Bytes BytesOfUsed(WindowForm form, bool is_erasable = true) {
  return UsedSlots(form, is_erasable).Serialize();
}

void ResealSlots(Bytes& bytes) {
  auto header = tests::Get<SlotWindowHeader>(bytes, 0);
  for (SectionRecord* section : {&header.blocks, &header.lines, &header.keys, &header.side_table}) {
    if (section->offset > bytes.size()) continue;
    if (section->num_bytes > bytes.size() - section->offset) continue;
    section->checksum = Checksum::Of(std::span(bytes).subspan(section->offset, section->num_bytes));
  }
  Seal(header);
  tests::Put(bytes, 0, header);
}

std::string SlotsErrorOf(Bytes bytes) {
  ResealSlots(bytes);
  const Result<WindowFilter> loaded = WindowFilter::Deserialize(bytes);
  return loaded.ok() ? "" : loaded.error().message;
}

template <class Edit>
std::string SlotsErrorWith(const Bytes& good, const Edit& edit) {
  Bytes bytes = good;
  auto header = tests::Get<SlotWindowHeader>(bytes, 0);
  edit(header);
  tests::Put(bytes, 0, header);
  return SlotsErrorOf(std::move(bytes));
}

TEST_CASE("a window in slots that comes back from disk goes on as the one that stayed",
          "[engine][window][slots][snapshot]") {
  const auto form = GENERATE(WindowForm::kSlots16, WindowForm::kSlots24);
  const bool is_erasable = GENERATE(true, false);
  WindowFilter stayed = UsedSlots(form, is_erasable);
  const Bytes bytes = stayed.Serialize();
  Result<WindowFilter> loaded = WindowFilter::Deserialize(bytes);
  REQUIRE(loaded.ok());
  CHECK((loaded->Serialize() == bytes));
  CHECK(loaded->now() == 121);
  CHECK(loaded->form() == form);
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

TEST_CASE("how a window in slots came to hold what it holds does not show in its bytes",
          "[engine][window][slots][snapshot]") {
  const auto form = GENERATE(WindowForm::kSlots16, WindowForm::kSlots24);
  WindowFilter once = UsedSlots(form);
  WindowFilter again = UsedSlots(form);
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

TEST_CASE("a damaged snapshot of a window in slots is refused",
          "[engine][window][slots][snapshot][long]") {
  const auto form = GENERATE(WindowForm::kSlots16, WindowForm::kSlots24);
  const Bytes good = BytesOfUsed(form);
  const auto load = [](std::span<const std::byte> bytes) {
    return WindowFilter::Deserialize(bytes);
  };
  tests::CheckDamageIsRefused(good, load, {.step = 7});
}

TEST_CASE("numbers that no window in slots has are refused", "[engine][window][slots][snapshot]") {
  const Bytes good = BytesOfUsed(WindowForm::kSlots16);
  REQUIRE(SlotsErrorOf(good).empty());
  using Header = SlotWindowHeader;
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.fingerprint_bits = 13; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.fingerprint_bits = 16; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.is_erasable = 2; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.is_erasable = 0; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.shard_bits = 31; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.num_buckets = 0; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.num_buckets = 13; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.num_blocks = 0; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.num_blocks = ~uint64_t{0}; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.num_blocks -= 1; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.capacity = 0; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.target_fpr = 0; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.window = 0; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.window = ~uint64_t{0}; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.now = ~uint64_t{0}; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.now = 0; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.keys.offset += 64; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.side_table.num_bytes -= 32; }).empty());
  CHECK_FALSE(SlotsErrorWith(good, [](Header& h) { h.zeros[3] = 1; }).empty());
}

TEST_CASE("forged contents of a window in slots are refused",
          "[engine][window][slots][snapshot][long]") {
  const auto form = GENERATE(WindowForm::kSlots16, WindowForm::kSlots24);
  const Bytes good = BytesOfUsed(form);
  const auto header = tests::Get<SlotWindowHeader>(good, 0);
  // Any word changed in a section is not what some contents make, or not what the keys say.
  const auto changed = [&](uint64_t at, uint32_t difference) {
    Bytes bytes = good;
    tests::Put(bytes, at, tests::Get<uint32_t>(bytes, at) ^ difference);
    return SlotsErrorOf(std::move(bytes));
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
    return SlotsErrorOf(std::move(bytes));
  };
  CHECK_FALSE(with(uint64_t{0}, 16).empty());
  CHECK_FALSE(with(~uint64_t{0}, 16).empty());
  CHECK_FALSE(with(~uint64_t{0} >> 1, 16).empty());
  CHECK_FALSE(with(uint64_t{1} << 40, 8).empty());
  CHECK_FALSE(with(uint64_t{1} << 40, 0).empty());
  CHECK_FALSE(with(uint32_t{1} << 20, 24).empty());
  CHECK_FALSE(with(uint32_t{1}, 28).empty());
}

TEST_CASE("a fingerprint of too many bits in the side table of a window in slots is refused",
          "[engine][window][slots][snapshot]") {
  const auto form = GENERATE(WindowForm::kSlots16, WindowForm::kSlots24);
  WindowFilter filter =
      WindowFilter::Create({.window = 100, .num_buckets = 4, .capacity = 100, .form = form})
          .value();
  for (int i = 0; i < 3; ++i) filter.Insert(MemberKeys(1, 1), 0);
  const Bytes good = filter.Serialize();
  const auto header = tests::Get<SlotWindowHeader>(good, 0);
  REQUIRE(header.side_table.num_bytes == sizeof(SideCopiesEntry));
  const uint64_t at = header.side_table.offset + offsetof(SideCopiesEntry, fingerprint);
  const auto fingerprint = tests::Get<uint32_t>(good, at);
  // Else it would be accepted, and saved as another file.
  for (uint32_t bit = header.fingerprint_bits; bit < 32; ++bit) {
    CAPTURE(bit);
    Bytes bytes = good;
    tests::Put(bytes, at, fingerprint | uint32_t{1} << bit);
    CHECK_THAT(SlotsErrorOf(bytes),
               Catch::Matchers::ContainsSubstring("a fingerprint of another length"));
  }
  Bytes bytes = good;
  tests::Put(bytes, at, 0U);
  CHECK_FALSE(SlotsErrorOf(bytes).empty());
}

}  // namespace
}  // namespace trommel
