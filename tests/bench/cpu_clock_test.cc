#include "bench/cpu_clock.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("the CPU clock goes on while the thread works", "[bench][cpu_clock]") {
  const double start = CpuSeconds();
  volatile double work = 0;
  while (CpuSeconds() - start < 0.001) work = work + 1;
  CHECK(CpuSeconds() > start);
}

}  // namespace
}  // namespace trommel::bench
