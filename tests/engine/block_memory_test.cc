// Block memory: zeroed, aligned, moved without a copy, and on how many huge pages.
#include "engine/src/base/block_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>

#include "support/catch.h"

namespace trommel {
namespace {

TEST_CASE("memory is zero, aligned and of the requested size", "[engine][block_memory]") {
  // Around a page and around a huge page, where the allocation changes.
  const uint64_t num_words =
      GENERATE(1, 8, 1023, 1024, 1025, (1 << 19) - 1, 1 << 19, (1 << 19) + 1);
  Result<BlockMemory> memory = BlockMemory::Allocate(num_words);
  REQUIRE(memory.ok());
  CHECK(memory->num_words() == num_words);
  CHECK(memory->num_bytes() == num_words * 4);
  CHECK(memory->bytes().size() == num_words * 4);
  CHECK(reinterpret_cast<uintptr_t>(memory->data()) % 64 == 0);
  const auto is_zero = [](uint32_t word) { return word == 0; };
  CHECK(std::all_of(memory->data(), memory->data() + num_words, is_zero));
  std::fill_n(memory->data(), num_words, ~0U);
  memory->Clear();
  CHECK(std::all_of(memory->data(), memory->data() + num_words, is_zero));
}

TEST_CASE("large memory begins at a huge page", "[engine][block_memory]") {
  Result<BlockMemory> memory = BlockMemory::Allocate(uint64_t{3} << 19);
  REQUIRE(memory.ok());
  CHECK(reinterpret_cast<uintptr_t>(memory->data()) % (uint64_t{2} << 20) == 0);
}

TEST_CASE("an allocation that the system refuses is an error that names the bytes",
          "[engine][block_memory]") {
  const uint64_t too_many = uint64_t{1} << 58;
  const Result<BlockMemory> memory = BlockMemory::Allocate(too_many);
  REQUIRE_FALSE(memory.ok());
  CHECK(memory.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(memory.error().message,
             Catch::Matchers::ContainsSubstring(std::to_string(too_many * 4)));
}

constexpr char kSmaps[] =
    "100000-900000 rw-p 00000000 00:00 0 \n"
    "Size:               8192 kB\n"
    "AnonHugePages:      4096 kB\n"
    "VmFlags: rd wr mr\n"
    "a00000-c00000 rw-p 00000000 00:00 0    [heap: odd name]\n"
    "AnonHugePages:      2048 kB\n";

TEST_CASE("huge pages are counted within the range, and never too many of them",
          "[engine][block_memory]") {
  const auto bytes = [](uintptr_t begin, uintptr_t end) {
    std::istringstream smaps(kSmaps);
    return HugePageBytesIn(smaps, begin, end);
  };
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  CHECK(bytes(0x100000, 0x900000) == 4 * kMiB);  // a whole mapping
  CHECK(bytes(0x100000, 0xc00000) == 6 * kMiB);  // two
  CHECK(bytes(0x100000, 0x500000) == 0);  // half of one: its 4 MiB may all be the other half's
  CHECK(bytes(0x100000, 0x700000) == 2 * kMiB);
  CHECK(bytes(0xa00000, 0xc00000) == 2 * kMiB);
  CHECK(bytes(0xd00000, 0xe00000) == 0);
  std::istringstream nonsense("what is this\nAnonHugePages: many kB\n:\n\n");
  CHECK(HugePageBytesIn(nonsense, 0, ~uintptr_t{0}) == 0);
}

TEST_CASE("an array is never on more huge pages than it has bytes", "[engine][block_memory]") {
  auto memory = BlockMemory::Allocate(size_t{4} << 20);
  REQUIRE(memory.ok());
  CHECK(memory->HugePageBytes() == 0);  // not touched yet
  std::memset(memory->data(), 1, memory->num_bytes());
  CHECK(memory->HugePageBytes() <= memory->num_bytes());
}

}  // namespace
}  // namespace trommel
