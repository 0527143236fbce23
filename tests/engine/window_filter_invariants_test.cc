// The algorithm of a window filter: random programs beside a map of copies for each block,
// fingerprint and bucket, with late events, leaps, a clock that runs backwards, and keys that share
// block and fingerprint. What every type promises: tests/promises.
#include <cstdint>
#include <functional>
#include <string>

#include "support/catch.h"
#include "support/shrink.h"
#include "support/window_model.h"
#include "support/window_program.h"
#include "support/window_subject.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::WindowFilterSubject;
using tests::WindowOp;
using tests::WindowProgram;
using tests::WindowWay;

void ForEachWindowProgram(uint64_t num_programs, size_t num_steps,
                          const std::function<std::string(const WindowProgram&)>& invariant) {
  for (uint64_t i = 0; i < tests::Scaled(num_programs); ++i) {
    const uint64_t seed = Catch::rngSeed() * 1000 + i;
    tests::CheckInvariant(tests::RandomWindowProgram(seed, num_steps), invariant);
  }
}

TEST_CASE("a window filter answers as a map of copies of each bucket does",
          "[engine][window][invariants][long]") {
  const auto way = GENERATE(WindowWay::kBatches, WindowWay::kPoints, WindowWay::kThreads);
  ForEachWindowProgram(160, 60, [way](const WindowProgram& program) {
    WindowFilterSubject got(program, way);
    tests::WindowModel want(program, got.filter(0).geometry());
    return FirstDisagreement(program, got, want);
  });
}

}  // namespace
}  // namespace trommel
