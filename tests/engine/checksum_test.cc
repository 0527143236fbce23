// Checksums against published values, and in pieces against the whole.
#include "engine/src/disk/checksum.h"

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/catch.h"

namespace trommel {
namespace {

std::vector<std::byte> RandomBytes(size_t size) {
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST_CASE("the checksum is XXH3 with 64 bits and seed 0", "[engine][checksum]") {
  // xxHash's own self-test: the empty input.
  CHECK(Checksum::Of({}) == 0x2d06800538d394c2);
  CHECK(Checksum().Value() == 0x2d06800538d394c2);
}

TEST_CASE("the checksum of pieces is that of the whole", "[engine][checksum]") {
  const auto size = GENERATE(size_t{0}, 1, 16, 17, 128, 129, 240, 241, 256, 1024, 1025, 70000);
  const std::vector<std::byte> bytes = RandomBytes(size);
  const auto piece = GENERATE(size_t{1}, 7, 64, 256, 4096);
  Checksum sum;
  for (size_t done = 0; done < size; done += piece) {
    sum.Add(std::span(bytes).subspan(done, std::min(piece, size - done)));
  }
  CHECK(sum.Value() == Checksum::Of(bytes));
}

TEST_CASE("a copied checksum goes its own way", "[engine][checksum]") {
  const std::vector<std::byte> bytes = RandomBytes(1000);
  Checksum sum;
  sum.Add(std::span(bytes).first(600));
  Checksum copy = sum;
  sum.Add(std::span(bytes).subspan(600));
  CHECK(copy.Value() == Checksum::Of(std::span(bytes).first(600)));
  copy.Add(std::span(bytes).subspan(600));
  CHECK(copy.Value() == sum.Value());
  CHECK(sum.Value() == Checksum::Of(bytes));
}

}  // namespace
}  // namespace trommel
