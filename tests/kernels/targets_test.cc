// The table of targets: with a scalar one at the end.
#include "kernels/targets.h"

#include <set>
#include <string>

#include "hwy/highway.h"
#include "support/catch.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

TEST_CASE("every runnable target has a name of its own, best first", "[kernels][targets]") {
  std::set<std::string> names;
  int64_t last = 0;
  for (const KernelTable& table : RunnableKernels()) {
    INFO(table.name);
    CHECK(names.insert(table.name).second);
    CHECK(table.target > last);  // best first: Highway numbers better targets lower
    last = table.target;
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

}  // namespace
}  // namespace trommel::kernels
