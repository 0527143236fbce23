// Which targets a CPU has, and on which PDEP is slow.
#include "kernels/cpu.h"

#include "hwy/highway.h"
#include "hwy/targets.h"
#include "support/catch.h"

namespace trommel::kernels {
namespace {

TEST_CASE("PDEP is slow on AMD's CPUs before Zen 3 and on no other CPU", "[kernels][cpu]") {
  CHECK(IsDepositFast("GenuineIntel", 6));           // since Haswell
  CHECK_FALSE(IsDepositFast("AuthenticAMD", 0x15));  // Excavator
  CHECK_FALSE(IsDepositFast("AuthenticAMD", 0x17));  // Zen 1 and 2
  CHECK(IsDepositFast("AuthenticAMD", 0x19));        // Zen 3 and 4
  CHECK(IsDepositFast("AuthenticAMD", 0x1a));        // Zen 5
  CHECK_FALSE(IsDepositFast("HygonGenuine", 0x18));  // a Zen 1
  CHECK(IsDepositFast("CentaurHauls", 7));
  CHECK(IsDepositFast("", 0));
}

TEST_CASE("a CPU's targets are those that Highway finds", "[kernels][cpu]") {
  const int64_t compiled = HWY_TARGETS;
  CHECK((CpuTargets() & compiled) == (hwy::SupportedTargets() & compiled));
}

}  // namespace
}  // namespace trommel::kernels
