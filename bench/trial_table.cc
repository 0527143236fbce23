#include "bench/trial_table.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace trommel::bench {
namespace {

std::string Text(const char* format, ...) {
  char buffer[160];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof(buffer), format, arguments);
  va_end(arguments);
  return buffer;
}

}  // namespace

std::string FormatTrial(const std::string& title, const std::vector<std::string>& side_names,
                        const std::vector<RatioColumn>& ratios, const std::vector<TrialRow>& rows) {
  size_t label_width = 0;
  for (const TrialRow& row : rows) label_width = std::max(label_width, row.label.size());
  const int width = static_cast<int>(label_width);
  std::string text = title + "\n" + Text("%-*s", width, "");
  for (const std::string& name : side_names) text += Text("  %10s", name.c_str());
  for (const RatioColumn& ratio : ratios) text += Text("  %20s", ratio.title.c_str());
  text += "\n";
  for (const TrialRow& row : rows) {
    text += Text("%-*s", width, row.label.c_str());
    for (const Figures& figures : row.sides) {
      const double median = Median(figures);
      text += std::isnan(median) ? Text("  %10s", "-") : Text("  %10.2f", median);
    }
    for (const RatioColumn& column : ratios) {
      const Ratio ratio = PairedRatio(row.sides[column.over], row.sides[column.under]);
      const std::string cell = std::isnan(ratio.median)
                                   ? "-"
                                   : Text("%.2f [%.2f..%.2f]", ratio.median, ratio.min, ratio.max);
      text += Text("  %20s", cell.c_str());
    }
    text += "\n";
  }
  return text;
}

}  // namespace trommel::bench
