// The tests' main, for Catch2 v2 and v3 alike. v2 keeps its implementation in its one header and
// puts it into the file that defines CATCH_CONFIG_RUNNER: this one.
#define CATCH_CONFIG_RUNNER
#include <iostream>

#include "support/catch.h"
#include "support/targets.h"

int main(int argc, char** argv) {
  // Checked before any test: a CPU with less than was meant would pass, and prove another target.
  if (const std::string wrong = trommel::tests::WrongTarget(); !wrong.empty()) {
    std::cerr << wrong << '\n';
    return 1;
  }
  trommel::tests::UseAllKernels();  // tests of kernels make no stores, which would do it
  return Catch::Session().run(argc, argv);
}
