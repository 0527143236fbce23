// What only the sections of a window's file can break (others: forged_contents_test.cc).
#include <cstdint>
#include <utility>

#include "support/catch.h"
#include "support/file_forge.h"
#include "support/forgeries.h"
#include "support/window_files.h"
#include "support/window_slots.h"

namespace trommel::tests {
TEST_CASE("forged numbers of a window are refused", "[engine][files][window][hostile]") {
  CheckAll(CrowdedWindow(kRateOfSlots16).Serialize(),
           {{"window", 0, 0, 8, 0, "section 'window'"},
            {"window", 0, 0, 8, kMany, "section 'window' has"},
            {"window", 0, 8, 8, 0, "section 'window' has"},
            {"window", 0, 16, 4, 0, "num_buckets"},
            {"window", 0, 16, 4, 13, "more buckets than slots of 16 bits can have"},
            {"window", 0, 20, 4, 2, "is_erasable is neither 0 nor 1"},
            {"window", 0, 20, 4, 0, "what its keys make"},
            {"window", 0, 24, 8, 1'000'000, "a bucket's keys are not what the blocks hold"},
            {"window", 0, 24, 8, kMany, "a bucket's keys are not what the blocks hold"},
            {"numbers", 1, 0, 4, 1, "the encoding is 1; this library reads 2"},
            {"numbers", 1, 8, 4, 13, "the fingerprint's length is 13; this library reads 12"},
            {"numbers", 1, 8, 4, 16, "what its keys make"},
            {"numbers", 1, 24, 8, 0, "no possible request"},
            {"side", 1, 0, 8, kMany, "names a block that does not exist"},
            {"side", 1, 8, 8, uint64_t{1} << 40, "side"},
            {"side", 1, 16, 8, 0, "entries do not ascend, or have no count"},
            {"side", 1, 16, 8, kMany, "entries do not ascend, or have no count"},
            {"side", 1, 16, 8, kMany >> 1, "what"},
            {"side", 1, 24, 4, 1 << 12, "a fingerprint of another length"},
            {"side", 1, 24, 4, 0, "a fingerprint of another length"},
            {"side", 1, 28, 4, 1, "entries do not ascend, or have no count"}});
  CheckAll(CrowdedWindow(kRateOfSlots16, false).Serialize(),
           {{"window", 0, 24, 8, kMany, "more keys than can be counted"}});
}

// Any word changed in a section is not what some contents make, or not what the keys say: stamps,
// homes, counts and places may not change, and a fingerprint that becomes another one changes the
// order.
TEST_CASE("any word of a window that is changed is found", "[engine][files][window][long]") {
  for (const double rate : {kRateOfSlots16, kRateOfSlots24}) {
    const Bytes good = CrowdedWindow(rate).Serialize();
    for (const auto& [name, store] :
         {std::pair{"blocks", 1U}, {"lines", 1U}, {"side", 1U}, {"window", 0U}}) {
      FileForge forge(good);
      Bytes& bytes = forge.At(name, store).bytes;
      const uint64_t step = 4 * (1 + bytes.size() / 4096);
      for (uint64_t at = 0; at < bytes.size(); at += step) {
        CAPTURE(rate, name, at);
        const auto word = Get<uint32_t>(bytes, at);
        Put(bytes, at, word ^ 0x80008000);
        REQUIRE(ErrorOf(forge.Seal()) != "loaded");
        Put(bytes, at, word);
      }
    }
  }
}

}  // namespace trommel::tests
