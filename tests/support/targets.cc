#include "support/targets.h"

#include <cstddef>

#include "kernels/targets.h"
#include "support/catch.h"
#include "trommel/targets.h"

namespace trommel::tests {

ForcedTarget::ForcedTarget(std::string_view name) : previous_(ActiveTarget()) {
  REQUIRE(ForceTarget(name).ok());
  REQUIRE(ActiveTarget() == name);
  REQUIRE(kernels::ActiveKernels().name == name);
}

ForcedTarget::~ForcedTarget() { (void)ForceTarget(previous_).ok(); }

void ForEachRunnableTarget(const std::function<void()>& body) {
  size_t num_runs = 0;
  for (const std::string_view name : RunnableTargets()) {
    INFO("target " << name);
    const ForcedTarget forced(name);
    const kernels::Kernels* before = &kernels::ActiveKernels();
    body();
    // A body that changed the target would have tested another one than it says.
    REQUIRE(&kernels::ActiveKernels() == before);
    ++num_runs;
  }
  REQUIRE(num_runs > 0);
}

}  // namespace trommel::tests
