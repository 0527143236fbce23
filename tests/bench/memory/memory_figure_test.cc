// The models of the memory figure against values worked out by other means, and the drawing.
#include "bench/memory/memory_figure.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "trommel/sizing.h"

namespace trommel::bench {
namespace {

double BitsOf(std::string_view name, double target_fpr) {
  const auto curves = MemoryCurves();
  const auto found = std::ranges::find(curves, name, &MemoryCurve::name);
  REQUIRE(found != curves.end());
  return found->bits_per_key(target_fpr);
}

TEST_CASE("published formulas give what their papers say", "[bench][memory]") {
  CHECK(BitsOf("Bloom", 0.01) == Approx(9.585).epsilon(1e-3));
  CHECK(BitsOf("counting Bloom", 0.01) == Approx(38.34).epsilon(1e-3));
  CHECK(BitsOf("cuckoo", 1.0 / 1024) == Approx(13 / 0.95));
  CHECK(BitsOf("cuckoo, semi-sorted", 1.0 / 1024) == Approx(12 / 0.95));
  CHECK(BitsOf("quotient", 1.0 / 1024) == Approx(13 / 0.95));
  // 64 slots have two bits each, and an offset of 8 bits: 2.125 per slot.
  CHECK(BitsOf("counting quotient", 1.0 / 1024) == Approx((10 + (2 * 64 + 8) / 64.0) / 0.95));
  // Slots of 8 bits: 512 bits for 48 slots, at twice 48/80 of 1 in 256.
  CHECK(BitsOf("vector quotient", 2 * 48 / 80.0 / 256) == Approx(512 / 48.0 / 0.95));
}

TEST_CASE("full blocks of fingerprints have the rate and the memory of their load",
          "[bench][memory]") {
  const std::vector<FullBlocks> full = FullFingerprints();
  REQUIRE(full.size() == 2);
  CHECK(full[0].name == "fingerprints16");
  // 65 lines for 64 blocks; two low bytes of 256 stand for others, too. 1 % of the blocks overflow.
  const double wide = full[0].keys_per_block;
  CHECK(full[0].bits_per_key == Approx(512 * 65 / 64.0 / wide).epsilon(1e-3));
  CHECK(full[0].fpr == Approx(-std::expm1(-wide * (1 + 4 / 256.0) / 65'536)).epsilon(1e-3));
  CHECK(full[1].name == "dense");
  // 51 slots, 51 bins and 8 bits of remainder: more than 9 in 10 slots are used, and the keys that
  // blocks are cut for take less than a tenth of the memory.
  const double narrow = full[1].keys_per_block;
  CHECK(narrow > 0.9 * 51);
  CHECK(full[1].bits_per_key > 512 / narrow);
  CHECK(full[1].bits_per_key < 1.1 * 512 / narrow);
  CHECK(full[1].fpr == Approx(-std::expm1(-narrow / (51 * 256))).epsilon(1e-3));
  // No smaller target leaves blocks as full.
  CHECK(BitsOf("fingerprints16", 0.0004) < BitsOf("fingerprints16", 0.00035));
  CHECK(BitsOf("dense", 0.004) < BitsOf("dense", 0.003));
}

}  // namespace

}  // namespace trommel::bench
