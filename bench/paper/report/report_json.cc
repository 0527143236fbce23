#include <nlohmann/json.hpp>

#include "bench/paper/report/writers.h"

namespace trommel::paper {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson OrNull(const std::optional<double>& figure) {
  return figure ? OrderedJson(*figure) : OrderedJson(nullptr);
}

std::string UnitName(Unit unit) {
  switch (unit) {
    case Unit::kNumber:
      return "number";
    case Unit::kCount:
      return "count";
    case Unit::kShare:
      return "share";
    case Unit::kChange:
      return "change";
    case Unit::kNs:
      return "ns";
  }
  return "unknown";
}

OrderedJson RowJson(const Row& row) {
  OrderedJson json = {{"what", row.what},
                      {"unit", UnitName(row.unit)},
                      {"paper", OrNull(row.paper)},
                      {"formula", OrNull(row.formula)},
                      {"exact", OrNull(row.exact)},
                      {"measured", OrNull(row.measured)},
                      {"measured_at_most", row.measured_at_most},
                      {"verdict", VerdictName(Judge(row))},
                      {"note", row.note}};
  if (row.instead) json["instead"] = *row.instead;
  if (row.allowed) json["allowed"] = {row.allowed->low, row.allowed->high};
  return json;
}

OrderedJson ChartJson(const Chart& chart) {
  OrderedJson lines = OrderedJson::array();
  for (const Line& line : chart.lines) {
    lines.push_back({{"name", line.name}, {"y", line.y}});  // NaN becomes null
    if (!line.exact.empty()) lines.back()["exact"] = line.exact;
    if (!line.paper.empty()) lines.back()["paper"] = line.paper;
  }
  return {{"title", chart.title},         {"x_name", chart.x_name}, {"y_name", chart.y_name},
          {"unit", UnitName(chart.unit)}, {"x", chart.x},           {"lines", lines}};
}

}  // namespace

std::string ReportJson(const Report& report) {
  OrderedJson tables = OrderedJson::array();
  for (const Table& table : report.tables) {
    OrderedJson rows = OrderedJson::array();
    for (const Row& row : table.rows) rows.push_back(RowJson(row));
    tables.push_back({{"title", table.title}, {"text", table.text}, {"rows", rows}});
    if (!table.instead.empty()) tables.back()["instead"] = table.instead;
  }
  OrderedJson json = {{"program", report.name}, {"source", report.source}, {"tables", tables}};
  for (const Chart& chart : report.charts) json["charts"].push_back(ChartJson(chart));
  return json.dump(2) + "\n";
}

}  // namespace trommel::paper
