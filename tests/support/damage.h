// What every reader of files owes: damaged bytes are refused with an error, wherever the damage
// is.
#ifndef TROMMEL_TESTS_SUPPORT_DAMAGE_H_
#define TROMMEL_TESTS_SUPPORT_DAMAGE_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "support/catch.h"
#include "support/file_forge.h"
#include "support/sanitized.h"
#include "trommel/result.h"

namespace trommel::tests {

// Where damage is tried.
struct DamagePlaces {
  // Each of the first 1,000 bytes, and every step-th after them.
  size_t step = 1;
  // Bytes of which each bit is flipped; of the others one bit pattern is changed.
  std::function<bool(size_t)> flips_all_bits = [](size_t at) {
    return at < (TROMMEL_TESTS_SANITIZED ? 64 : 512);
  };
};

// load(bytes) returns a Result.
template <class Load>
void CheckDamageIsRefused(const Bytes& good, const Load& load, const DamagePlaces& places = {}) {
  REQUIRE(load(std::span(good)).ok());
  const auto code_of = [&load](std::span<const std::byte> bytes) {
    const auto result = load(bytes);
    if (result.ok()) FAIL("read damaged bytes");
    CHECK_FALSE(result.error().message.empty());
    return result.error().code;
  };
  const auto next = [&places](size_t at) { return at + (at < 1000 ? 1 : places.step); };
  for (size_t length = 0; length < good.size(); length = next(length)) {
    INFO("cut at byte " << length);
    // A copy of exactly this size: reading one byte too far is then seen by AddressSanitizer.
    const auto cut = std::make_unique<std::byte[]>(length);
    std::copy_n(good.begin(), length, cut.get());
    REQUIRE(code_of({cut.get(), length}) == ErrorCode::kCorrupt);
  }
  Bytes bad = good;
  for (size_t at = 0; at < good.size(); at = next(at)) {
    INFO("byte " << at << " changed");
    const bool flips_all = places.flips_all_bits(at);
    for (size_t bit = 0; bit < (flips_all ? 8 : 1); ++bit) {
      bad[at] ^= static_cast<std::byte>(flips_all ? size_t{1} << bit : 1 + at % 255);
      const ErrorCode code = code_of(bad);
      REQUIRE((code == ErrorCode::kCorrupt || code == ErrorCode::kVersion));
      bad[at] = good[at];
    }
  }
  for (const size_t num_extra : {1U, 8U, 272U, 5000U}) {
    INFO(num_extra << " bytes appended");
    Bytes longer = good;
    longer.resize(good.size() + num_extra);
    REQUIRE(code_of(longer) == ErrorCode::kCorrupt);
  }
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_DAMAGE_H_
