#include "engine/src/base/huge_pages.h"

#include <cstring>
#include <sstream>

#include "engine/src/base/block_memory.h"
#include "support/catch.h"

namespace trommel {
namespace {

constexpr char kSmaps[] =
    "100000-900000 rw-p 00000000 00:00 0 \n"
    "Size:               8192 kB\n"
    "AnonHugePages:      4096 kB\n"
    "VmFlags: rd wr mr\n"
    "a00000-c00000 rw-p 00000000 00:00 0    [heap: odd name]\n"
    "AnonHugePages:      2048 kB\n";

TEST_CASE("huge pages are counted within the range, and never too many", "[engine][huge_pages]") {
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

TEST_CASE("an array is never on more huge pages than it has bytes", "[engine][huge_pages]") {
  auto memory = BlockMemory::Allocate(size_t{4} << 20);
  REQUIRE(memory.ok());
  CHECK(memory->HugePageBytes() == 0);  // nobody has touched it
  std::memset(memory->data(), 1, memory->num_bytes());
  CHECK(memory->HugePageBytes() <= memory->num_bytes());
}

}  // namespace
}  // namespace trommel
