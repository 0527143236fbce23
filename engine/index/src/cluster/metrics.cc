#include "trommel/index/metrics.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/cluster/prometheus_page.h"
#include "engine/index/src/model/misuse.h"
#include "trommel/index/server_index.h"

namespace trommel::index {
namespace {

constexpr MetricType kCounter = MetricType::kCounter;
constexpr MetricType kGauge = MetricType::kGauge;

constexpr std::array<std::pair<AttributeState, std::string_view>, 4> kStates = {{
    {AttributeState::kNone, "none"},
    {AttributeState::kIndexed, "indexed"},
    {AttributeState::kBuilding, "building"},
    {AttributeState::kDropping, "dropping"},
}};

// The names of attributes as labels. They differ: a name that is no UTF-8 and would be written as
// another one gets apostrophes.
std::vector<std::string> LabelsOf(const Schema& schema) {
  std::vector<std::string> labels;
  for (const Attribute& attribute : schema.attributes) {
    std::string label = AsUtf8(attribute.name);
    const bool is_name = label == attribute.name;
    while (!is_name && (schema.Find(label) || std::ranges::count(labels, label) > 0)) label += '\'';
    labels.push_back(std::move(label));
  }
  return labels;
}

// Writes one metric after another.
class MetricsWriter {
 public:
  MetricsWriter(const Schema& schema, const ClusterStats& stats)
      : stats_(stats), labels_(LabelsOf(schema)) {}

  std::string Write() {
    WriteTable();
    WriteQueries();
    WriteGates();
    WriteDirectory();
    WriteAttributes();
    WriteServers();
    return page_.Take();
  }

 private:
  template <class T>
  void One(std::string_view name, MetricType type, std::string_view help, T value) {
    page_.Begin(name, type, help);
    page_.Add(value);
  }

  template <class T>
  void OfAttributes(std::string_view name, std::string_view help, T AttributeStats::*member) {
    page_.Begin(name, kGauge, help);
    for (size_t i = 0; i < labels_.size(); ++i) {
      page_.Add(stats_.directory.attributes[i].*member, {{"attribute", labels_[i]}});
    }
  }

  template <class T>
  void OfServers(std::string_view name, MetricType type, std::string_view help,
                 T ServerStats::*member) {
    page_.Begin(name, type, help);
    for (size_t i = 0; i < stats_.servers.size(); ++i) {
      page_.Add(stats_.servers[i].*member, {{"server", std::to_string(i)}});
    }
  }

  void WriteTable();
  void WriteQueries();
  void WriteGates();
  void WriteDirectory();
  void WriteAttributes();
  void WriteServers();

