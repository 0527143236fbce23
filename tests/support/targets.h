// Runs a test's body on every instruction set this CPU has, and makes sure that it really did.
#ifndef TROMMEL_TESTS_SUPPORT_TARGETS_H_
#define TROMMEL_TESTS_SUPPORT_TARGETS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trommel::tests {

// Forces a target for the length of a scope, and whether PDEP is fast, then returns to those
// before. The test fails at once if the target cannot be forced or is not the one that the kernels
// take.
class ForcedTarget {
 public:
  ForcedTarget(std::string_view name, bool is_deposit_fast);
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
  ~ForcedTarget();

 private:
  std::string previous_;
  bool was_deposit_fast_;
};

// Adds all families to the kernel tables (kernels::UseKernels).
void UseAllKernels();

// The environment variable TROMMEL_EXPECT_TARGET names the target that must be the chosen one,
// which is the best runnable one or TROMMEL_TARGET's; tests then run on that target only. So
// tools/test-targets runs each target in turn, on an emulated CPU of which it is the best or forced
// on this one, and has no time to test AVX2 again on a CPU that is there for AVX3. Empty if unset.
std::string_view ExpectedTarget();

// Empty, or what is wrong with the chosen target if `expected` is not empty.
std::string WrongTarget(std::string_view expected = ExpectedTarget());

// The targets that tests run on: all runnable ones, best first, or only the expected one.
std::vector<std::string_view> TestedTargets(std::string_view expected = ExpectedTarget());

// Calls body once for each tested target with that target forced. Fails if there is none: a loop
// over nothing proves nothing.
void ForEachRunnableTarget(const std::function<void()>& body);

// And once more as on a CPU with AVX2 on which PDEP is slow: for what selects bits (select-inl.h).
void ForEachTargetAndSelect(const std::function<void()>& body);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_TARGETS_H_
