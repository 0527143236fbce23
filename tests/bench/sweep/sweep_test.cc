// A whole sweep, as short as possible: figures, records, and early ends.
#include "bench/sweep/sweep.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

SweepOptions Short(std::string filter) {
  SweepOptions options;
  options.filter = std::move(filter);
  options.quick = true;
  options.sizes = {1000};
  options.threads = {1, 2};
  options.targets = {std::string(RunnableTargets().back())};
  options.seconds_per_figure = 1e-5;
  return options;
}

SweepPlan PlanOf(const SweepOptions& options) {
  const Result<SweepPlan> plan = MakePlan(options, ReadMachineCard());
  if (!plan.ok()) throw std::runtime_error(plan.error().message);
  return *plan;
}

TEST_CASE("every row of a filter gets a figure and its repetitions", "[bench][sweep]") {
  const SweepPlan plan = PlanOf(Short("keys:"));  // less the machine's ceilings, which take memory
  size_t num_started = 0;
  std::vector<SweepFigure> figures;
  SweepHooks hooks;
  hooks.starting = [&](size_t row_idx, const SweepRow&) { CHECK(row_idx == num_started++); };
  hooks.measured = [&](const SweepFigure& figure) { figures.push_back(figure); };
  const std::string target(ActiveTarget());
  const Result<SweepResult> result = RunSweep(plan, hooks);
  REQUIRE(result.ok());
  CHECK(result->wrong.empty());
  CHECK_FALSE(result->stopped);
  CHECK(num_started == plan.rows.size());
  REQUIRE(figures.size() == plan.rows.size());
  CHECK(ActiveTarget() == target);
  CHECK(result->filter_bytes > 1000);

  const std::vector<nlohmann::json> entries = nlohmann::json::parse("[" + result->entries + "]");
  for (const SweepFigure& figure : figures) {
    INFO(figure.row.name);
    CHECK(figure.ns.size() == plan.repetitions);
    CHECK(std::ranges::all_of(figure.ns, [](double ns) { return ns > 0; }));
    CHECK(figure.bound.has_value() == !CeilingsOf(figure.row).empty());
    const Operation op = figure.row.operation;
    CHECK((figure.footprint_bytes > 0) == (IsOfFilter(op) || IsOfTextbook(op)));
    const auto is_repetition = [&](const nlohmann::json& entry) {
      return entry["run_name"] == figure.row.name && entry["run_type"] == "iteration";
    };
    CHECK(std::ranges::count_if(entries, is_repetition) == plan.repetitions);
  }
  for (const nlohmann::json& entry : entries) {
    const std::string run_name = entry["run_name"];
    INFO(entry["name"]);
    const auto has_name = [&](const nlohmann::json& other) {
      return other["name"] == entry["name"];
    };
    CHECK(std::ranges::count_if(entries, has_name) <= plan.repetitions);
    CHECK(entry["label"] != "");
    CHECK(run_name.ends_with("/threads:" + std::to_string(entry["threads"].get<int>())));
    if (entry["run_type"] == "aggregate") {
      CHECK(entry["name"] == run_name + "_" + entry["aggregate_name"].get<std::string>());
      continue;
    }
    const double ns = entry["ns_per_key"];
    CHECK(entry["time_unit"] == "ns");
    CHECK(entry["real_time"] == Approx(entry["keys_per_step"].get<double>() * ns).epsilon(0.01));
    CHECK(entry["items_per_second"] == Approx(1e9 / ns).epsilon(0.01));
    CHECK(entry["cpu_time"] > 0);
  }
}

TEST_CASE("a sweep can be stopped between rows and within one", "[bench][sweep]") {
  const int num_asked_before = GENERATE(0, 1, 2);
  int num_queried = 0;
  int num_measured = 0;
  SweepHooks hooks;
  hooks.should_stop = [&] { return num_queried++ >= num_asked_before; };
  hooks.measured = [&](const SweepFigure&) { ++num_measured; };
  const Result<SweepResult> result = RunSweep(PlanOf(Short("^query_hit")), hooks);
  REQUIRE(result.ok());
  CHECK(result->stopped);
  CHECK(num_measured == 0);
}

}  // namespace
}  // namespace trommel::bench
