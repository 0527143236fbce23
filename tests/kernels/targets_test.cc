// The table of targets: complete, forcible, and with a scalar one at the end.
#include "kernels/targets.h"

#include <algorithm>
#include <set>
#include <string>

#include "hwy/highway.h"
#include "support/catch.h"
#include "support/shapes.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

TEST_CASE("every runnable target has a name of its own and all kernels", "[kernels][targets]") {
  std::set<std::string> names;
  int64_t last = 0;
  for (const KernelTable& table : RunnableKernels()) {
    INFO(table.name);
    CHECK(names.insert(table.name).second);
    CHECK(table.target > last);  // best first: Highway numbers better targets lower
    last = table.target;
    CHECK(table.hash.xxh64_int64 != nullptr);
    CHECK(table.hash.xxh64_int32 != nullptr);
    for (const Shape& shape : tests::AllShapes()) {
      const BlockKernels* kernels = &tests::KernelsOf(table, shape);
      CHECK(kernels->insert != nullptr);
      CHECK(kernels->insert_if_absent != nullptr);
      CHECK(kernels->erase != nullptr);
      CHECK(kernels->query != nullptr);
      CHECK(kernels->select != nullptr);
      CHECK(kernels->query_one != nullptr);
      CHECK(kernels->tally != nullptr);
      CHECK(kernels->merge != nullptr);
      CHECK(kernels->subtract != nullptr);
      CHECK(kernels->can_subtract != nullptr);
      CHECK(kernels->fold != nullptr);
    }
  }
  CHECK_FALSE(names.empty());
}

TEST_CASE("targets have functions of their own", "[kernels][targets]") {
  std::set<const void*> inserts;
  for (const KernelTable& table : RunnableKernels()) {
    CHECK(inserts.insert(reinterpret_cast<const void*>(table.planes.insert)).second);
  }
}

TEST_CASE("a target without vectors is always among the runnable ones", "[kernels][targets]") {
  // The 1-lane scalar target with every compiler: kernels/CMakeLists.txt leaves out EMU128.
  CHECK(RunnableKernels().back().target == HWY_SCALAR);
}

TEST_CASE("runnable targets are among the compiled ones in the same order", "[kernels][targets]") {
  const auto compiled = CompiledTargetNames();
  auto next = compiled.begin();
  for (const KernelTable& table : RunnableKernels()) {
    next = std::find(next, compiled.end(), std::string_view(table.name));
    REQUIRE(next != compiled.end());
  }
}

TEST_CASE("a family of kernels that is used is in every target's table", "[kernels][targets]") {
  UseKernels<AddCells>();
  UseKernels<AddStamped>();
  for (const KernelTable& table : RunnableKernels()) {
    INFO("target " << table.name);
    CHECK(table.cells.query != nullptr);
    CHECK(table.stamped16.query != nullptr);
  }
}

TEST_CASE("forcing a target switches the table and an unknown name does not",
          "[kernels][targets]") {
  const KernelTable* before = &ActiveKernels();
  for (const KernelTable& table : RunnableKernels()) {
    REQUIRE(ForceKernels(table.name));
    CHECK(&ActiveKernels() == &table);
    CHECK_FALSE(ForceKernels("abacus"));
    CHECK(&ActiveKernels() == &table);
  }
  REQUIRE(ForceKernels(""));
  CHECK(&ActiveKernels() == before);
}

}  // namespace
}  // namespace trommel::kernels
