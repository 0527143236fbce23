// Queries of a block's first slices: the reference's counters, and no line that is not needed.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "kernels/reference.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/kernel_filter.h"
#include "support/shapes.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

using tests::DrawnDigests;
using tests::Guarded;
using tests::KernelFilter;

bool ShowsFirst(const ReferenceFilter& reference, uint64_t digest, size_t num_probes) {
  const Shape& shape = reference.shape();
  const uint64_t first = BlockIndex(digest, reference.num_blocks()) * shape.num_counters();
  bool is_shown = true;
  for (size_t s = 0; s < num_probes; ++s) {
    is_shown &= reference.counters()[first + CounterIndex(digest, s, shape.num_slices)] != 0;
  }
  return is_shown;
}

TEST_CASE("a query of the first slices reads these and no others on every target",
          "[kernels][query]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  ReferenceFilter reference(7, shape);
  for (const uint64_t member : DrawnDigests(60, 60, Catch::rngSeed())) reference.Insert(member);
  KernelFilter filter(reference);
  for (const size_t size : tests::EdgeSizes()) {
    Guarded<uint64_t> digests(size, 0, size % 8);
    std::ranges::copy(DrawnDigests(size, size + 1, Catch::rngSeed() + size), digests.data());
    for (size_t num_probes = 1; num_probes <= shape.num_slices; ++num_probes) {
      std::vector<uint64_t> want((size + 63) / 64, 0);
      size_t want_present = 0;
      for (size_t i = 0; i < size; ++i) {
        const bool is_shown = ShowsFirst(reference, digests.data()[i], num_probes);
        want[i / 64] |= uint64_t{is_shown} << (i % 64);
        want_present += is_shown;
      }
      tests::ForEachRunnableTarget([&] {
        Guarded<uint64_t> bits(want.size(), ~uint64_t{0}, size % 8);
        REQUIRE(filter.block_kernels().query_first(digests.data(), size, filter.View(), num_probes,
                                                   bits.data()) == want_present);
        REQUIRE(tests::FirstDifference(bits.Copy(), want) == "");
        REQUIRE(bits.GuardsIntact());
      });
    }
  }
}

TEST_CASE("8 probes or fewer read the first line of a block only on every target",
          "[kernels][query]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  // A block whose first line ends where an unreadable page begins.
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(mprotect(static_cast<char*>(pages) + page, page, PROT_NONE) == 0);
  auto* line = reinterpret_cast<uint32_t*>(static_cast<char*>(pages) + page - 64);
  std::fill_n(line, 16, ~0U);
  const Blocks blocks{.presence = line, .counts = nullptr, .num_blocks = 1};
  const std::vector<uint64_t> digests = DrawnDigests(200, 200, Catch::rngSeed());
  tests::ForEachRunnableTarget([&] {
    const auto kernels = tests::KernelsOf(ActiveKernels(), shape);
    for (size_t num_probes = 1; num_probes <= std::min<size_t>(8, shape.num_slices); ++num_probes) {
      std::vector<uint64_t> bits(4);
      CHECK(kernels.query_first(digests.data(), digests.size(), blocks, num_probes, bits.data()) ==
            digests.size());
    }
  });
  REQUIRE(munmap(pages, 2 * page) == 0);
}

}  // namespace
}  // namespace trommel::kernels
