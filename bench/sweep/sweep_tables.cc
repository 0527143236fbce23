#include "bench/sweep/sweep_tables.h"

#include <algorithm>
#include <set>
#include <utility>

#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

constexpr Encoding kEncodings[] = {Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16,
                                   Encoding::kDense};

// "2.4 [2.3 .. 2.5], 72 %"
std::string TimeAndShare(const SweepFigure& figure) {
  const FigureRange ns = NsOf(figure);
  std::string text = Printed("%.1f [%.1f .. %.1f]", ns.middle, ns.low, ns.high);
  if (figure.bound) text += Printed(", %.0f %%", 100 * figure.bound->ns / ns.middle);
  return text;
}

}  // namespace

HtmlTable SummaryTable(const SweepView& view) {
  HtmlTable table{
      .title = Printed("%s, %u thread%s", KeysText(view.base_keys()).c_str(), view.base_threads(),
                       view.base_threads() == 1 ? "" : "s"),
      .text =
          "ns per key in large batches [the range of its repetitions], and how much of the "
          "speed that memory allows.",
      .head = {"encoding"}};
  for (const Operation op : kComparedOperations) {
    table.head.emplace_back(OperationName(op));
  }
  for (const Encoding encoding : kEncodings) {
    std::vector<HtmlCell> row = {{std::string(EncodingName(encoding))}};
    bool is_measured = false;
    for (const Operation op : kComparedOperations) {
      const SweepFigure* figure = view.Find(op, view.base_keys(), encoding);
      is_measured |= figure != nullptr;
      row.push_back({figure == nullptr ? "-" : TimeAndShare(*figure)});
    }
    if (is_measured) table.rows.push_back(std::move(row));
  }
  std::vector<HtmlCell> textbook = {{"textbook filter"}};
  for (const Operation op : kComparedOperations) {
    if (const SweepFigure* figure = view.FindTextbook(op, view.base_keys())) {
      textbook.push_back({TimeAndShare(*figure)});
    }
  }
  if (textbook.size() == table.head.size()) table.rows.push_back(std::move(textbook));
  return table;
}

HtmlTable ChoicesTable(const SweepView& view, const std::vector<SweepFigure>& figures) {
  HtmlTable table{.title = "What to choose here",
                  .text =
                      "The fastest encoding of this run, and how much longer the next one takes; * "
                      "where the repetitions overlap.",
                  .head = {"keys", "operation", "encoding", "the next", "takes"}};
  std::set<uint64_t> sizes;
  for (const SweepFigure& figure : figures) {
    if (IsOfFilter(figure.row.operation)) sizes.insert(figure.row.num_keys);
  }
  for (const uint64_t num_keys : sizes) {
    for (const Operation op : kComparedOperations) {
      std::vector<std::pair<FigureRange, std::string>> found;
      for (const Encoding encoding : kEncodings) {
        if (const SweepFigure* figure = view.Find(op, num_keys, encoding)) {
          found.emplace_back(NsOf(*figure), EncodingName(encoding));
        }
      }
      std::ranges::sort(found, {}, [](const auto& one) { return one.first.middle; });
      if (found.size() < 2) continue;
      const FigureRange ratio = RatioOf(found[1].first, found[0].first);
      table.rows.push_back({{KeysText(num_keys)},
                            {std::string(OperationName(op))},
                            {found[0].second},
                            {found[1].second},
                            {Printed("%.2f%s", ratio.middle, ratio.low <= 1 ? " *" : "")}});
    }
  }
  return table;
}

HtmlTable RowsTable(const std::vector<SweepFigure>& figures) {
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

std::vector<std::pair<std::string, std::string>> CardRows(const MachineCard& card) {
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

SweepView::SweepView(const MachineCard& card, const std::vector<SweepFigure>& figures)
    : card_(card), figures_(figures) {
  for (const SweepFigure& figure : figures) {
    if (!IsOfFilter(figure.row.operation)) continue;
    base_keys_ = std::max(base_keys_, figure.row.num_keys <= 30'000'000 ? figure.row.num_keys : 0);
    base_threads_ = std::min(base_threads_, figure.row.num_threads);
    if (!base_encoding_) base_encoding_ = figure.row.encoding;
  }
}

const SweepFigure* SweepView::FindIf(const std::function<bool(const SweepRow&)>& chosen) const {
  const auto found = std::ranges::find_if(figures_, chosen, &SweepFigure::row);
  return found == figures_.end() ? nullptr : &*found;
}

const SweepFigure* SweepView::Find(Operation op, uint64_t num_keys, Encoding encoding) const {
  return FindIf([&](const SweepRow& row) {
    return row.operation == op && row.num_keys == num_keys && row.encoding == encoding &&
           IsOfSizes(row);
  });
}

const SweepFigure* SweepView::FindTextbook(Operation op, uint64_t num_keys) const {
  return FindIf([&](const SweepRow& row) {
    return row.operation == TextbookOf(op) && row.num_keys == num_keys && HasBaseTarget(row) &&
           HasBaseBatch(row);
  });
}

FigureRange NsOf(const SweepFigure& figure) { return RangeOfRepetitions(figure.ns); }

std::string NameOf(const SweepFigure& figure) {
  return std::string(OperationName(figure.row.operation));
}

std::string KeysText(uint64_t num_keys) {
  if (num_keys >= 1'000'000) return Printed("%g M keys", static_cast<double>(num_keys) / 1e6);
  return Printed("%g k keys", static_cast<double>(num_keys) / 1e3);
}

}  // namespace trommel::bench
