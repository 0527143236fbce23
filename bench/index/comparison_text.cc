#include <cmath>
#include <cstddef>

#include "bench/index/comparison.h"
#include "bench/text/figures.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

std::string Rounded(double number) { return Grouped(static_cast<uint64_t>(std::llround(number))); }

std::string Spread(const Figures& figures) {
  return Printed("%9.1f [%.1f..%.1f]", Quantile(figures, 0.5), Quantile(figures, 0.1),
                 Quantile(figures, 0.9));
}

std::string CostTable(const Comparison& all) {
  std::string text =
      "The source's three costs, per query (reads of the table: rows read per row returned)\n";
  text += Printed("%-12s %-15s %16s %16s %12s %14s %14s\n", "queries", "way", "servers without",
                  "rows read per", "RPCs", "entries read", "rows returned");
  text += Printed("%-12s %-15s %16s %16s\n", "", "", "the record", "row returned");
  for (const KindFigures& kind : all.kinds) {
    for (size_t way = 0; way < kNumWays; ++way) {
      const WayFigures& figures = kind.ways[way];
      const std::string reads =
          figures.num_rows_returned == 0 ? "-" : Printed("%.4f", figures.RowsReadPerRow());
      text += Printed(
          "%-12s %-15s %16.3f %16s %12.3f %14.1f %14.1f\n", way == 0 ? NameOf(kind.kind) : "",
          NameOf(static_cast<Way>(way)), figures.ServersWithoutRecord(), reads.c_str(),
          figures.PerQuery(figures.num_lookups), figures.PerQuery(figures.num_entries_read),
          figures.PerQuery(figures.num_rows_returned));
    }
  }
  return text;
}

std::string RegionTableText(const Comparison& all) {
  std::string text = "Regions and times per query; us: median [p10..p90]\n";
  text += Printed("%-12s %-15s %8s %8s %8s %28s %32s\n", "queries", "way", "asked", "with row",
                  "false", "directory alone, us", "whole query, us");
  for (const KindFigures& kind : all.kinds) {
    for (size_t way = 0; way < kNumWays; ++way) {
      const WayFigures& figures = kind.ways[way];
      text +=
          Printed("%-12s %-15s %8.3f %8.3f %8.3f %28s %32s\n", way == 0 ? NameOf(kind.kind) : "",
                  NameOf(static_cast<Way>(way)), figures.PerQuery(figures.num_regions_asked),
                  figures.PerQuery(figures.num_regions_with_rows), figures.FalseRegions(),
                  Spread(figures.directory_us).c_str(), Spread(figures.total_us).c_str());
    }
    const uint64_t num_asked = kind.ways[0].num_queries;
    text += Printed("             %s of %s queries", Grouped(num_asked).c_str(),
                    Grouped(kind.num_drawn).c_str());
    text += num_asked < kind.num_drawn ? " (the rest did not fit into --seconds)\n" : "\n";
  }
  return text;
}

const char* Verdict(Agreement agreement) {
  if (agreement == Agreement::kNotCompared) return "too few to compare";
  return agreement == Agreement::kAgrees ? "agrees" : "DIFFERS";
}

std::string ModelText(const Comparison& all) {
  std::string text = "False regions of values that no row has, per query:\n";
  const double regions_per_server =
      static_cast<double>(all.num_regions) / static_cast<double>(all.num_servers);
  const KindFigures& absent = all.kinds[static_cast<size_t>(QueryKind::kAbsent)];
  for (const Way way : {Way::kServerFilters, Way::kColumnMap}) {
    const WayFigures& figures = absent.ways[static_cast<size_t>(way)];
    text += Printed(
        "  %-15s measured %.5f, model %.5f: %s\n", NameOf(way), figures.FalseRegions(),
        figures.predicted_false_regions / static_cast<double>(figures.num_queries),
        Verdict(CompareWithModel(figures, way == Way::kServerFilters ? regions_per_server : 1)));
  }
  return text;
}

std::string MemoryText(const Comparison& all) {
  std::string text = "Memory of the directory\n";
  for (const Way way : {Way::kServerFilters, Way::kColumnMap, Way::kExactMap}) {
    const uint64_t num_bytes = all.directory_bytes[static_cast<size_t>(way)];
    text += Printed("  %-15s %14s bytes  %8.2f bytes per row  %7.3f bytes per pair\n", NameOf(way),
                    Grouped(num_bytes).c_str(),
                    static_cast<double>(num_bytes) / static_cast<double>(all.num_rows),
                    static_cast<double>(num_bytes) / static_cast<double>(all.num_pairs));
  }
  return text;
}

double MeanOf(const Figures& figures) {
  double sum = 0;
  for (const double figure : figures) sum += figure;
  return sum / static_cast<double>(figures.size());
}

