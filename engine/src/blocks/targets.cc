// trommel/targets.h on top of kernels/targets.h.
#include "trommel/targets.h"

#include "kernels/targets.h"

namespace trommel {
namespace {

std::string Joined(const std::vector<std::string_view>& names) {
  std::string joined;
  for (const std::string_view name : names) {
    if (!joined.empty()) joined += ", ";
    joined += name;
  }
  return joined;
}

Error CannotRun(std::string_view name) {
  return Error{ErrorCode::kInvalidArgument,
               "target \"" + std::string(name) +
                   "\" cannot run here; these can: " + Joined(RunnableTargets())};
}

}  // namespace

std::vector<std::string_view> RunnableTargets() {
  std::vector<std::string_view> names;
  for (const kernels::KernelTable& table : kernels::RunnableKernels()) names.push_back(table.name);
  return names;
}

std::vector<std::string_view> CompiledTargets() { return kernels::CompiledTargetNames(); }

std::string_view ActiveTarget() noexcept { return kernels::ActiveKernels().name; }

Status ForceTarget(std::string_view name) {
  if (!kernels::ForceKernels(name)) return CannotRun(name);
  return Ok();
}

Status CheckTargetEnvironment() {
  const std::string_view requested = kernels::RequestedTarget();
  if (requested.empty()) return Ok();
  for (const std::string_view name : RunnableTargets()) {
    if (name == requested) return Ok();
  }
  Error error = CannotRun(requested);
  error.message = std::string(kernels::kTargetVariable) + ": " + error.message;
  return error;
}

}  // namespace trommel
