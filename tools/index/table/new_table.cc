// The regions of a new table have about as many rows each.
#include "tools/index/table/new_table.h"

#include <fmt/core.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "tools/index/rows/row_sample.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/region_table.h"

namespace trommel::tool {

void AddRegions(Command& command, NewTableOptions& options) {
  constexpr uint64_t kMostServers = 256;
  AddNumber(command, "--servers", 1, kMostServers, "N",
            fmt::format("Region servers, each a database (default {})", options.num_servers),
            [&options](uint64_t number) { options.num_servers = static_cast<uint32_t>(number); });
  AddNumber(command, "--regions", 1, index::kMaxRegions, "N",
            "Ranges of keys, cut so that all have about as many rows (default: 4 per server)",
            [&options](uint64_t number) { options.num_regions = static_cast<uint32_t>(number); });
}

uint32_t NumRegions(const NewTableOptions& options) {
  constexpr uint32_t kRegionsPerServer = 4;
  return options.num_regions > 0 ? options.num_regions : kRegionsPerServer * options.num_servers;
}

std::optional<NewTable> ReadNewTable(const NewTableOptions& options, int& code) {
  bool are_columns_wrong = false;
  Result<TableLoader> loader =
      TableLoader::Open(options.input, [&](std::span<const std::string> names) {
        auto columns =
            TableColumns::ForNewTable(options.input.columns, names, options.max_versions);
        are_columns_wrong = !columns.ok();
        return columns;
      });
  if (!loader.ok()) {
    code = Fail(are_columns_wrong ? kUsageError : kBadInput, loader.error().message);
    return std::nullopt;
  }
  KeySample sample;
  constexpr size_t kMostHeldRows = 100'000;
  const Result<bool> is_whole = loader->ReadAhead(sample, kMostHeldRows);
  if (!is_whole.ok()) {
    code = FailOnInput(is_whole.error());
    return std::nullopt;
  }
  NewTable table{std::move(*loader), {}, *is_whole};
  table.config.schema = table.loader.columns().schema();
  table.config.num_servers = options.num_servers;
  table.config.splits = sample.Splits(NumRegions(options));
  table.config.structure = options.structure;
  table.config.target_fpr = options.target_fpr;
  return table;
}

}  // namespace trommel::tool