std::string WriteText(const Comparison& all) {
  std::string text =
      "Writes, us per row: median [p10..p90] of slabs; rate: rows per second, of all slabs; the "
      "load's\nwith its columns built\n";
  text += Printed("  %-20s %24s %9s %28s %9s %28s %9s\n", "", "load", "rate", "update", "rate",
                  "delete", "rate");
  for (size_t i = 0; i < kNumWriteSides; ++i) {
    const auto side = static_cast<WriteSide>(i);
    double build_seconds = 0;
    if (side == WriteSide::kServerFilters) build_seconds = all.load.server_filters_build_seconds;
    if (side == WriteSide::kColumnMap) build_seconds = all.load.column_map_build_seconds;
    const double load_us =
        MeanOf(all.load.rows[i]) + 1e6 * build_seconds / static_cast<double>(all.num_rows);
    text += Printed("  %-20s %24s %9s %28s %9s %28s %9s\n", NameOf(side),
                    Spread(all.load.rows[i]).c_str(), Rounded(1e6 / load_us).c_str(),
                    Spread(all.updates[i]).c_str(), Rounded(1e6 / MeanOf(all.updates[i])).c_str(),
                    Spread(all.deletes[i]).c_str(), Rounded(1e6 / MeanOf(all.deletes[i])).c_str());
  }
  text += Printed("  Columns were built in %.1f s (server filters) and %.1f s (column map).\n",
                  all.load.server_filters_build_seconds, all.load.column_map_build_seconds);
  const auto over = [&](const char* what, const WriteFigures& figures) {
    const auto side = [&](WriteSide each) { return figures[static_cast<size_t>(each)]; };
    for (const WriteSide with : {WriteSide::kServerFilters, WriteSide::kColumnMap}) {
      const Ratio ratio = PairedRatio(side(with), side(WriteSide::kLocalIndex));
      text += Printed("  %s, %s by local index, slab by slab: %.2f [%.2f..%.2f]\n", what,
                      NameOf(with), ratio.median, ratio.min, ratio.max);
    }
  };
  over("Update", all.updates);
  over("Delete", all.deletes);
  text += Printed("  Pairs after all writes: %s in the local indexes, %s in the exact map: %s\n",
                  Grouped(all.num_pairs_verified).c_str(), Grouped(all.num_pairs_of_map).c_str(),
                  all.num_pairs_verified == all.num_pairs_of_map ? "agrees" : "DIFFERS");
  return text;
}

std::string CombinationText(const Comparison& all) {
  std::string text = "Regions asked for pairs of values (AND), per query\n";
  const auto line = [&](const char* name, const CombinationRegions& regions) {
    text += Printed("  %-22s column map %8.3f, exact map %8.3f, some row has both %8.3f\n", name,
                    regions.by_directory, regions.by_map, regions.with_both);
  };
  line("values of one row", all.of_one_row);
  line("values of two rows", all.of_two_rows);
  const uint64_t ours = all.directory_bytes[static_cast<size_t>(Way::kColumnMap)];
  text += Printed(
      "  Finding, %s: perfect filters of combinations would save %.2f of %.2f regions (one row) "
      "and "
      "%.2f of %.2f (two rows);",
      all.table.c_str(), all.of_one_row.by_directory - all.of_one_row.with_both,
      all.of_one_row.by_directory, all.of_two_rows.by_directory - all.of_two_rows.with_both,
      all.of_two_rows.by_directory);
  text += Printed(
      " filters of the %s combinations of all %s pairs of attributes take %s bytes, %.1f times the "
      "directory.\n",
      Grouped(all.combinations.num_combinations).c_str(),
      Grouped(all.combinations.num_attribute_pairs).c_str(),
      Grouped(all.combinations.num_bytes).c_str(),
      static_cast<double>(all.combinations.num_bytes) / static_cast<double>(ours));
  return text;
}

}  // namespace

std::string ComparisonText(const Comparison& all) {
  std::string text = all.command + ", target " + std::string(ActiveTarget()) + "\n\n";
  text +=
      Printed("Table %s: %s rows, %s indexed attributes, %s servers, %s regions; ",
              all.table.c_str(), Grouped(all.num_rows).c_str(), Grouped(all.num_attributes).c_str(),
              Grouped(all.num_servers).c_str(), Grouped(all.num_regions).c_str());
  text += Printed("%s values, %s pairs of value and region\n", Grouped(all.num_values).c_str(),
                  Grouped(all.num_pairs).c_str());
  text +=
      "RPCs are calls to threads of this process: times have no network in them. All ways returned "
      "the same\nrows for each query.\n\n";
  return text + CostTable(all) + "\n" + RegionTableText(all) + "\n" + ModelText(all) + "\n" +
         MemoryText(all) + "\n" + WriteText(all) + "\n" + CombinationText(all);
}

}  // namespace trommel::bench
