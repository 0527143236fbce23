// Opening a table, building what is not built, and closing it, for every command.
#ifndef TROMMEL_TOOLS_INDEX_TABLE_ACCESS_H_
#define TROMMEL_TOOLS_INDEX_TABLE_ACCESS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/trommel/options/command_line.h"
#include "trommel/index/cluster.h"
#include "trommel/result.h"

namespace trommel::tool {

struct TableOptions {
  std::string folder;
  uint64_t memory_bytes = index::ClusterOptions{}.memory_bytes;
  bool sync_writes = false;
  bool leaves_out_lost_servers = false;
  uint64_t backfill_rows_per_second = 0;  // 0: no limit
};

// TABLE, --memory and --without-lost; AddTableSync: --sync.
void AddTable(Command& command, TableOptions& options);
void AddTableSync(Command& command, TableOptions& options);

// Without threads that build columns or end changes: commands do so when they call BuildTable and
// EndChange (end_change.h).
index::ClusterOptions OpenOptionsOf(const TableOptions& options);

// Opens the table, notes interrupts from here on (interrupt.h), does the work, and closes the table
// even if the work failed. Returns the work's exit code. An error is one line and kBadInput.
int WithTable(const TableOptions& options, const std::function<int(index::Cluster&)>& work);

// The command's action: run(*options, settings, table) by WithTable. `options` has a `table`.
template <typename Options, typename Table>
void SetTableAction(Command& command, const Settings& settings,
                    const std::shared_ptr<Options>& options,
                    int (*run)(const Options&, const Settings&, Table&)) {
  command.SetAction([&settings, options, run] {
    return WithTable(options->table,
                     [&](index::Cluster& table) { return run(*options, settings, table); });
  });
}

// A command that stopped, on this error or because an interrupt was noted: one line that has what
// was done by then, and kBadInput.
int FailHalfway(const Error& error, const std::string& done);

// Closes a table after the work has returned `code`: where the table cannot be closed cleanly, says
// so and returns kBadInput.
int CloseTable(index::Cluster& table, const std::string& folder, int code);

// Builds the columns that are not built, with progress. Ends early when an interrupt is noted: then
// the rest is built later. Fails as Cluster::BuildColumns does.
Status BuildTable(index::Cluster& table, bool quiet);

// Regions by number, for the commands that change them.

// An argument that must be given: a region's number.
void AddRegion(Command& command, const std::string& name, uint32_t& region_id,
               const std::string& help);

// The region with this number, if there is one. Cost: that of Cluster::GetRegionLoads.
std::optional<index::RegionLoad> FindRegion(const index::Cluster& table, uint32_t region_id);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_TABLE_ACCESS_H_
