#include "bench/ratio_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace trommel::bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string Cell(const char* format, double value, int width) {
  char text[32] = "-";
  if (!std::isnan(value)) std::snprintf(text, sizeof(text), format, value);
  char padded[48];
  std::snprintf(padded, sizeof(padded), "%*s", width, text);
  return padded;
}

std::string RatioCell(const Ratio& ratio) {
  char text[48] = "-";
  if (!std::isnan(ratio.median)) {
    std::snprintf(text, sizeof(text), "%.2f [%.2f..%.2f]", ratio.median, ratio.min, ratio.max);
  }
  char padded[64];
  std::snprintf(padded, sizeof(padded), "%22s", text);
  return padded;
}

}  // namespace

double Median(Figures figures) {
  if (figures.empty()) return kNone;
  std::ranges::sort(figures);
  const size_t middle = figures.size() / 2;
  return figures.size() % 2 == 1 ? figures[middle] : (figures[middle - 1] + figures[middle]) / 2;
}

Ratio PairedRatio(const Figures& theirs, const Figures& ours) {
  if (theirs.empty() || theirs.size() != ours.size()) return {kNone, kNone, kNone};
  Figures ratios(ours.size());
  std::ranges::transform(theirs, ours, ratios.begin(), [](double t, double o) { return t / o; });
  const auto [min, max] = std::ranges::minmax(ratios);
  return {Median(ratios), min, max};
}

std::string FormatTable(const std::string& title, const std::vector<TableRow>& rows) {
  std::string table = title + "\n";
  table +=
      "                  |  trommel   +hash  ceiling share | textbook         textbook/trommel |"
      " unprefetched           /trommel | split-block        trommel/split\n";
  for (const TableRow& row : rows) {
    char operation[32];
    std::snprintf(operation, sizeof(operation), "%-17s", row.operation.c_str());
    table += operation;
    table += " | " + Cell("%.1f", Median(row.ours), 8) + Cell("%.1f", Median(row.ours_hashing), 8);
    table += Cell("%.1f", Median(row.ceiling), 9);
    table += Cell("%.0f%%", 100 * PairedRatio(row.ceiling, row.ours).median, 6);
    table += " | " + Cell("%.1f", Median(row.textbook), 8) + "  ";
    table += RatioCell(PairedRatio(row.textbook, row.ours));
    table += "  | " + Cell("%.1f", Median(row.textbook_unprefetched), 9);
    table += RatioCell(PairedRatio(row.textbook_unprefetched, row.ours));
    table += " | " + Cell("%.1f", Median(row.split_block), 9);
    table += RatioCell(PairedRatio(row.ours, row.split_block)) + "\n";
  }
  return table;
}

}  // namespace trommel::bench
