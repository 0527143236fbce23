// The library remembers what is left, so the next command finds it.
#include "tools/index/table/end_change.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tools/index/table/table_access.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {

bool MayGoOn() { return NotedInterrupt() == 0; }

Status FinishTable(index::Cluster& table, bool quiet) {
  {
    Progress progress("finishing", quiet, std::nullopt);
    const auto draw = [&progress](uint64_t done, uint64_t total) {
      progress.Steps(done, total, "step");
    };
    const Result<bool> is_finished = table.FinishChanges(draw, MayGoOn);
    if (!is_finished.ok()) return is_finished.error();
  }
  return BuildTable(table, quiet);
}

Result<index::VerifyReport> VerifyTable(index::Cluster& table, index::Repair repair, bool quiet) {
  Progress progress("verifying", quiet, std::nullopt);
  const auto draw = [&progress](uint64_t done, uint64_t total) {
    progress.Steps(done, total, "row");
  };
  return table.Verify(draw, repair, MayGoOn);
}

std::string LeftToDo(const index::Cluster& table) {
  const index::ClusterStats stats = table.GetStats();
  const index::Schema& schema = table.config().schema;
  std::vector<std::string> parts;
  if (stats.num_leftovers == 1) {
    parts.emplace_back("a copy of rows that a move has left is to be removed");
  } else if (stats.num_leftovers > 1) {
    parts.push_back(fmt::format("{} copies of rows that moves have left are to be removed",
                                FormatCount(stats.num_leftovers)));
  }
  uint64_t num_unbuilt = 0;
  for (size_t i = 0; i < schema.attributes.size(); ++i) {
    const std::string name = Quoted(schema.attributes[i].name);
    switch (const index::AttributeStats& of = stats.directory.attributes[i]; of.state) {
      case index::AttributeState::kBuilding:
        parts.push_back(fmt::format("the index of {} is to be made", name));
        break;
      case index::AttributeState::kDropping:
        parts.push_back(fmt::format("the index of {} is to be removed", name));
        break;
      case index::AttributeState::kIndexed:
        num_unbuilt += of.num_unbuilt;
        break;
      case index::AttributeState::kNone:
        break;
    }
  }
  if (num_unbuilt > 0) {
    parts.push_back(fmt::format("{} {} to be built", FormatCount(num_unbuilt, "column"),
                                num_unbuilt == 1 ? "is" : "are"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

int ChangeCommand::End(const std::string& done) {
  if (const Status finished = FinishTable(table_, settings_.quiet); !finished.ok()) {
    return EndEarly(done, finished.error());
  }
  if (!MayGoOn()) return EndEarly(done);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  report_.Add("seconds", seconds, "time", fmt::format("{:.2f} s", seconds));
  return Finish(report_, settings_.json, kDone);
}

int ChangeCommand::EndEarly(const std::string& done, const Error& error) const {
  const std::string left = LeftToDo(table_);
  return FailHalfway(
      error,
      left.empty() ? done : fmt::format("{}; {} (trommel-index verify does that)", done, left));
}

}  // namespace trommel::tool
