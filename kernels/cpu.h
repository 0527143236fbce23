// What the CPU can do: the instruction sets of its targets, and properties that targets do not
// tell.
#ifndef TROMMEL_KERNELS_CPU_H_
#define TROMMEL_KERNELS_CPU_H_

#include <cstdint>
#include <string_view>

namespace trommel::kernels {

// Returns the targets (HWY_*) whose instructions this CPU has and whose registers the system saves
// for each thread. They are those of hwy::SupportedTargets, found here so that nothing needs
// Highway's library: its headers are enough. On CPUs other than x86-64 and 64-bit Arm with Linux
// these are the targets without vectors alone; the static target runs in any case. Cost:
// microseconds (a virtual machine is left for each CPUID).
int64_t CpuTargets();

// Is PDEP a fast instruction on such a CPU? AMD's before family 19h (Zen 3) execute it in
// microcode, in up to hundreds of cycles (Agner Fog, "Instruction tables", Zen 1 and 2).
bool IsDepositFast(std::string_view vendor, uint32_t family);

// The same of this CPU. False where there is no such instruction.
bool HasFastDeposit();

// The same, stored before any kernel can be called (targets.cc). Where it is false, kernels do the
// same without PDEP: a branch, which is always predicted.
inline constinit bool deposit_is_fast = false;

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_CPU_H_
