// Which instruction set the kernels run on: chosen once at first use, shown and forced by name.
#ifndef TROMMEL_TARGETS_H_
#define TROMMEL_TARGETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "trommel/result.h"

namespace trommel {

// Targets compiled into the library that this CPU can run, best first, by Highway's names
// ("AVX3_DL", "AVX2", "NEON", "SCALAR" ...). Never empty. Any thread.
std::vector<std::string_view> RunnableTargets();

// Targets compiled into the library, runnable or not, best first.
std::vector<std::string_view> CompiledTargets();

// The target in use. At first use this is the one named by the environment variable TROMMEL_TARGET,
// or else the best runnable one. Any thread.
std::string_view ActiveTarget() noexcept;

// Makes every filter of this process use the named target from its next batch on: answers and bytes
// do not change, only speed. The empty name returns to the choice made at first use. Fails with
// kInvalidArgument, and changes nothing, if this CPU cannot run it. Any thread.
Status ForceTarget(std::string_view name);

// Ok, or what is wrong with TROMMEL_TARGET: a name that cannot be run is not obeyed (the best
// target is used), and a program with somebody to tell should tell them.
Status CheckTargetEnvironment();

}  // namespace trommel

#endif  // TROMMEL_TARGETS_H_
