// trommel-index verify: do rows, local indexes and directory agree?
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tools/index/commands/table_commands.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct Finding {
  const char* name;
  const char* label;
  uint64_t index::VerifyReport::*number;
};

constexpr std::array<Finding, 9> kFindings = {{
    {"num_rows", "rows", &index::VerifyReport::num_rows},
    {"num_entries", "index entries", &index::VerifyReport::num_entries},
    {"num_pairs", "pairs", &index::VerifyReport::num_pairs},
    {"num_unbuilt_columns", "columns not built", &index::VerifyReport::num_unbuilt_columns},
    {"num_wrong_rows", "wrong rows", &index::VerifyReport::num_wrong_rows},
    {"num_missing_entries", "missing entries", &index::VerifyReport::num_missing_entries},
    {"num_dangling_entries", "dangling entries", &index::VerifyReport::num_dangling_entries},
    {"num_missing_pairs", "missing pairs", &index::VerifyReport::num_missing_pairs},
    {"num_wrong_counts", "wrong counts", &index::VerifyReport::num_wrong_counts},
}};

int RunTableVerify(const Settings& settings, index::Cluster& table) {
  if (const Status built = BuildTable(table, settings.quiet); !built.ok()) {
    return FailOnInput(built.error());
  }
  if (NotedInterrupt() != 0) return kBadInput;
  Progress progress("verifying", settings.quiet, std::nullopt);
  const Result<index::VerifyReport> found = table.Verify([&](uint64_t done, uint64_t total) {
    if (progress.IsDue()) {
      progress.Draw(fmt::format("{} of {}", FormatCount(done), FormatCount(total)));
    }
  });
  progress.Clear();
  if (!found.ok()) return FailOnInput(found.error());
  Report report;
  report.Add("ok", found->ok(), "result", found->ok() ? "all agree" : "DISAGREE");
  for (const Finding& finding : kFindings) {
    const uint64_t number = (*found).*finding.number;
    report.Add(finding.name, number, finding.label, FormatCount(number));
  }
  report.AddField("examples", Json::Array(found->examples));
  for (const std::string& example : found->examples) report.AddLine(example);
  return Finish(report, settings.json, found->ok() ? kDone : kNegativeAnswer);
}

}  // namespace

void AddTableVerify(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "verify",
      "Verify that rows, local indexes and directory agree\n"
      "Reads everything; first builds the columns of the directory that are not built, as after\n"
      "a crash. Exits 0 if all agree, 1 with examples if not.");
  auto options = std::make_shared<TableOptions>();
  AddTable(command, *options);
  command.SetAction([&settings, options] {
    return WithTable(*options,
                     [&](index::Cluster& table) { return RunTableVerify(settings, table); });
  });
}

}  // namespace trommel::tool
