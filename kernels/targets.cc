// Builds a table of kernels for each target this CPU can run, and remembers which one is in use.
#include "kernels/targets.h"

#include <cstdlib>
#include <string>

#include "hwy/highway.h"
#include "hwy/targets.h"
#include "kernels/register.h"

namespace trommel::kernels {
namespace {

// Lower bits are better targets in Highway's numbering.
std::vector<int64_t> SingleTargets(int64_t targets) {
  std::vector<int64_t> singles;
  for (; targets != 0; targets &= targets - 1) singles.push_back(targets & -targets);
  return singles;
}

Kernels MakeKernels(int64_t target) {
  Kernels kernels{};
  kernels.target = target;
  kernels.name = hwy::TargetName(target);
  AddHash(target, kernels);
  AddCells(target, kernels);
  AddClassic(target, kernels);
  AddInsert(target, kernels);
  AddErase(target, kernels);
  AddQuery(target, kernels);
  AddQueryMany(target, kernels);
  AddLongRuns(target, kernels);
  AddWholePlanes(target, kernels);
  AddWholeRuns(target, kernels);
  return kernels;
}

// Everything that is decided once; immutable afterwards.
struct Registry {
  Registry() {
    // The baseline the compiler may use everywhere is always runnable, whatever Highway detects.
    for (const int64_t target :
         SingleTargets((hwy::SupportedTargets() | HWY_STATIC_TARGET) & HWY_TARGETS)) {
      runnable.push_back(MakeKernels(target));
    }
    const char* variable = std::getenv(kTargetVariable);
    requested = variable == nullptr ? "" : variable;
    first_choice = Find(requested);
    if (first_choice == nullptr) first_choice = &runnable.front();
  }

  const Kernels* Find(std::string_view name) const {
    for (const Kernels& kernels : runnable) {
      if (name == kernels.name) return &kernels;
    }
    return nullptr;
  }

  std::vector<Kernels> runnable;
  std::string requested;
  const Kernels* first_choice = nullptr;
};

Registry& GetRegistry() {
  static Registry& registry = *new Registry;  // never destroyed: filters may outlive static order
  return registry;
}

}  // namespace

std::span<const Kernels> RunnableKernels() { return GetRegistry().runnable; }

std::vector<std::string_view> CompiledTargetNames() {
  std::vector<std::string_view> names;
  for (const int64_t target : SingleTargets(HWY_TARGETS)) names.push_back(hwy::TargetName(target));
  return names;
}

namespace internal {

constinit std::atomic<const Kernels*> active{nullptr};

const Kernels& ChooseKernels() noexcept {
  // A choice forced meanwhile by another thread stands.
  const Kernels* expected = nullptr;
  const Kernels* first_choice = GetRegistry().first_choice;
  if (active.compare_exchange_strong(expected, first_choice, std::memory_order_acq_rel)) {
    return *first_choice;
  }
  return *expected;
}

}  // namespace internal

bool ForceKernels(std::string_view name) {
  Registry& registry = GetRegistry();
  const Kernels* kernels = name.empty() ? registry.first_choice : registry.Find(name);
  if (kernels == nullptr) return false;
  internal::active.store(kernels, std::memory_order_release);
  return true;
}

std::string_view RequestedTarget() { return GetRegistry().requested; }

}  // namespace trommel::kernels
