// Which tables of kernels there are, and which one is in use. The only mutable state of this room.
#ifndef TROMMEL_KERNELS_TARGETS_H_
#define TROMMEL_KERNELS_TARGETS_H_

#include <atomic>
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

// The table in use: take it once per batch. Inline, because a point query is a batch of one.
inline const Kernels& ActiveKernels() noexcept;

// Uses the named target from now on; the empty name means the choice made at first use. False, and
// nothing changes, if it cannot run here.
bool ForceKernels(std::string_view name);

// What kTargetVariable asked for at first use ("" if unset), obeyed or not.
std::string_view RequestedTarget();

namespace internal {

// The table in use, or null before the first use. Constant-initialised, so safe in any static's
// constructor.
extern std::atomic<const Kernels*> active;
// Makes the tables if need be, chooses one, and returns it.
const Kernels& ChooseKernels() noexcept;

}  // namespace internal

inline const Kernels& ActiveKernels() noexcept {
  const Kernels* kernels = internal::active.load(std::memory_order_acquire);
  return kernels != nullptr ? *kernels : internal::ChooseKernels();
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_TARGETS_H_
