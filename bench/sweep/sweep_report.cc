#include "bench/sweep/sweep_report.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/html/html_report.h"
#include "bench/html/range_chart.h"
#include "bench/sweep/sweep_plan.h"
#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

using enum Operation;

constexpr Operation kCompared[] = {kInsert, kErase, kQueryMiss, kQueryHit};
constexpr Encoding kEncodings[] = {Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16,
                                   Encoding::kFingerprints8};

FigureRange NsOf(const SweepFigure& figure) { return RangeOfRepetitions(figure.ns); }

std::string NameOf(const SweepFigure& figure) {
  return std::string(OperationName(figure.row.operation, figure.row.route));
}

std::string Keys(uint64_t num_keys) {
  if (num_keys >= 1'000'000) return Printed("%g M keys", static_cast<double>(num_keys) / 1e6);
  return Printed("%g k keys", static_cast<double>(num_keys) / 1e3);
}

// The rows of a sweep differ in one thing from its base case: a view holds those in which one thing
// varies and everything else is the base's.
class SweepView {
 public:
  SweepView(const MachineCard& card, const std::vector<SweepFigure>& figures)
      : card_(card), figures_(figures) {
    for (const SweepFigure& figure : figures) {
      if (!IsOfFilter(figure.row.operation)) continue;
      base_keys_ =
          std::max(base_keys_, figure.row.num_keys <= 30'000'000 ? figure.row.num_keys : 0);
      base_threads_ = std::min(base_threads_, figure.row.num_threads);
      if (!base_encoding_) base_encoding_ = figure.row.encoding;
    }
  }

  uint64_t base_keys() const { return base_keys_; }
  uint32_t base_threads() const { return base_threads_; }
  Encoding base_encoding() const { return base_encoding_.value_or(Encoding::kPlanes); }

  bool HasBaseTarget(const SweepRow& row) const { return row.target == card_.target; }
  bool HasBaseThreads(const SweepRow& row) const { return row.num_threads == base_threads_; }
  bool HasBaseBatch(const SweepRow& row) const { return row.batch == kSweepBatch; }
  bool HasBaseEncoding(const SweepRow& row) const {
    return IsHashing(row.operation) || row.encoding == base_encoding();
  }
  bool HasBaseKeys(const SweepRow& row) const { return row.num_keys == base_keys_; }
  bool IsAutomatic(const SweepRow& row) const { return row.route == Route::kAutomatic; }
  // Everything but the number of keys and the encoding is the base's.
  bool IsOfSizes(const SweepRow& row) const {
    return HasBaseTarget(row) && HasBaseThreads(row) && HasBaseBatch(row) &&
           !IsCeiling(row.operation);
  }

  void ForEach(const std::function<bool(const SweepRow&)>& chosen,
               const std::function<void(const SweepFigure&)>& visit) const {
    for (const SweepFigure& figure : figures_) {
      if (chosen(figure.row)) visit(figure);
    }
  }

  const SweepFigure* Find(Operation op, Route route, uint64_t num_keys, Encoding encoding) const {
    for (const SweepFigure& figure : figures_) {
      const SweepRow& row = figure.row;
      if (row.operation == op && row.route == route && row.num_keys == num_keys &&
          row.encoding == encoding && IsOfSizes(row)) {
        return &figure;
      }
    }
    return nullptr;
  }

 private:
  const MachineCard& card_;
  const std::vector<SweepFigure>& figures_;
  uint64_t base_keys_ = 0;
  uint32_t base_threads_ = ~uint32_t{0};
  std::optional<Encoding> base_encoding_;
};

// "2.4 [2.3 .. 2.5], 72 %"
std::string TimeAndShare(const SweepFigure& figure) {
  const FigureRange ns = NsOf(figure);
  std::string text = Printed("%.1f [%.1f .. %.1f]", ns.middle, ns.low, ns.high);
  if (figure.bound) text += Printed(", %.0f %%", 100 * figure.bound->ns / ns.middle);
  return text;
}

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
    return IsOfFilter(row.operation) && view.IsOfSizes(row) && view.HasBaseEncoding(row) &&
           view.IsAutomatic(row);
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
  for (const Operation op : kCompared) {
    RangeLines lines;
    const auto chosen = [&](const SweepRow& row) {
      return row.operation == op && view.IsOfSizes(row) && view.IsAutomatic(row);
    };
    std::set<Encoding> encodings;
    view.ForEach(chosen, [&](const SweepFigure& figure) {
      encodings.insert(figure.row.encoding);
      lines.Add(std::string(EncodingName(figure.row.encoding)),
                static_cast<double>(figure.row.num_keys), NsOf(figure));
    });
    if (encodings.size() < 2) continue;
    AddChart(section,
             {.title = std::string(OperationName(op, Route::kAutomatic)),
              .x_name = "keys",
              .y_name = "time per key",
              .unit = "ns",
              .log_x = true,
              .log_y = true},
             lines);
  }
  return section;
}

