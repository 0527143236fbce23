// Runs a test's body on every instruction set this CPU has, and makes sure that it really did.
#ifndef TROMMEL_TESTS_SUPPORT_TARGETS_H_
#define TROMMEL_TESTS_SUPPORT_TARGETS_H_

#include <functional>
#include <string>
#include <string_view>

namespace trommel::tests {

// Forces a target for the length of a scope, then returns to the one before. The test fails at once
// if the target cannot be forced or is not the one that the kernels take afterwards.
class ForcedTarget {
 public:
  explicit ForcedTarget(std::string_view name);
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
  ~ForcedTarget();

 private:
  std::string previous_;
};

// Calls body once for each runnable target, best first, with that target forced. Fails if there is
// none: a loop over nothing proves nothing.
void ForEachRunnableTarget(const std::function<void()>& body);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_TARGETS_H_
