// trommel size --measure: how fast filters of these sizings are on this machine.
#include <fmt/core.h>

#include <optional>
#include <utility>
#include <vector>

#include "tools/trommel/commands/size.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {

int MeasureSizings(std::span<const Sizing> sizings, const Settings& settings, Speeds& speeds) {
  std::vector<bench::SpeedSide> sides;
  for (const Sizing& sizing : sizings) {
    const Result<bench::SpeedSide> side = bench::SpeedSideOf(sizing);
    if (!side.ok()) return Fail(kUsageError, "--measure: " + side.error().message);
    sides.push_back(*side);
  }
  NoteInterrupts();
  Progress progress("measuring", settings.quiet, std::nullopt);
  bench::SpeedHooks hooks;
  hooks.should_stop = [] { return NotedInterrupt() != 0; };
  hooks.measuring = [&progress](size_t done, size_t total) {
    if (progress.IsDue()) progress.Draw(fmt::format("figure {} of {}", done + 1, total));
  };
  Result<bench::SpeedResult> result = bench::MeasureSpeeds(sides, hooks);
  progress.Clear();
  if (!result.ok()) return FailOnRequest(result.error());
  if (!result->wrong.empty()) return Fail(kNegativeAnswer, "wrong answer: " + result->wrong);
  if (result->stopped) return Fail(kBadInput, "interrupted");
  speeds = std::move(result->sides);
  return kDone;
}

}  // namespace trommel::tool
