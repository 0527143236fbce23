// Updates of one key per call: their outcomes and their bytes on every target.
#include <cstdint>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "support/catch.h"
#include "support/kernel_filter.h"
#include "support/shapes.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

using tests::KernelFilter;

constexpr uint64_t kHot = 0x0000000512345678;
constexpr uint64_t kAbsent = kHot ^ 0x80000001;

TEST_CASE("an update of one key says what became of it, and changes nothing unless done",
          "[kernels][one]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  tests::ForEachRunnableTarget([&] {
    KernelFilter filter(1, shape);
    const BlockKernels& kernels = filter.block_kernels();
    const Blocks view = filter.View();
    ReferenceFilter want(1, shape);

    CHECK(kernels.erase_one(kHot, &view) == OneFate::kUnchanged);
    CHECK(kernels.insert_if_absent_one(kHot, &view) == OneFate::kDone);
    CHECK(kernels.insert_if_absent_one(kHot, &view) == OneFate::kUnchanged);
    want.Insert(kHot);
    for (uint32_t copies = 1; copies < tests::MostCopies(shape); ++copies) {
      REQUIRE(kernels.insert_one(kHot, &view) == OneFate::kDone);
      want.Insert(kHot);
    }
    REQUIRE(kernels.query_one(kAbsent, &view) == OneFate::kUnchanged);
    CHECK(kernels.insert_one(kHot, &view) == OneFate::kStop);
    CHECK(kernels.insert_if_absent_one(kHot, &view) == OneFate::kUnchanged);
    CHECK(kernels.erase_one(kAbsent, &view) == OneFate::kUnchanged);
    CHECK(filter.DifferenceFrom(want) == "");
    CHECK(kernels.erase_one(kHot, &view) == OneFate::kDone);
    want.Erase(kHot);
    CHECK(filter.DifferenceFrom(want) == "");
  });
}

TEST_CASE("an update of one key spills what a promoted block cannot tell", "[kernels][one]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  tests::ForEachRunnableTarget([&] {
    KernelFilter filter(1, shape);
    const std::vector<uint64_t> copies(tests::MostCopies(shape) + 1, kHot);
    filter.Insert(copies, 0, copies.size());
    ReferenceFilter want(1, shape);
    for (const uint64_t digest : copies) want.Insert(digest);

    const BlockKernels& kernels = filter.block_kernels();
    const Blocks view = filter.View();
    // Planes spill a key that hits a full counter of slice 0: every one, by the marker.
    CHECK(kernels.insert_one(kHot, &view) == OneFate::kSpill);
    CHECK(kernels.insert_one(kAbsent, &view) == OneFate::kSpill);
    CHECK(kernels.insert_if_absent_one(kAbsent, &view) == OneFate::kSpill);
    CHECK(kernels.insert_if_absent_one(kHot, &view) == OneFate::kUnchanged);
    CHECK(kernels.erase_one(kHot, &view) == OneFate::kSpill);
    CHECK(kernels.erase_one(kAbsent, &view) == OneFate::kUnchanged);
    CHECK(filter.DifferenceFrom(want) == "");
  });
}

}  // namespace
}  // namespace trommel::kernels
