// SipHash against the published vectors, of the variant in use and of the paper's.
#include "engine/src/keys/siphash.h"

#include <numeric>
#include <string>
#include <vector>

#include "golden/siphash.h"
#include "support/catch.h"
#include "support/digest_keys.h"
#include "support/words.h"

namespace trommel {
namespace {

TEST_CASE("SipHash-1-3 and SipHash-2-4 give the published vectors", "[engine][digest][golden]") {
  std::string bytes(golden::kSipHash13.size(), '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  const DigestKey key = tests::KeyFrom(0);
  std::vector<uint64_t> fast;
  std::vector<uint64_t> whole;
  for (size_t n = 0; n < bytes.size(); ++n) {
    fast.push_back(SipHash13(key.words(), bytes.data(), n));
    whole.push_back(SipHash<2, 4>(key.words(), bytes.data(), n));
  }
  CHECK(tests::FirstDifference(fast, {golden::kSipHash13.begin(), golden::kSipHash13.end()}) == "");
  CHECK(tests::FirstDifference(whole, {golden::kSipHash24.begin(), golden::kSipHash24.end()}) ==
        "");
}

TEST_CASE("SipHash takes keys of any alignment, and lengths beyond a byte", "[engine][digest]") {
  const DigestKey key = tests::KeyFrom(0);
  const std::string text(1000, 'x');
  const uint64_t want = SipHash13(key.words(), text.data(), 600);
  for (size_t offset = 0; offset < 9; ++offset) {
    CHECK(SipHash13(key.words(), text.data() + offset, 600) == want);
  }
  // The length enters mod 256: the bytes themselves must tell these apart.
  CHECK(SipHash13(key.words(), text.data(), 600 - 256) != want);
}

}  // namespace
}  // namespace trommel
