#include <fmt/core.h>

#include <utility>

#include "bench/html/html_report.h"
#include "bench/sweep/sweep_tables.h"
#include "tools/trommel/commands/stress_print.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

using bench::CellKind;
using bench::HtmlCell;
using bench::HtmlChart;
using bench::HtmlLine;
using bench::HtmlReport;
using bench::HtmlSection;
using bench::HtmlTable;

HtmlSection BrokenInvariant(const stress::Violation& violation, const stress::RoundPlan& plan,
                            const StressRun& run) {
  HtmlSection section{
      .title = "The violated invariant",
      .text =
          fmt::format("{}. Found by {}: {}", InvariantSentence(violation.invariant),
                      stress::ThreadName(violation.thread, plan.num_writers), violation.detail)};
  HtmlTable events{.title = violation.id ? "The last calls with this key" : "The last calls",
                   .text = "Times are of a clock that counts calls. Again: " + run.again,
                   .head = {"begin", "end", "thread", "operation", "answer", "place in batch"}};
  for (const stress::Event& event : violation.events) {
    events.rows.push_back({{FormatCount(event.begin)},
                           {FormatCount(event.end)},
                           {stress::ThreadName(event.thread, plan.num_writers)},
                           {std::string(OpName(event.op))},
                           {fmt::format("{}", event.answer)},
                           {fmt::format("{} of {}", event.position, event.batch)}});
  }
  section.tables.push_back(std::move(events));
  return section;
}

HtmlChart SpeedOverTime(const std::vector<StressSample>& samples) {
  HtmlChart chart{.title = "Speed over time",
                  .text = "Keys of all threads per second, model and checks included.",
                  .x_name = "seconds",
                  .y_name = "keys per second",
                  .unit = "M"};
  HtmlLine line{.name = "all threads"};
  for (size_t i = 1; i < samples.size(); ++i) {
    const double seconds = samples[i].seconds - samples[i - 1].seconds;
    if (seconds <= 0) continue;
    chart.x.push_back(samples[i].seconds);
    line.y.push_back(static_cast<double>(samples[i].num_keys - samples[i - 1].num_keys) / seconds /
                     1e6);
  }
  chart.lines.push_back(std::move(line));
  return chart;
}

HtmlSection Mixes(const stress::CampaignOptions& options, const stress::CampaignResult& result) {
  HtmlSection section{.title = "By mix"};
  HtmlChart chart{.title = "Keys and checked answers",
                  .text = "A checked answer is one that the exact model was sure of.",
                  .x_name = "mix",
                  .y_name = "number"};
  HtmlLine keys{.name = "keys", .is_points = true};
  HtmlLine checked{.name = "checked answers", .is_points = true};
  std::vector<std::string> names;
  HtmlTable table{.head = {"mix", "what it does", "rounds", "keys", "checked", "promoted blocks"}};
  for (size_t i = 0; i < result.mixes.size(); ++i) {
    const stress::MixTotals& mix = result.mixes[i];
    if (mix.num_rounds == 0) continue;
    names.emplace_back(options.mixes[i].name);
    keys.y.push_back(static_cast<double>(mix.totals.num_all_keys()));
    checked.y.push_back(static_cast<double>(mix.totals.num_checked));
    table.rows.push_back({{std::string(options.mixes[i].name)},
                          {std::string(options.mixes[i].what)},
                          {FormatCount(mix.num_rounds)},
                          {FormatCount(mix.totals.num_all_keys())},
                          {FormatCount(mix.totals.num_checked)},
                          {FormatCount(mix.max_promoted)}});
  }
  bench::SetLabels(chart, std::move(names));
  chart.lines = {std::move(keys), std::move(checked)};
  section.charts.push_back(std::move(chart));
  section.tables.push_back(std::move(table));
  return section;
}

HtmlTable Operations(const stress::Totals& totals) {
  HtmlTable table{.title = "Operations", .head = {"operation", "keys"}};
  for (size_t op = 0; op < stress::kNumOps; ++op) {
    if (totals.num_keys[op] == 0) continue;
    table.rows.push_back(
        {{std::string(OpName(static_cast<stress::Op>(op)))}, {FormatCount(totals.num_keys[op])}});
  }
  for (const auto& [what, number] :
       {std::pair<const char*, uint64_t>{"races for one \"new\"", totals.num_races},
        {"snapshots beside writers", totals.num_audits},
        {"insertions refused by limits", totals.num_refused},
        {"erasures of absent keys, refused", totals.num_refused_erases}}) {
    table.rows.push_back({{what}, {FormatCount(number)}});
  }
  return table;
}

}  // namespace

std::string StressHtml(const stress::CampaignOptions& options, const stress::CampaignResult& result,
                       const StressRun& run, const bench::MachineCard& card) {
  HtmlReport report{.title = "trommel stress", .command = run.command};
  std::string types;
  for (const FilterType type : options.types) {
    types += (types.empty() ? "" : ", ") + std::string(FilterTypeName(type));
  }
  report.subtitle = fmt::format("{}, {}{}, {}, seed {}", types, EncodingText(options),
                                FormatCount(options.num_writers, "writer"),
                                FormatCount(options.num_readers, "reader"), options.seed);
  report.findings.push_back(fmt::format(
      "{} keys in {} and {:.1f} s; {} answers were compared with an exact model.",
      FormatCount(result.totals.num_all_keys()), FormatCount(result.num_rounds, "round"),
      run.seconds, FormatCount(result.totals.num_checked)));
  report.findings.push_back(run.outcome);
  if (result.violation && result.broken_round) {
    report.sections.push_back(BrokenInvariant(*result.violation, *result.broken_round, run));
  }
  report.sections.push_back(Mixes(options, result));
  if (run.samples.size() > 2) report.sections.back().charts.push_back(SpeedOverTime(run.samples));
  report.sections.push_back({.title = "Figures", .tables = {Operations(result.totals)}});
  report.card = bench::CardRows(card);
  return bench::HtmlText(report);
}

}  // namespace trommel::tool
