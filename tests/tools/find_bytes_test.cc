// Where a byte is, on every target, against a loop over the text.
#include "tools/trommel/input/find_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::tool {
namespace {

std::vector<uint32_t> OffsetsOf(std::string_view text, char wanted) {
  std::vector<uint32_t> offsets;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == wanted) offsets.push_back(static_cast<uint32_t>(i));
  }
  return offsets;
}

// The text lies in memory of its own, so that sanitizers see a byte too many.
void CheckFound(const std::string& text, char wanted) {
  const std::vector<char> bytes(text.begin(), text.end());
  tests::Guarded<uint32_t> offsets(text.size());
  const size_t num_found =
      FindBytesForTarget()({bytes.data(), bytes.size()}, wanted, offsets.data());
  const std::vector<uint32_t> want = OffsetsOf(text, wanted);
  REQUIRE(num_found == want.size());
  CHECK(std::equal(want.begin(), want.end(), offsets.data()));
  CHECK(offsets.GuardsIntact());
}

TEST_CASE("all bytes of one value are found in texts of any length on every target",
          "[tools][find_bytes]") {
  tests::ForEachRunnableTarget([] {
    for (const size_t size : tests::EdgeSizes()) {
      INFO("size " << size);
      for (const uint64_t one_in : {1, 2, 10, 100}) {
        std::string text;
        for (const uint64_t random : tests::DrawnDigests(size, size + 1, Catch::rngSeed())) {
          text += random % one_in == 0 ? '\n' : static_cast<char>(random >> 32);
        }
        CheckFound(text, '\n');
        CheckFound(text, '\0');
        CheckFound(text, '\xff');
      }
    }
  });
}

}  // namespace
}  // namespace trommel::tool
