#include "bench/sweep/sweep_report.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "bench/html/html_report.h"
#include "bench/sweep/sweep_plan.h"
#include "bench/sweep/sweep_tables.h"
#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

using enum Operation;

constexpr const char* kTextbook = "textbook filter";

void AddChart(HtmlSection& section, HtmlChart chart, const RangeLines& lines) {
  if (lines.empty()) return;
  lines.PutInto(chart);
  section.charts.push_back(std::move(chart));
}

HtmlSection Sizes(const SweepView& view) {
  HtmlSection section{.title = "By working set"};
  RangeLines times;
  RangeLines shares;
  const auto chosen = [&](const SweepRow& row) {
    return IsOfFilter(row.operation) && view.IsOfSizes(row) && view.HasBaseEncoding(row);
  };
  view.ForEach(chosen, [&](const SweepFigure& figure) {
    const double bytes = static_cast<double>(figure.footprint_bytes);
    const FigureRange ns = NsOf(figure);
    times.Add(NameOf(figure), bytes, ns);
    if (!figure.bound) return;
    const double bound = figure.bound->ns;
    shares.Add(NameOf(figure), bytes,
               {100 * bound / ns.middle, 100 * bound / ns.high, 100 * bound / ns.low});
    const bool reads = figure.bound->ceiling == kReadCeiling;
    times.AddBound(reads ? "ceiling of reads" : "ceiling of updates", bytes, bound);
  });
  const std::string encoding(EncodingName(view.base_encoding()));
  AddChart(section,
           {.title = "Time per key, " + encoding,
            .text = "By the bytes of the filter, in large batches. Dashed: what memory allows for "
                    "the lines that a key touches. Lower is better.",
            .x_name = "bytes",
            .y_name = "time per key",
            .unit = "ns",
            .log_x = true,
            .log_y = true},
           times);
  AddChart(section,
           {.title = "Share of memory's ceiling, " + encoding,
            .text = "Ceiling / time. In cache instructions matter more than lines. A ceiling is "
                    "itself a measurement: a share may be slightly above 100 %.",
            .x_name = "bytes",
            .y_name = "share",
            .unit = "%",
            .log_x = true},
           shares);
  return section;
}

HtmlSection Encodings(const SweepView& view) {
  HtmlSection section{.title = "By encoding"};
  for (const Operation op : kComparedOperations) {
    RangeLines lines;
    const auto chosen = [&](const SweepRow& row) {
      return row.operation == op && view.IsOfSizes(row);
    };
    std::set<std::string> names;
    view.ForEach(chosen, [&](const SweepFigure& figure) {
      const std::string name(EncodingName(figure.row.encoding));
      names.insert(name);
      lines.Add(name, static_cast<double>(figure.row.num_keys), NsOf(figure));
    });
    const auto of_textbook = [&](const SweepRow& row) {
      return row.operation == TextbookOf(op) && view.HasBaseTarget(row) && view.HasBaseBatch(row);
    };
    view.ForEach(of_textbook, [&](const SweepFigure& figure) {
      names.insert(kTextbook);
      lines.Add(kTextbook, static_cast<double>(figure.row.num_keys), NsOf(figure));
    });
    if (names.size() < 2) continue;
    AddChart(section,
             {.title = std::string(OperationName(op)),
              .x_name = "keys",
              .y_name = "time per key",
              .unit = "ns",
              .log_x = true,
              .log_y = true},
             lines);
  }
  return section;
}

// Against the target in use; instruction sets in the card's order, best first.
HtmlSection Targets(const SweepView& view, const MachineCard& card) {
  HtmlSection section{.title = "By instruction set"};
  HtmlChart chart{.title = "Time against " + card.target + ", " + KeysText(view.base_keys()),
                  .text = "How many times as long each instruction set takes. 1 is the one in use.",
                  .x_name = "instruction set",
                  .y_name = "time / time with " + card.target,
                  .unit = "times"};
  SetLabels(chart, card.runnable_targets);
  std::map<std::string, std::map<std::string, FigureRange>> by_operation;
  const auto chosen = [&](const SweepRow& row) {
    return !IsCeiling(row.operation) && view.HasBaseKeys(row) && view.HasBaseThreads(row) &&
           view.HasBaseBatch(row) && view.HasBaseEncoding(row);
  };
  view.ForEach(chosen, [&](const SweepFigure& figure) {
    by_operation[NameOf(figure)][figure.row.target] = NsOf(figure);
  });
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [name, by_target] : by_operation) {
    if (by_target.size() < 2 || !by_target.contains(card.target)) continue;
    HtmlLine line{.name = name, .is_points = true};
    for (const std::string& target : chart.labels) {
      const auto found = by_target.find(target);
      const FigureRange ratio = found == by_target.end()
                                    ? FigureRange{kNone, kNone, kNone}
                                    : RatioOf(found->second, by_target.at(card.target));
      line.y.push_back(ratio.middle);
      line.low.push_back(ratio.low);
      line.high.push_back(ratio.high);
    }
    chart.lines.push_back(std::move(line));
  }
  if (!chart.lines.empty()) section.charts.push_back(std::move(chart));
  return section;
}

