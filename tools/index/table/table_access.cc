// A table is closed on every way out: a clean close saves the directory.
#include "tools/index/table/table_access.h"

#include <fmt/core.h>

#include <limits>
#include <optional>
#include <utility>

#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {

void AddTable(Command& command, TableOptions& options) {
  command.Text("TABLE", options.folder, "", "The table's folder").Required();
  AddBytes(command, "--memory", options.memory_bytes,
           fmt::format("For caches and write buffers of all servers (default {})",
                       FormatBytes(options.memory_bytes)));
  command.Flag("--without-lost", options.leaves_out_lost_servers,
               "Open the table without the servers whose database is missing or damaged: queries "
               "report their regions as not answered");
}

void AddTableSync(Command& command, TableOptions& options) {
  command.Flag("--sync", options.sync_writes,
               "Each write returns when it is on the disk: a crash of the machine loses none");
}

index::ClusterOptions OpenOptionsOf(const TableOptions& options) {
  return {.sync_writes = options.sync_writes,
          .memory_bytes = options.memory_bytes,
          .num_builders = 0,
          .finishes_in_background = false,
          .backfill_rows_per_second = options.backfill_rows_per_second,
          .leaves_out_lost_servers = options.leaves_out_lost_servers};
}

int WithTable(const TableOptions& options, const std::function<int(index::Cluster&)>& work) {
  NoteInterrupts();
  Result<index::Cluster> table = index::Cluster::Open(options.folder, OpenOptionsOf(options));
  if (!table.ok()) return FailOnRequest(table.error());
  return CloseTable(*table, options.folder, work(*table));
}

int FailHalfway(const Error& error, const std::string& done) {
  if (NotedInterrupt() == 0) return Fail(kBadInput, error.message + "; " + done);
  WriteToStderr("trommel-index: interrupted: " + done + "\n");
  return kBadInput;
}

int CloseTable(index::Cluster& table, const std::string& folder, int code) {
  if (Status closed = table.Close(); !closed.ok()) {
    return Fail(kBadInput, fmt::format("closing {}: {}", folder, closed.error().message));
  }
  return code;
}

Status BuildTable(index::Cluster& table, bool quiet) {
  Progress progress("building", quiet, std::nullopt);
  const auto draw = [&progress](uint64_t done, uint64_t total) {
    progress.Steps(done, total, "column");
  };
  const Result<bool> built = table.BuildColumns(draw, [] { return NotedInterrupt() == 0; });
  return built.ok() ? Ok() : Status(built.error());
}

void AddRegion(Command& command, const std::string& name, uint32_t& region_id,
               const std::string& help) {
  AddNumber(command, name, 0, std::numeric_limits<uint32_t>::max(), "", help,
            [&region_id](uint64_t number) { region_id = static_cast<uint32_t>(number); })
      .Required();
}

std::optional<index::RegionLoad> FindRegion(const index::Cluster& table, uint32_t region_id) {
  for (index::RegionLoad& load : table.GetRegionLoads()) {
    if (load.region.id == region_id) return std::move(load);
  }
  return std::nullopt;
}

}  // namespace trommel::tool
