// Builds the kernel table of each target that this CPU can run, and keeps which one is active.
#include "kernels/targets.h"

#include <cstdlib>
#include <string>

#include "hwy/highway.h"
#include "hwy/targets.h"
#include "kernels/cpu.h"
#include "kernels/register.h"

namespace trommel::kernels {
namespace {

// Lower bits are better targets in Highway's numbering.
std::vector<int64_t> SingleTargets(int64_t targets) {
  std::vector<int64_t> singles;
  for (; targets != 0; targets &= targets - 1) singles.push_back(targets & -targets);
  return singles;
}

// What every program has; stores add other families (UseKernels).
KernelTable MakeKernels(int64_t target) {
  KernelTable kernels{};
  kernels.target = target;
  kernels.name = hwy::TargetName(target);
  AddHash(target, kernels);
  AddSipHash(target, kernels);
  AddXxh3(target, kernels);
  AddUpdate(target, kernels);
  AddQuery(target, kernels);
  AddLongRuns(target, kernels);
  AddWholePlanes(target, kernels);
  AddWholeRuns(target, kernels);
  AddWideFingerprints(target, kernels);
  return kernels;
}

// Made once; afterwards families are added to the tables, and nothing in them changes.
struct Registry {
  Registry() {
    deposit_is_fast = HasFastDeposit();
    // The static target, which the compiler may use everywhere, is runnable whatever is detected.
    for (const int64_t target : SingleTargets((CpuTargets() | HWY_STATIC_TARGET) & HWY_TARGETS)) {
      runnable.push_back(MakeKernels(target));
    }
    const char* variable = std::getenv(kTargetVariable);
    requested = variable == nullptr ? "" : variable;
    first_choice = Find(requested);
    if (first_choice == nullptr) first_choice = &runnable.front();
  }

  const KernelTable* Find(std::string_view name) const {
    for (const KernelTable& kernels : runnable) {
      if (name == kernels.name) return &kernels;
    }
    return nullptr;
  }

  std::vector<KernelTable> runnable;
  std::string requested;
  const KernelTable* first_choice = nullptr;
};

Registry& GetRegistry() {
  static Registry& registry = *new Registry;  // never destroyed: static filters may outlive it
  return registry;
}

}  // namespace

std::span<const KernelTable> RunnableKernels() { return GetRegistry().runnable; }

std::vector<std::string_view> CompiledTargetNames() {
  std::vector<std::string_view> names;
  for (const int64_t target : SingleTargets(HWY_TARGETS)) names.push_back(hwy::TargetName(target));
  return names;
}

namespace internal {

constinit std::atomic<const KernelTable*> active{nullptr};

const KernelTable& ChooseKernels() noexcept {
  // Keeps a choice that another thread has forced meanwhile.
  const KernelTable* expected = nullptr;
  const KernelTable* first_choice = GetRegistry().first_choice;
  if (active.compare_exchange_strong(expected, first_choice, std::memory_order_acq_rel)) {
    return *first_choice;
  }
  return *expected;
}

void AddToAll(AddKernels add) {
  for (KernelTable& kernels : GetRegistry().runnable) add(kernels.target, kernels);
}

}  // namespace internal

bool ForceKernels(std::string_view name) {
  Registry& registry = GetRegistry();
  const KernelTable* kernels = name.empty() ? registry.first_choice : registry.Find(name);
  if (kernels == nullptr) return false;
  internal::active.store(kernels, std::memory_order_release);
  return true;
}

std::string_view RequestedTarget() { return GetRegistry().requested; }

}  // namespace trommel::kernels
