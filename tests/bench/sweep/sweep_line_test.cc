// The line of a sweep: our times and those of the textbook's filter.

#include <string>
#include <vector>

#include "bench/sweep/made_card.h"
#include "bench/sweep/sweep.h"
#include "bench/sweep/sweep_report.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a sweep's line has the CPU, our times and the textbook's", "[bench][sweep_line]") {
  MachineCard card = ReadMachineCard();
  card.cpu_model = "Abacus 9000";
  const Result<SweepPlan> plan = MakePlan({.filter = "^(insert|erase|query_hit|query_miss|textbook)"
                                                     ".*/target:best/batch:1Mi/threads:1$",
                                           .sizes = {1000},
                                           .threads = {1},
                                           .targets = {card.target},
                                           .seconds_per_figure = 1e-5,
                                           .encodings = {Encoding::kPlanes}},
                                          card);
  REQUIRE(plan.ok());
  std::vector<SweepFigure> figures;
  SweepHooks hooks;
  hooks.measured = [&](const SweepFigure& figure) { figures.push_back(figure); };
  const Result<SweepResult> result = RunSweep(*plan, hooks);
  REQUIRE(result.ok());
  CHECK(result->wrong.empty());
  const std::string line = SweepLine(card, figures);
  CAPTURE(line);
  CHECK(line.starts_with("Trommel "));
  CHECK(line.find('\n') == std::string::npos);
  CHECK_THAT(line, ContainsSubstring("Abacus 9000, " + card.target + ", 1 thread, 1 k keys of "));
  CHECK_THAT(line, ContainsSubstring("planes: insert "));
  CHECK_THAT(line, ContainsSubstring("ns per key; the textbook's filter "));
  const std::string page = SweepHtml(card, figures, "trommel bench");
  CHECK_THAT(page, ContainsSubstring("textbook filter"));
  CHECK(SweepLine(card, {}).empty());
}

}  // namespace
}  // namespace trommel::bench
