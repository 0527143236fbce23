// The kernel tables, and which one is active: the only mutable state of this room.
#ifndef TROMMEL_KERNELS_TARGETS_H_
#define TROMMEL_KERNELS_TARGETS_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/kernels.h"

namespace trommel::kernels {

// The environment variable that names the target to use.
inline constexpr char kTargetVariable[] = "TROMMEL_TARGET";

// Tables for the targets this CPU can run, best first; made on first use, never destroyed.
std::span<const KernelTable> RunnableKernels();

// Families of kernels that some stores only use: their functions are null in all tables until such
// a store is created, which calls UseKernels<AddMap>(), say. So a program that is linked with
// --gc-sections carries the families that it uses.
using AddKernels = void (*)(int64_t target, KernelTable& kernels);
void AddCells(int64_t target, KernelTable& kernels);  // cells-inl.h
void AddDense(int64_t target, KernelTable& kernels);  // dense_cut-inl.h, these two
void AddLongDense(int64_t target, KernelTable& kernels);
void AddGrowing(int64_t target, KernelTable& kernels);  // growing-inl.h
void AddMap(int64_t target, KernelTable& kernels);      // map-inl.h
void AddStamped(int64_t target, KernelTable& kernels);  // stamped-inl.h

// Adds a family to all tables, once. Thread safety: any thread, also beside users of other
// families.
template <AddKernels kAdd>
void UseKernels();
// Of all shapes.
inline void UseDenseKernels();

// Names of all targets compiled in, best first.
std::vector<std::string_view> CompiledTargetNames();

// The active table. Inline, because of queries of one key.
inline const KernelTable& ActiveKernels() noexcept;

// The same without a test. Requires that ActiveKernels has been called before: a store does so when
// it is created, and takes the table once per key.
inline const KernelTable& ChosenKernels() noexcept;

// Activates the named target; the empty name means the choice made at first use. Returns false, and
// changes nothing, if the target cannot run here.
bool ForceKernels(std::string_view name);

// The value of kTargetVariable at first use ("" if unset), whether or not that target can run.
std::string_view RequestedTarget();

namespace internal {

// The active table, or null before the first use. Constant-initialised, so safe in any static's
// constructor.
extern std::atomic<const KernelTable*> active;
// Makes the tables if necessary, chooses one, and returns it.
const KernelTable& ChooseKernels() noexcept;
// Calls `add` for each table.
void AddToAll(AddKernels add);

}  // namespace internal

template <AddKernels kAdd>
void UseKernels() {
  [[maybe_unused]] static const bool is_added = (internal::AddToAll(kAdd), true);
}

inline void UseDenseKernels() {
  UseKernels<AddDense>();
  UseKernels<AddLongDense>();
}

inline const KernelTable& ActiveKernels() noexcept {
  const KernelTable* kernels = internal::active.load(std::memory_order_acquire);
  return kernels != nullptr ? *kernels : internal::ChooseKernels();
}

inline const KernelTable& ChosenKernels() noexcept {
  return *internal::active.load(std::memory_order_acquire);
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_TARGETS_H_
