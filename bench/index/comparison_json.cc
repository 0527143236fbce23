#include <nlohmann/json.hpp>

#include "bench/index/comparison.h"

namespace trommel::bench {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson SpreadJson(const Figures& figures) {
  return {{"p10", Quantile(figures, 0.1)},
          {"median", Quantile(figures, 0.5)},
          {"p90", Quantile(figures, 0.9)}};
}

OrderedJson WayJson(Way way, const WayFigures& figures) {
  return {{"way", NameOf(way)},
          {"queries", figures.num_queries},
          {"regions_asked", figures.num_regions_asked},
          {"regions_with_rows", figures.num_regions_with_rows},
          {"predicted_false_regions", figures.predicted_false_regions},
          {"servers_asked", figures.num_servers_asked},
          {"servers_with_rows", figures.num_servers_with_rows},
          {"rows_read", figures.num_rows_read},
          {"rows_returned", figures.num_rows_returned},
          {"entries_read", figures.num_entries_read},
          {"rpcs", figures.num_lookups},
          {"directory_us", SpreadJson(figures.directory_us)},
          {"total_us", SpreadJson(figures.total_us)}};
}

OrderedJson WritesJson(const WriteFigures& figures) {
  OrderedJson json;
  for (size_t i = 0; i < kNumWriteSides; ++i) {
    json[NameOf(static_cast<WriteSide>(i))] = SpreadJson(figures[i]);
  }
  return json;
}

OrderedJson RegionsJson(const CombinationRegions& regions) {
  return {{"by_directory", regions.by_directory},
          {"by_map", regions.by_map},
          {"with_both", regions.with_both}};
}

}  // namespace

// Sums over the queries, where the text has means; times in microseconds.
std::string ComparisonJson(const Comparison& all) {
  OrderedJson json = {{"machine", all.machine},
                      {"command", all.command},
                      {"table", all.table},
                      {"rows", all.num_rows},
                      {"attributes", all.num_attributes},
                      {"servers", all.num_servers},
                      {"regions", all.num_regions},
                      {"values", all.num_values},
                      {"pairs", all.num_pairs}};
  for (size_t way = 1; way < kNumWays; ++way) {
    json["directory_bytes"][NameOf(static_cast<Way>(way))] = all.directory_bytes[way];
  }
  for (const KindFigures& kind : all.kinds) {
    OrderedJson ways = OrderedJson::array();
    for (size_t way = 0; way < kNumWays; ++way) {
      ways.push_back(WayJson(static_cast<Way>(way), kind.ways[way]));
    }
    json["queries"].push_back({{"kind", NameOf(kind.kind)}, {"ways", ways}});
  }
  json["load_us_per_row"] = WritesJson(all.load.rows);
  json["build_seconds"] = {{"server_filters", all.load.server_filters_build_seconds},
                           {"column_map", all.load.column_map_build_seconds}};
  json["update_us_per_row"] = WritesJson(all.updates);
  json["delete_us_per_row"] = WritesJson(all.deletes);
  json["combinations"] = {{"one_row", RegionsJson(all.of_one_row)},
                          {"two_rows", RegionsJson(all.of_two_rows)},
                          {"attribute_pairs", all.combinations.num_attribute_pairs},
                          {"combinations", all.combinations.num_combinations},
                          {"bytes", all.combinations.num_bytes}};
  return json.dump(2) + "\n";
}

}  // namespace trommel::bench