HtmlSection ThreadsAndBatches(const SweepView& view) {
  HtmlSection section{.title = "By threads and batches"};
  std::map<std::string, FigureRange> of_one;
  const auto of_threads = [&](const SweepRow& row) {
    return !IsCeiling(row.operation) && view.HasBaseKeys(row) && view.HasBaseTarget(row) &&
           view.HasBaseBatch(row) && view.HasBaseEncoding(row);
  };
  view.ForEach(of_threads, [&](const SweepFigure& figure) {
    if (view.HasBaseThreads(figure.row)) of_one[NameOf(figure)] = NsOf(figure);
  });
  std::set<std::string> with_several;
  view.ForEach(of_threads, [&](const SweepFigure& figure) {
    if (!view.HasBaseThreads(figure.row)) with_several.insert(NameOf(figure));
  });
  RangeLines speedups;
  view.ForEach(of_threads, [&](const SweepFigure& figure) {
    if (!with_several.contains(NameOf(figure)) || !of_one.contains(NameOf(figure))) return;
    speedups.Add(NameOf(figure), figure.row.num_threads,
                 RatioOf(of_one.at(NameOf(figure)), NsOf(figure)));
    speedups.AddBound("in proportion", figure.row.num_threads,
                      static_cast<double>(figure.row.num_threads) / view.base_threads());
  });
  AddChart(section,
           {.title = "Speed by threads, " + KeysText(view.base_keys()),
            .text = Printed("How many times as fast as with %u.", view.base_threads()),
            .x_name = "threads",
            .y_name = "speed",
            .unit = "times"},
           speedups);

  RangeLines batches;
  const auto of_batches = [&](const SweepRow& row) {
    return IsOfFilter(row.operation) && view.HasBaseKeys(row) && view.HasBaseTarget(row) &&
           view.HasBaseThreads(row) && view.HasBaseEncoding(row);
  };
  std::set<uint64_t> sizes;
  view.ForEach(of_batches, [&](const SweepFigure& figure) { sizes.insert(figure.row.batch); });
  if (sizes.size() > 1) {
    view.ForEach(of_batches, [&](const SweepFigure& figure) {
      const Operation op = figure.row.operation;
      if (op != kInsert && op != kErase && op != kQueryHit) return;
      batches.Add(NameOf(figure), static_cast<double>(figure.row.batch), NsOf(figure));
    });
  }
  AddChart(section,
           {.title = "Time by batch, " + KeysText(view.base_keys()),
            .text = "Keys per call.",
            .x_name = "keys per call",
            .y_name = "time per key",
            .unit = "ns",
            .log_x = true},
           batches);
  return section;
}

}  // namespace

std::string SweepLine(const MachineCard& card, const std::vector<SweepFigure>& figures) {
  const SweepView view(card, figures);
  const std::string keys = KeysText(view.base_keys());
  std::string ours;
  std::string textbook;
  std::string share;
  for (const Operation op : kComparedOperations) {
    const SweepFigure* const figure = view.Find(op, view.base_keys(), view.base_encoding());
    if (figure == nullptr) continue;
    const char* const comma = ours.empty() ? "" : ", ";
    ours += comma + NameOf(*figure) + Printed(" %.1f", NsOf(*figure).middle);
    if (figure->bound) {
      share = Printed("; %.0f %% of what memory allows for %s",
                      100 * figure->bound->ns / NsOf(*figure).middle, NameOf(*figure).c_str());
    }
    if (const SweepFigure* const other = view.FindTextbook(op, view.base_keys())) {
      textbook += (textbook.empty() ? "" : ", ") + Printed("%.1f", NsOf(*other).middle);
    }
  }
  if (ours.empty()) return "";
  return Printed("Trommel %s, %s, %s, %u thread%s, %s of %s: ", card.version.c_str(),
                 card.cpu_model.empty() ? "unknown CPU" : card.cpu_model.c_str(),
                 card.target.c_str(), view.base_threads(), view.base_threads() == 1 ? "" : "s",
                 keys.c_str(), std::string(EncodingName(view.base_encoding())).c_str()) +
         ours + " ns per key" + (textbook.empty() ? "" : "; the textbook's filter " + textbook) +
         share;
}

std::string SweepHtml(const MachineCard& card, const std::vector<SweepFigure>& figures,
                      const std::string& command) {
  const SweepView view(card, figures);
  HtmlReport report{
      .title = "trommel bench: " + (card.cpu_model.empty() ? "this machine" : card.cpu_model),
      .subtitle = card.date,
      .command = command,
      .card = CardRows(card)};
  report.summary = SummaryTable(view);
  if (std::string line = SweepLine(card, figures); !line.empty()) {
    report.findings.push_back(std::move(line));
  }
  if (card.load_average[0] > 0.5 * card.num_logical_cpus) {
    report.findings.push_back("Other programs were busy when this began: expect wide ranges.");
  }
  HtmlSection encodings = Encodings(view);
  if (HtmlTable choices = ChoicesTable(view, figures); !choices.rows.empty()) {
    encodings.tables.push_back(std::move(choices));
  }
  report.sections = {Sizes(view),
                     std::move(encodings),
                     Targets(view, card),
                     ThreadsAndBatches(view),
                     {.title = "Figures", .tables = {RowsTable(figures)}}};
  std::erase_if(report.sections, [](const HtmlSection& section) {
    return section.charts.empty() && section.tables.empty();
  });
  return HtmlText(report);
}

}  // namespace trommel::bench
