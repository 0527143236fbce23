// The invariants of a window filter in slots: random programs beside a map of copies for each
// block, fingerprint and bucket, with late events, leaps, a clock that runs backwards, and keys
// that share block and fingerprint.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/shrink.h"
#include "support/slot_window_model.h"
#include "support/targets.h"
#include "support/window_program.h"
#include "support/window_subject.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using tests::WindowFilterSubject;
using tests::WindowProgram;
using tests::WindowWay;

void ForEachSlotProgram(uint64_t num_programs, size_t num_steps,
                        const std::function<std::string(const WindowProgram&)>& invariant) {
  for (uint64_t i = 0; i < tests::Scaled(num_programs); ++i) {
    const uint64_t seed = Catch::rngSeed() * 1000 + i;
    tests::CheckInvariant(tests::RandomSlotProgram(seed, num_steps), invariant);
  }
}

TEST_CASE("a window in slots answers as a map of copies of each bucket does",
          "[engine][window][slots][invariants][long]") {
  const auto way = GENERATE(WindowWay::kBatches, WindowWay::kPoints, WindowWay::kThreads);
  ForEachSlotProgram(160, 60, [way](const WindowProgram& program) {
    WindowFilterSubject got(program, way);
    tests::SlotWindowModel want(program, got.filter(0).geometry());
    return FirstDisagreement(program, got, want);
  });
}

TEST_CASE("a window in slots answers alike on every target",
          "[engine][window][slots][invariants][long]") {
  tests::ForEachRunnableTarget([] {
    ForEachSlotProgram(30, 40, [](const WindowProgram& program) {
      WindowFilterSubject got(program, WindowWay::kBatches);
      tests::SlotWindowModel want(program, got.filter(0).geometry());
      return FirstDisagreement(program, got, want);
    });
  });
}

TEST_CASE("points, batches and threads leave the same bytes of a window in slots",
          "[engine][window][slots][invariants][long]") {
  ForEachSlotProgram(60, 40, [](const WindowProgram& program) {
    const auto bytes_after = [&](WindowWay way) {
      WindowFilterSubject subject(program, way);
      for (const tests::WindowStep& step : program.steps) DoWindowStep(step, subject);
      std::vector<std::byte> bytes = subject.filter(0).Serialize();
      const std::vector<std::byte> more = subject.filter(1).Serialize();
      bytes.insert(bytes.end(), more.begin(), more.end());
      return bytes;
    };
    const std::vector<std::byte> want = bytes_after(WindowWay::kBatches);
    if (bytes_after(WindowWay::kPoints) != want) return "points leave other bytes";
    return bytes_after(WindowWay::kThreads) != want ? "threads leave other bytes" : "";
  });
}

}  // namespace
}  // namespace trommel
