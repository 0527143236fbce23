// Which tables of kernels there are, and which one is in use. The only mutable state of this room.
#ifndef TROMMEL_KERNELS_TARGETS_H_
#define TROMMEL_KERNELS_TARGETS_H_

#include <span>
#include <string_view>
#include <vector>

#include "kernels/kernels.h"

namespace trommel::kernels {

// The environment variable that names the target to use.
inline constexpr char kTargetVariable[] = "TROMMEL_TARGET";

// Tables for the targets this CPU can run, best first; made on first use, never destroyed.
std::span<const Kernels> RunnableKernels();

// Names of all targets compiled in, best first.
std::vector<std::string_view> CompiledTargetNames();

// The table in use: take it once per batch.
const Kernels& ActiveKernels() noexcept;

// Uses the named target from now on; the empty name means the choice made at first use. False, and
// nothing changes, if it cannot run here.
bool ForceKernels(std::string_view name);

// What kTargetVariable asked for at first use ("" if unset), obeyed or not.
std::string_view RequestedTarget();

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_TARGETS_H_
