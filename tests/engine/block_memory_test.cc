// Block memory: zeroed, aligned, moved without a copy, and refused with a number.
#include "engine/src/base/block_memory.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "support/catch.h"

namespace trommel {
namespace {

TEST_CASE("memory is zero, aligned and of the size asked for", "[engine][block_memory]") {
  // Around a page and around a huge page, where the way of asking changes.
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

TEST_CASE("moving memory moves the words and not their bytes", "[engine][block_memory]") {
  Result<BlockMemory> made = BlockMemory::Allocate(100);
  REQUIRE(made.ok());
  BlockMemory first = *std::move(made);
  uint32_t* const words = first.data();
  words[99] = 7;
  BlockMemory second = std::move(first);
  CHECK(second.data() == words);
  CHECK(first.data() == nullptr);  // NOLINT(bugprone-use-after-move)
  CHECK(first.num_words() == 0);
  BlockMemory third;
  third = std::move(second);
  CHECK(third.data()[99] == 7);
  BlockMemory& same = third;
  third = std::move(same);
  CHECK(third.data()[99] == 7);
}

TEST_CASE("memory the system cannot give is an error that names the bytes",
          "[engine][block_memory]") {
  const uint64_t too_many = uint64_t{1} << 58;
  const Result<BlockMemory> memory = BlockMemory::Allocate(too_many);
  REQUIRE_FALSE(memory.ok());
  CHECK(memory.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(memory.error().message,
             Catch::Matchers::ContainsSubstring(std::to_string(too_many * 4)));
}

TEST_CASE("physical memory is between a megabyte and a petabyte", "[engine][block_memory]") {
  CHECK(PhysicalMemoryBytes() > uint64_t{1} << 20);
  CHECK(PhysicalMemoryBytes() < uint64_t{1} << 50);
}

}  // namespace
}  // namespace trommel
