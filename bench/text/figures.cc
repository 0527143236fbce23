#include "bench/text/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>

#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double Median(Figures figures) {
  if (figures.empty()) return kNone;
  std::ranges::sort(figures);
  const size_t middle = figures.size() / 2;
  return figures.size() % 2 == 1 ? figures[middle] : (figures[middle - 1] + figures[middle]) / 2;
}

Ratio PairedRatio(const Figures& over, const Figures& under) {
  if (over.empty() || over.size() != under.size()) return {kNone, kNone, kNone};
  Figures ratios(under.size());
  std::ranges::transform(over, under, ratios.begin(), [](double o, double u) { return o / u; });
  const auto [min, max] = std::ranges::minmax(ratios);
  return {Median(ratios), min, max};
}

std::string FormatTrial(const std::string& title, const std::vector<std::string>& side_names,
                        const std::vector<RatioColumn>& ratios, const std::vector<TrialRow>& rows) {
  size_t label_width = 0;
  for (const TrialRow& row : rows) label_width = std::max(label_width, row.label.size());
  const int width = static_cast<int>(label_width);
  std::string text = title + "\n" + Printed("%-*s", width, "");
  for (const std::string& name : side_names) text += Printed("  %10s", name.c_str());
  for (const RatioColumn& ratio : ratios) text += Printed("  %20s", ratio.title.c_str());
  text += "\n";
  for (const TrialRow& row : rows) {
    text += Printed("%-*s", width, row.label.c_str());
    for (size_t side = 0; side < row.sides.size(); ++side) {
      const double median = Median(row.sides[side]);
      const int side_width = std::max(10, static_cast<int>(side_names[side].size()));
      text += std::isnan(median) ? Printed("  %*s", side_width, "-")
                                 : Printed("  %*.2f", side_width, median);
    }
    for (const RatioColumn& column : ratios) {
      const Ratio ratio = PairedRatio(row.sides[column.over], row.sides[column.under]);
      const std::string cell = std::isnan(ratio.median) ? "-"
                                                        : Printed("%.2f [%.2f..%.2f]", ratio.median,
                                                                  ratio.min, ratio.max);
      text += Printed("  %*s", std::max(20, static_cast<int>(column.title.size())), cell.c_str());
    }
    text += "\n";
  }
  return text;
}

std::string TrialHeading(const std::string& sides, uint64_t rounds) {
  return "One thread, target " + std::string(ActiveTarget()) + sides + ". Medians of " +
         std::to_string(rounds) +
         " paired rounds; ratios are taken in each round: median [min..max].\n";
}

std::string Grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

std::string Printed(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  std::string text(static_cast<size_t>(std::vsnprintf(nullptr, 0, format, arguments)), '\0');
  va_end(arguments);
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

}  // namespace trommel::bench