// The largest size up to 30 M keys: what each encoding takes there.
HtmlTable Summary(const SweepView& view) {
  HtmlTable table{
      .title = Printed("%s, %u thread%s", Keys(view.base_keys()).c_str(), view.base_threads(),
                       view.base_threads() == 1 ? "" : "s"),
      .text =
          "ns per key in large batches [the range of its repetitions], and how much of the "
          "speed that memory allows.",
      .head = {"encoding"}};
  for (const Operation op : kCompared) {
    table.head.emplace_back(OperationName(op, Route::kAutomatic));
  }
  for (const Encoding encoding : kEncodings) {
    std::vector<HtmlCell> row = {{std::string(EncodingName(encoding))}};
    bool is_measured = false;
    for (const Operation op : kCompared) {
      const SweepFigure* figure = view.Find(op, Route::kAutomatic, view.base_keys(), encoding);
      is_measured |= figure != nullptr;
      row.push_back({figure == nullptr ? "-" : TimeAndShare(*figure)});
    }
    if (is_measured) table.rows.push_back(std::move(row));
  }
  return table;
}

// Which encoding and route are fastest here, and by how much.
HtmlTable Choices(const SweepView& view, const std::vector<SweepFigure>& figures) {
  HtmlTable table{.title = "What to choose here",
                  .text =
                      "The fastest encoding and the faster route of this run, and how much "
                      "longer the next one takes; * where the repetitions overlap.",
                  .head = {"keys", "operation", "encoding", "the next", "takes",
                           "route (" + std::string(EncodingName(view.base_encoding())) + ")",
                           "the other takes"}};
  std::set<uint64_t> sizes;
  for (const SweepFigure& figure : figures) {
    if (IsOfFilter(figure.row.operation)) sizes.insert(figure.row.num_keys);
  }
  const auto ratio_text = [](const FigureRange& ratio) {
    return Printed("%.2f%s", ratio.middle, ratio.low <= 1 ? " *" : "");
  };
  for (const uint64_t num_keys : sizes) {
    for (const Operation op : kCompared) {
      std::vector<std::pair<FigureRange, std::string>> found;
      for (const Encoding encoding : kEncodings) {
        if (const SweepFigure* figure = view.Find(op, Route::kAutomatic, num_keys, encoding)) {
          found.emplace_back(NsOf(*figure), EncodingName(encoding));
        }
      }
      std::ranges::sort(found, {}, [](const auto& one) { return one.first.middle; });
      if (found.size() < 2) continue;
      std::vector<HtmlCell> row = {{Keys(num_keys)},
                                   {std::string(OperationName(op, Route::kAutomatic))},
                                   {found[0].second},
                                   {found[1].second},
                                   {ratio_text(RatioOf(found[1].first, found[0].first))}};
      const SweepFigure* direct = view.Find(op, Route::kDirect, num_keys, view.base_encoding());
      const SweepFigure* split = view.Find(op, Route::kSplit, num_keys, view.base_encoding());
      if (direct != nullptr && split != nullptr) {
        const bool is_direct = NsOf(*direct).middle <= NsOf(*split).middle;
        row.push_back({is_direct ? "direct" : "split"});
        row.push_back({ratio_text(is_direct ? RatioOf(NsOf(*split), NsOf(*direct))
                                            : RatioOf(NsOf(*direct), NsOf(*split)))});
      } else {
        row.push_back({"-"});
        row.push_back({"-"});
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

// Against the target in use; instruction sets in the card's order, best first.
HtmlSection Targets(const SweepView& view, const MachineCard& card) {
  HtmlSection section{.title = "By instruction set"};
  HtmlChart chart{.title = "Time against " + card.target + ", " + Keys(view.base_keys()),
                  .text = "How many times as long each instruction set takes. 1 is the one in use.",
                  .x_name = "instruction set",
                  .y_name = "time / time with " + card.target,
                  .unit = "times"};
  SetLabels(chart, card.runnable_targets);
  std::map<std::string, std::map<std::string, FigureRange>> by_operation;
  const auto chosen = [&](const SweepRow& row) {
    return !IsCeiling(row.operation) && view.HasBaseKeys(row) && view.HasBaseThreads(row) &&
           view.HasBaseBatch(row) && view.HasBaseEncoding(row) && view.IsAutomatic(row);
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
           view.HasBaseBatch(row) && view.HasBaseEncoding(row) && view.IsAutomatic(row);
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
           {.title = "Speed by threads, " + Keys(view.base_keys()),
            .text = Printed("How many times as fast as with %u.", view.base_threads()),
            .x_name = "threads",
            .y_name = "speed",
            .unit = "times"},
           speedups);

  RangeLines batches;
  const auto of_batches = [&](const SweepRow& row) {
    return IsOfFilter(row.operation) && view.HasBaseKeys(row) && view.HasBaseTarget(row) &&
           view.HasBaseThreads(row) && view.HasBaseEncoding(row) && view.IsAutomatic(row);
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
           {.title = "Time by batch, " + Keys(view.base_keys()),
            .text = "Keys per call.",
            .x_name = "keys per call",
            .y_name = "time per key",
            .unit = "ns",
            .log_x = true},
           batches);
  return section;
}

HtmlTable AllRows(const std::vector<SweepFigure>& figures) {
  HtmlTable table{.title = "All rows",
                  .text =
                      "Median over the repetitions, their range, and the share of what memory "
                      "allows.",
                  .head = {"row", "ns", "least", "most", "M keys/s", "share"}};
  for (const SweepFigure& figure : figures) {
    const FigureRange ns = NsOf(figure);
    table.rows.push_back({{figure.row.name},
                          {Printed("%.2f", ns.middle)},
                          {Printed("%.2f", ns.low)},
                          {Printed("%.2f", ns.high)},
                          {Printed("%.1f", 1e3 / ns.middle)},
                          {figure.bound ? Printed("%.0f %%", 100 * figure.bound->ns / ns.middle)
                                        : std::string("-")}});
  }
  return table;
}

std::vector<std::pair<std::string, std::string>> CardOf(const MachineCard& card) {
  std::string caches;
  for (const CacheInfo& cache : card.caches) {
    caches += Printed("%sL%u %llu KiB, shared by %u", caches.empty() ? "" : "; ", cache.level,
                      static_cast<unsigned long long>(cache.num_bytes >> 10), cache.num_sharing);
  }
  std::string targets;
  for (const std::string& target : card.runnable_targets) {
    targets += (targets.empty() ? "" : ", ") + target;
  }
  return {{"CPU", card.cpu_model},
          {"cores, threads", Printed("%u, %u", card.num_physical_cpus, card.num_logical_cpus)},
          {"caches", caches},
          {"memory", Printed("%.1f GiB", static_cast<double>(card.memory_bytes >> 20) / 1024)},
          {"huge pages", card.huge_pages},
          {"instruction set in use", card.target},
          {"others that it runs", targets},
          {"load when it began", Printed("%.2f", card.load_average[0])},
          {"kernel", card.kernel},
          {"Trommel", card.version},
          {"compiler", card.compiler + " " + card.compiler_flags},
          {"date", card.date}};
}

}  // namespace

std::string SweepHtml(const MachineCard& card, const std::vector<SweepFigure>& figures,
                      const std::string& command) {
  const SweepView view(card, figures);
  HtmlReport report{
      .title = "trommel bench: " + (card.cpu_model.empty() ? "this machine" : card.cpu_model),
      .subtitle = card.date,
      .command = command,
      .card = CardOf(card)};
  report.summary = Summary(view);
  if (card.load_average[0] > 0.5 * card.num_logical_cpus) {
    report.findings.push_back("Other programs were busy when this began: expect wide ranges.");
  }
  HtmlSection encodings = Encodings(view);
  if (HtmlTable choices = Choices(view, figures); !choices.rows.empty()) {
    encodings.tables.push_back(std::move(choices));
  }
  report.sections = {Sizes(view),
                     std::move(encodings),
                     Targets(view, card),
                     ThreadsAndBatches(view),
                     {.title = "Figures", .tables = {AllRows(figures)}}};
  std::erase_if(report.sections, [](const HtmlSection& section) {
    return section.charts.empty() && section.tables.empty();
  });
  return HtmlText(report);
}

}  // namespace trommel::bench
