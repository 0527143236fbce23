// What a new table is made of: the columns of a tab-separated file, cut into regions.
#ifndef TROMMEL_TOOLS_INDEX_NEW_TABLE_H_
#define TROMMEL_TOOLS_INDEX_NEW_TABLE_H_

#include <cstdint>
#include <optional>

#include "tools/index/table/table_loader.h"
#include "tools/trommel/options/command_line.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {

struct NewTableOptions {
  TableInput input;
  uint32_t num_servers = 4;
  uint32_t num_regions = 0;  // 0: not given
  uint32_t max_versions = 1;
  index::Structure structure = index::Structure::kMap;
  double target_fpr = index::ClusterConfig{}.target_fpr;
};

// --servers and --regions.
void AddRegions(Command& command, NewTableOptions& options);

// As given, or 4 per server.
uint32_t NumRegions(const NewTableOptions& options);

struct NewTable {
  TableLoader loader;
  index::ClusterConfig config;
  bool is_cut_by_all_rows = false;
};

// Opens the input and reads it as TableLoader::ReadAhead does. Where that fails, says why in one
// line, and sets the exit code: kUsageError for the columns, kBadInput for the rest. Requires that
// interrupts are noted.
std::optional<NewTable> ReadNewTable(const NewTableOptions& options, int& code);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_NEW_TABLE_H_
