#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>

#include "bench/paper/report/writers.h"

namespace trommel::paper {
namespace {

constexpr std::array<const char*, 4> kColumns = {"paper", "formula", "exact model", "measured"};
constexpr size_t kColumnWidth = 17;
constexpr size_t kNoteIndent = 6;
constexpr size_t kChartWidth = 11;

std::string Right(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string Left(const std::string& text, size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

std::string TableText(const Table& table) {
  size_t width = 24;
  for (const Row& row : table.rows) width = std::max(width, row.what.size());
  std::string text = "== " + table.title + "\n" + Wrapped(table.text, 0) + "\n";
  text += Left("", width);
  for (const char* column : kColumns) text += Right(column, kColumnWidth);
  if (!table.instead.empty()) text += Right(table.instead, kColumnWidth);
  text += "  verdict\n";
  for (const Row& row : table.rows) {
    text += Left(row.what, width);
    for (const auto& figure : {row.paper, row.formula, row.exact}) {
      const std::string shown = FigureText(figure, row.unit);
      text += Right(shown.empty() ? "-" : shown, kColumnWidth);
    }
    const std::string shown = FigureText(row.measured, row.unit, row.measured_at_most);
    text += Right(shown.empty() ? "-" : shown, kColumnWidth);
    if (!table.instead.empty()) {
      const std::string other = FigureText(row.instead, row.unit);
      text += Right(other.empty() ? "-" : other, kColumnWidth);
    }
    text += "  " + std::string(VerdictName(Judge(row))) + "\n";
    text += Wrapped(row.note, kNoteIndent);
  }
  return text;
}

std::string ChartText(const Chart& chart) {
  std::string text = "== " + chart.title + ": " + chart.y_name + "\n" + Left(chart.x_name, 24);
  for (const Line& line : chart.lines) text += "  " + Right(line.name, kChartWidth);
  text += "\n";
  for (size_t i = 0; i < chart.x.size(); ++i) {
    text += Left(FigureText(chart.x[i], Unit::kNumber), 24);
    for (const Line& line : chart.lines) {
      const std::string shown = std::isnan(line.y[i]) ? "-" : FigureText(line.y[i], chart.unit);
      text += "  " + Right(shown, std::max(kChartWidth, line.name.size()));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string Wrapped(const std::string& text, size_t indent, size_t width) {
  std::string wrapped;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string current(indent, ' ');
    for (std::string word; words >> word;) {
      if (current.size() > indent && current.size() + 1 + word.size() > width) {
        wrapped += current + "\n";
        current.assign(indent, ' ');
      }
      if (current.size() > indent) current += ' ';
      current += word;
    }
    wrapped += (current.size() > indent ? current : "") + "\n";
  }
  return wrapped;
}

std::string ReportText(const Report& report) {
  std::string text = report.name + ": " + report.source + "\n\n";
  std::map<Verdict, size_t> num_rows;
  for (const Table& table : report.tables) {
    text += TableText(table) + "\n";
    for (const Row& row : table.rows) ++num_rows[Judge(row)];
  }
  for (const Chart& chart : report.charts) text += ChartText(chart) + "\n";
  std::string summary;
  for (const auto& [verdict, count] : num_rows) {
    if (!summary.empty()) summary += ", ";
    summary += std::to_string(count) + " " + std::string(VerdictName(verdict));
  }
  return text + "rows: " + summary + "\n";
}

}  // namespace trommel::paper