  const ClusterStats& stats_;
  const std::vector<std::string> labels_;  // of attributes
  PrometheusPage page_;
};

void MetricsWriter::WriteTable() {
  One("trommel_index_regions", kGauge, "Regions of the table.", stats_.directory.num_regions);
  One("trommel_index_table_version", kGauge, "Number of the current version of the region table.",
      stats_.directory.version);
  One("trommel_index_splits_total", kCounter, "Regions that were split.", stats_.num_splits);
  One("trommel_index_merges_total", kCounter, "Pairs of regions that were merged.",
      stats_.num_merges);
  One("trommel_index_moves_total", kCounter, "Regions that were moved to another server.",
      stats_.num_moves);
  One("trommel_index_leftovers", kGauge, "Copies of rows that moves have left, to be removed.",
      stats_.num_leftovers);
  One("trommel_index_background_failed", kGauge,
      "1 if the last try of the background thread to end a change failed, else 0.",
      stats_.last_failure.empty() ? 0 : 1);
}

void MetricsWriter::WriteQueries() {
  const QueryTotals& of = stats_.queries;
  One("trommel_index_queries_total", kCounter, "Queries.", of.num_queries);
  One("trommel_index_query_candidates_total", kCounter, "Regions that queries asked.",
      of.num_candidates);
  One("trommel_index_query_unbuilt_candidates_total", kCounter,
      "Regions that queries asked because a column was not built.", of.num_unbuilt);
  One("trommel_index_query_false_regions_total", kCounter,
      "Regions that queries asked and that had no row.", of.num_false);
  One("trommel_index_query_retries_total", kCounter, "Lookups that queries sent again.",
      of.num_retries);
  One("trommel_index_query_unanswered_ranges_total", kCounter,
      "Ranges of keys that queries reported as not answered.", of.num_unanswered);
}

void MetricsWriter::WriteGates() {
  const GateStats& of = stats_.gates;
  One("trommel_index_gate_waits_total", kCounter,
      "Writes and chunks of builders that waited for a switch of their region.", of.num_waits);
  One("trommel_index_gate_wait_seconds_total", kCounter, "How long they waited.", of.wait_seconds);
  One("trommel_index_gate_longest_wait_seconds", kGauge,
      "The longest of these waits since the table was opened.", of.longest_wait);
  One("trommel_index_gate_switches_total", kCounter, "Switches of a region: its gate held alone.",
      of.num_switches);
  One("trommel_index_gate_longest_switch_seconds", kGauge,
      "The longest switch since the table was opened, with the wait for writes under way.",
      of.longest_switch);
}

void MetricsWriter::WriteDirectory() {
  const ServerIndexStats& of = stats_.directory;
  One("trommel_index_directory_bytes", kGauge,
      "Memory of the directory: structures, their successors and replaced columns.", of.num_bytes);
  One("trommel_index_directory_retired_columns", kGauge,
      "Replaced columns that older queries may still read.", of.num_retired_columns);
  One("trommel_index_directory_switches_total", kCounter,
      "Successors that became structures, as attributes gained or lost pairs.", of.num_switches);
  One("trommel_index_directory_refused_pairs_total", kCounter,
      "Erasures of pairs that were not in: rows and directory disagreed.", of.num_refused_pairs);
  One("trommel_index_columns_waiting", kGauge, "Columns that builders have yet to fill.",
      stats_.num_columns_waiting);
  One("trommel_index_columns_loaded", kGauge,
      "Columns that were read from the directory's file when the table was opened.",
      stats_.num_columns_loaded);
}

void MetricsWriter::WriteAttributes() {
  page_.Begin("trommel_index_attribute_state", kGauge,
              "1 for the state that the attribute's index has, 0 for the others.");
  for (size_t i = 0; i < labels_.size(); ++i) {
    for (const auto& [state, name] : kStates) {
      page_.Add(stats_.directory.attributes[i].state == state ? 1 : 0,
                {{"attribute", labels_[i]}, {"state", name}});
    }
  }
  OfAttributes("trommel_index_attribute_pairs", "Pairs of a value and a region.",
               &AttributeStats::num_pairs);
  OfAttributes("trommel_index_attribute_column_capacity_pairs",
               "Pairs for which a column is made; 0: the attribute has no structure.",
               &AttributeStats::pairs_per_region);
  OfAttributes("trommel_index_attribute_largest_column_pairs", "Pairs of the fullest column.",
               &AttributeStats::largest_column);
  OfAttributes("trommel_index_attribute_unbuilt_regions",
               "Regions that every query of the attribute asks, because a column is not built.",
               &AttributeStats::num_unbuilt);
  OfAttributes("trommel_index_attribute_growing",
               "1 while a successor of the structure is being filled, else 0.",
               &AttributeStats::is_growing);
  OfAttributes("trommel_index_attribute_successor_unbuilt_regions",
               "Regions whose columns of the successor are to be built.",
               &AttributeStats::next_num_unbuilt);
  OfAttributes("trommel_index_attribute_bytes",
               "Memory of the structure and its successor, with replaced columns.",
               &AttributeStats::num_bytes);
  OfAttributes("trommel_index_attribute_expected_false_regions",
               "Regions that a query of a value in no row is expected to ask, by the model.",
               &AttributeStats::predicted_false_regions);
}

void MetricsWriter::WriteServers() {
  OfServers("trommel_index_server_stopped", kGauge,
            "1 while the server is lost and its regions are not answered, else 0.",
            &ServerStats::is_stopped);
  OfServers("trommel_index_server_regions", kGauge, "Regions of the server.",
            &ServerStats::num_regions);
  OfServers("trommel_index_server_rows", kGauge, "Rows, as the database estimates.",
            &ServerStats::num_rows);
  OfServers("trommel_index_server_entries", kGauge,
            "Entries of local indexes, as the database estimates.", &ServerStats::num_entries);
  OfServers("trommel_index_server_disk_bytes", kGauge, "Table files of the database.",
            &ServerStats::disk_bytes);
  OfServers("trommel_index_server_memory_bytes", kGauge,
            "Caches and write buffers that the database uses.", &ServerStats::memory_bytes);
  OfServers("trommel_index_server_lookups_total", kCounter, "Lookups that the server answered.",
            &ServerStats::num_lookups);
}

}  // namespace

std::string PrometheusText(const Schema& schema, const ClusterStats& stats) {
  CheckUse(stats.directory.attributes.size() == schema.attributes.size(),
           "PrometheusText needs the statistics of a cluster with this schema");
  return MetricsWriter(schema, stats).Write();
}

}  // namespace trommel::index
