/// @file
/// Targets: the instruction sets for which the kernels are compiled, and the one in use.
#ifndef TROMMEL_TARGETS_H_
#define TROMMEL_TARGETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "trommel/export.h"
#include "trommel/result.h"

namespace trommel {

/// Returns the targets that are compiled into the library and that this CPU can run, best first, by
/// Highway's names ("AVX3_DL", "AVX2", "NEON", "SCALAR", ...). Never empty. Thread safety: any
/// thread.
TROMMEL_API std::vector<std::string_view> RunnableTargets();

/// Returns the targets that are compiled into the library, runnable or not, best first.
TROMMEL_API std::vector<std::string_view> CompiledTargets();

/// Returns the target in use. It is chosen on first use: the one that the environment variable
/// TROMMEL_TARGET names, else the best runnable one. Thread safety: any thread.
TROMMEL_API std::string_view ActiveTarget() noexcept;

/// Makes every filter of this process use the named target from its next batch on. Calls of one
/// key, and batches of up to 16 keys, of a CountingFilter or ConcurrentFilter that exists may keep
/// the former target. Answers and bytes stay the same; only speed changes. The empty name restores
/// the choice made on first use. Fails with kInvalidArgument if this CPU cannot run the target.
/// Thread safety: any thread.
TROMMEL_API Status ForceTarget(std::string_view name);

/// Returns success, or what is wrong with the environment variable TROMMEL_TARGET. A name that
/// cannot be run is ignored in favour of the best target; a program with a user interface should
/// report it.
TROMMEL_API Status CheckTargetEnvironment();

}  // namespace trommel

#endif  // TROMMEL_TARGETS_H_
