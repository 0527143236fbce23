// A whole sweep, as short as possible: figures, records, and early ends.
#include "bench/sweep/sweep.h"

#include <algorithm>
#include <string>

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

  for (const SweepFigure& figure : figures) {
    INFO(figure.row.name);
    CHECK(figure.ns.size() == plan.repetitions);
    CHECK(std::ranges::all_of(figure.ns, [](double ns) { return ns > 0; }));
    CHECK(figure.bound.has_value() == !CeilingsOf(figure.row).empty());
    const Operation op = figure.row.operation;
    CHECK((figure.footprint_bytes > 0) == (IsOfFilter(op) || IsOfTextbook(op)));
    const auto is_repetition = [&](const RunRecord& record) {
      return record.run_name == figure.row.name && record.run_type == "iteration";
    };
    CHECK(std::ranges::count_if(result->records, is_repetition) == plan.repetitions);
  }
  for (const RunRecord& record : result->records) {
    INFO(record.name);
    CHECK(std::ranges::count(result->records, record.name, &RunRecord::name) <= plan.repetitions);
    CHECK_FALSE(record.label.empty());
    if (record.run_type == "aggregate") {
      CHECK(record.name == record.run_name + "_" + record.aggregate_name);
      continue;
    }
    const double keys = record.Counter("keys_per_step", 0);
    CHECK(record.real_time == Approx(keys * record.Counter("ns_per_key", 0)).epsilon(0.01));
    CHECK(record.Counter("items_per_second", 0) ==
          Approx(1e9 / record.Counter("ns_per_key", 1)).epsilon(0.01));
    CHECK(record.cpu_time > 0);
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
