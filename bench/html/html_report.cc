#include "bench/html/html_report.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/html/assets.h"

namespace trommel::bench {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const HtmlLine& line) {
  Json json = {{"name", line.name}, {"y", line.y}};  // NaN becomes null
  if (!line.low.empty()) {
    json["low"] = line.low;
    json["high"] = line.high;
  }
  if (line.is_points) json["is_points"] = true;
  if (line.is_dashed) json["is_dashed"] = true;
  if (line.colour_of) json["colour_of"] = *line.colour_of;
  return json;
}

Json ToJson(const HtmlChart& chart) {
  Json json = {{"title", chart.title},   {"text", chart.text},   {"x_name", chart.x_name},
               {"y_name", chart.y_name}, {"unit", chart.unit},   {"x", chart.x},
               {"log_x", chart.log_x},   {"log_y", chart.log_y}, {"y_from_zero", chart.y_from_zero},
               {"lines", Json::array()}};
  if (!chart.labels.empty()) json["labels"] = chart.labels;
  for (const HtmlLine& line : chart.lines) json["lines"].push_back(ToJson(line));
  return json;
}

Json ToJson(const HtmlTable& table) {
  static constexpr const char* kClasses[] = {"", "good", "bad"};
  Json rows = Json::array();
  Json classes = Json::array();
  for (const std::vector<HtmlCell>& row : table.rows) {
    Json texts = Json::array();
    Json kinds = Json::array();
    for (const HtmlCell& cell : row) {
      texts.push_back(cell.text);
      kinds.push_back(kClasses[static_cast<size_t>(cell.kind)]);
    }
    rows.push_back(std::move(texts));
    classes.push_back(std::move(kinds));
  }
  return {{"title", table.title},
          {"text", table.text},
          {"head", table.head},
          {"rows", std::move(rows)},
          {"classes", std::move(classes)}};
}

Json ToJson(const HtmlSection& section) {
  Json json = {{"title", section.title},
               {"text", section.text},
               {"charts", Json::array()},
               {"tables", Json::array()}};
  for (const HtmlChart& chart : section.charts) json["charts"].push_back(ToJson(chart));
  for (const HtmlTable& table : section.tables) json["tables"].push_back(ToJson(table));
  return json;
}

std::string DataOf(const HtmlReport& report) {
  Json json = {{"title", report.title},     {"subtitle", report.subtitle},
               {"command", report.command}, {"findings", report.findings},
               {"sections", Json::array()}, {"card", Json::array()}};
  if (!report.summary.rows.empty()) json["summary"] = ToJson(report.summary);
  for (const HtmlSection& section : report.sections) json["sections"].push_back(ToJson(section));
  for (const auto& [field, value] : report.card) json["card"].push_back({field, value});
  // "</script>" in a text would end the element that holds the data.
  std::string escaped;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

void SetLabels(HtmlChart& chart, std::vector<std::string> labels) {
  chart.labels = std::move(labels);
  chart.x.clear();
  for (size_t i = 0; i < chart.labels.size(); ++i) chart.x.push_back(static_cast<double>(i));
}

std::string HtmlText(const HtmlReport& report) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Nothing is loaded from anywhere, whatever the data says.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
      "<title>Report</title>\n<style>\n";
  html += kUplotStyle;
  html += kReportStyle;
  html += "</style>\n</head>\n<body>\n<main></main>\n<script>\n";
  html += kUplotScript;
  html += "</script>\n<script type=\"application/json\" id=\"report\">\n" + DataOf(report) +
          "\n</script>\n<script>\n";
  html += kReportScript;
  html += "</script>\n</body>\n</html>\n";
  return html;
}

FigureRange RangeOfRepetitions(std::vector<double> repetitions) {
  std::ranges::sort(repetitions);
  return {repetitions[repetitions.size() / 2], repetitions.front(), repetitions.back()};
}

FigureRange RatioOf(const FigureRange& over, const FigureRange& under) {
  return {over.middle / under.middle, over.low / under.high, over.high / under.low};
}

RangeLines::Line& RangeLines::Find(const std::string& name, bool is_bound) {
  for (Line& line : lines_) {
    if (line.name == name) return line;
  }
  return lines_.emplace_back(Line{.name = name, .is_bound = is_bound});
}

void RangeLines::Add(const std::string& line, double x, const FigureRange& figure) {
  Find(line, false).figures[x] = figure;
}

void RangeLines::AddBound(const std::string& line, double x, double figure) {
  Find(line, true).figures[x] = {figure, figure, figure};
}

void RangeLines::PutInto(HtmlChart& chart) const {
  std::set<double> all;
  for (const Line& line : lines_) {
    for (const auto& [x, figure] : line.figures) all.insert(x);
  }
  chart.x.assign(all.begin(), all.end());
  for (const Line& line : lines_) {
    HtmlLine drawn{.name = line.name, .is_dashed = line.is_bound};
    for (const double x : chart.x) {
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      const auto found = line.figures.find(x);
      const FigureRange figure =
          found == line.figures.end() ? FigureRange{kNone, kNone, kNone} : found->second;
      drawn.y.push_back(figure.middle);
      if (line.is_bound) continue;
      drawn.low.push_back(figure.low);
      drawn.high.push_back(figure.high);
    }
    chart.lines.push_back(std::move(drawn));
  }
}

}  // namespace trommel::bench
