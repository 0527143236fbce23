// Window filters on disk: what comes back, and what one file has for one content.
#include <cstdint>
#include <vector>

#include "support/catch.h"
#include "support/every_file.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"
#include "support/window_slots.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::Bytes;
using tests::MemberKeys;

TEST_CASE("a window that comes back from disk goes on as the one that stayed",
          "[engine][window][files]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  const bool is_erasable = GENERATE(true, false);
  WindowFilter stayed = tests::CrowdedWindow(rate, is_erasable);
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
          "[engine][window][files]") {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter once = tests::CrowdedWindow(rate);
  WindowFilter again = tests::CrowdedWindow(rate);
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

TEST_CASE("an empty window is saved with its time", "[engine][window][files]") {
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

TEST_CASE("loading a window keeps to the limit of memory", "[engine][window][files]") {
  const WindowFilter filter = tests::CrowdedWindow(tests::kRateOfSlots16);
  const Bytes bytes = filter.Serialize();
  const WindowStats stats = filter.GetStats();
  const uint64_t num_bytes = stats.num_bytes - stats.slots.side_table_bytes;
  CHECK(WindowFilter::Deserialize(bytes, num_bytes).ok());
  const auto refused = WindowFilter::Deserialize(bytes, num_bytes - 1);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace trommel
