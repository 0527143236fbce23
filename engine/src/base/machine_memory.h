// How much memory there is: the machine's, or less if a control group (of a container, a service, a
// job) limits this process.
#ifndef TROMMEL_ENGINE_SRC_BASE_MACHINE_MEMORY_H_
#define TROMMEL_ENGINE_SRC_BASE_MACHINE_MEMORY_H_

#include <cstdint>
#include <filesystem>

namespace trommel {

// The machine's physical memory in bytes, or the least limit of a control group of this process.
// Determined once, by the first call: later changes of limits are not seen.
uint64_t MachineMemoryBytes() noexcept;

// The least limit of this process's control groups and of those around them, of version 2
// (memory.max) and version 1 (memory.limit_in_bytes); 2^64 - 1 without any. `root` is the root of
// the file system; tests make one of their own. What cannot be read limits nothing. Throws
// std::bad_alloc.
uint64_t ControlGroupLimit(const std::filesystem::path& root);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_MACHINE_MEMORY_H_
