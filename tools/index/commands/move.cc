// trommel-index move and balance: which server has which region.
#include <fmt/core.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/commands/table_commands.h"
#include "tools/index/table/end_change.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct MoveOptions {
  TableOptions table;
  uint32_t region_id = 0;
  uint32_t server = 0;
};

struct BalanceOptions {
  TableOptions table;
  bool dry_run = false;
};

int Move(const MoveOptions& options, const Settings& settings, index::Cluster& table) {
  ChangeCommand change(table, settings);
  const std::optional<index::RegionLoad> before = FindRegion(table, options.region_id);
  const Result<bool> is_moved = [&] {
    Progress progress("moving", settings.quiet, std::nullopt);
    const auto draw = [&progress](uint64_t done, uint64_t total) {
      if (progress.IsDue()) {
        progress.Draw(fmt::format("about {} of {}", FormatBytes(done), FormatBytes(total)));
      }
    };
    return table.Move(options.region_id, options.server, draw, MayGoOn);
  }();
  if (!is_moved.ok()) return FailOnRequest(is_moved.error());
  const uint32_t from = before ? before->region.server : 0;
  if (!*is_moved) {
    return change.EndEarly(fmt::format("region {} stays on server {}", options.region_id, from));
  }
  const std::string done =
      fmt::format("region {} moved from server {} to {}", options.region_id, from, options.server);
  Report& report = change.report();
  report.AddLine(done);
  report.AddField("region", options.region_id);
  report.AddField("from_server", from);
  report.AddField("server", options.server);
  const uint64_t num_bytes = before ? before->num_bytes : 0;
  report.Add("num_bytes", num_bytes, "bytes", "about " + FormatBytes(num_bytes));
  return change.End(done);
}

// Prints the moves, with --json adds them to the report.
Status DescribePlan(const Settings& settings, const index::Cluster& table,
                    const std::vector<index::PlannedMove>& moves, Report& report) {
  std::map<uint32_t, index::RegionLoad> regions;
  for (index::RegionLoad& load : table.GetRegionLoads()) {
    const uint32_t id = load.region.id;
    regions.emplace(id, std::move(load));
  }
  Report plan;
  Json list = Json::Array();
  plan.AddLine(moves.empty() ? "The servers are balanced: no region is to move."
                             : FormatCount(moves.size(), "region") + " to move:");
  for (const index::PlannedMove& move : moves) {
    const index::RegionLoad& load = regions[move.region_id];
    plan.AddLine(fmt::format("  region {}, server {} to {}, about {}", move.region_id,
                             load.region.server, move.server, FormatBytes(load.num_bytes)));
    list.Append(Json{{"region", move.region_id},
                     {"from_server", load.region.server},
                     {"server", move.server},
                     {"num_bytes", load.num_bytes}});
  }
  report.AddField("moves", std::move(list));
  return settings.json ? Ok() : plan.Print(false, stdout);
}

int Balance(const BalanceOptions& options, const Settings& settings, index::Cluster& table) {
  ChangeCommand change(table, settings);
  Report& report = change.report();
  const std::vector<index::PlannedMove> moves = table.PlanBalance();
  if (const Status printed = DescribePlan(settings, table, moves, report); !printed.ok()) {
    return FailOnInput(printed.error());
  }
  report.AddField("is_dry_run", options.dry_run);
  if (options.dry_run) {
    report.AddField("num_moved", 0);
    return settings.json ? Finish(report, true, kDone) : int{kDone};
  }
  const Result<uint32_t> moved = [&] {
    Progress progress("moving", settings.quiet, std::nullopt);
    const auto draw = [&progress](uint64_t done, uint64_t total) {
      progress.Steps(done, total, "region");
    };
    return table.Balance(draw, MayGoOn);
  }();
  const uint64_t num_moved = moved.ok() ? *moved : table.GetStats().num_moves;
  const std::string done =
      fmt::format("{} of {} moved", FormatCount(num_moved), FormatCount(moves.size(), "region"));
  if (!moved.ok()) return change.EndEarly(done, moved.error());
  if (!MayGoOn()) return change.EndEarly(done);
  report.Add("num_moved", num_moved, "regions moved", FormatCount(num_moved));
  return change.End(done);
}

}  // namespace

void AddTableMove(Command& parent, const Settings& settings) {
  Command command =
      parent.AddSubcommand("move",
                           "Move a region to another server\n"
                           "Its rows and entries are copied, then the region is switched, then the "
                           "old copy is removed.\n"
                           "Ctrl-C before the switch leaves the region where it is. What it leaves "
                           "of a copy is removed\n"
                           "by the next command that changes regions or indexes, or verifies.");
  auto options = std::make_shared<MoveOptions>();
  AddTable(command, options->table);
  AddRegion(command, "REGION", options->region_id, "The region's number (trommel-index regions)");
  AddNumber(command, "SERVER", 0, std::numeric_limits<uint32_t>::max(), "",
            "The number of the server to move it to; the first is 0",
            [options](uint64_t number) { options->server = static_cast<uint32_t>(number); })
      .Required();
  SetTableAction(command, settings, options, Move);
}

void AddTableBalance(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "balance",
      "Move regions so that the servers have about the same number\n"
      "Prints the moves, then does them, one after the other. Servers that are lost take no part.\n"
      "Ctrl-C ends it, as it ends a move; regions that have moved stay where they are.");
  auto options = std::make_shared<BalanceOptions>();
  AddTable(command, options->table);
  command.Flag("--dry-run", options->dry_run, "Only print the moves");
  SetTableAction(command, settings, options, Balance);
}

}  // namespace trommel::tool
