#include "support/targets.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "kernels/cpu.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "trommel/targets.h"

namespace trommel::tests {

void UseAllKernels() {
  using namespace kernels;
  UseKernels<AddCells>();
  UseDenseKernels();
  UseKernels<AddGrowing>();
  UseKernels<AddMap>();
  UseKernels<AddStamped>();
}

ForcedTarget::ForcedTarget(std::string_view name, bool is_deposit_fast)
    : previous_(ActiveTarget()),
      was_deposit_fast_(std::exchange(kernels::deposit_is_fast, is_deposit_fast)) {
  REQUIRE(ForceTarget(name).ok());
  REQUIRE(ActiveTarget() == name);
  REQUIRE(kernels::ActiveKernels().name == name);
}

ForcedTarget::~ForcedTarget() {
  (void)ForceTarget(previous_).ok();
  kernels::deposit_is_fast = was_deposit_fast_;
}

std::string_view ExpectedTarget() {
  const char* expected = std::getenv("TROMMEL_EXPECT_TARGET");
  return expected == nullptr ? "" : expected;
}

std::string WrongTarget(std::string_view expected) {
  const std::string_view chosen = ActiveTarget();
  if (expected.empty() || expected == chosen) return "";
  std::string text = "the chosen target is ";
  return text.append(chosen).append(", expected ").append(expected);
}

std::vector<std::string_view> TestedTargets(std::string_view expected) {
  std::vector<std::string_view> tested = RunnableTargets();
  if (!expected.empty()) std::erase_if(tested, [&](auto name) { return name != expected; });
  return tested;
}

void ForEachRunnableTarget(const std::function<void()>& body) {
  size_t num_runs = 0;
  for (const std::string_view name : TestedTargets()) {
    INFO("target " << name);
    const ForcedTarget forced(name, kernels::deposit_is_fast);
    const kernels::KernelTable* before = &kernels::ActiveKernels();
    body();
    // A body that changed the target would have tested another one than it says.
    REQUIRE(&kernels::ActiveKernels() == before);
    ++num_runs;
  }
  REQUIRE(num_runs > 0);
}

void ForEachTargetAndSelect(const std::function<void()>& body) {
  ForEachRunnableTarget(body);
  const std::vector<std::string_view> tested = TestedTargets();
  if (std::ranges::find(tested, "AVX2") == tested.end()) return;
  INFO("target AVX2 without PDEP");
  const ForcedTarget forced("AVX2", false);
  body();
}

}  // namespace trommel::tests
