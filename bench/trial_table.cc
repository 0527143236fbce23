#include "bench/trial_table.h"

#include <algorithm>
#include <cmath>

#include "bench/printed.h"

namespace trommel::bench {
namespace {}  // namespace

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
    for (const Figures& figures : row.sides) {
      const double median = Median(figures);
      text += std::isnan(median) ? Printed("  %10s", "-") : Printed("  %10.2f", median);
    }
    for (const RatioColumn& column : ratios) {
      const Ratio ratio = PairedRatio(row.sides[column.over], row.sides[column.under]);
      const std::string cell = std::isnan(ratio.median) ? "-"
                                                        : Printed("%.2f [%.2f..%.2f]", ratio.median,
                                                                  ratio.min, ratio.max);
      text += Printed("  %20s", cell.c_str());
    }
    text += "\n";
  }
  return text;
}

}  // namespace trommel::bench
