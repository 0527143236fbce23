// trommel-index verify: do rows, local indexes and directory agree?
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/index/commands/table_commands.h"
#include "tools/index/table/end_change.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct Finding {
  const char* name;
  const char* label;
  uint64_t index::VerifyReport::*number;
};

constexpr std::array<Finding, 10> kFindings = {{
    {"num_rows", "rows", &index::VerifyReport::num_rows},
    {"num_entries", "index entries", &index::VerifyReport::num_entries},
    {"num_pairs", "pairs", &index::VerifyReport::num_pairs},
    {"num_unbuilt_columns", "columns not built", &index::VerifyReport::num_unbuilt_columns},
    {"num_wrong_rows", "wrong rows", &index::VerifyReport::num_wrong_rows},
    {"num_missing_entries", "missing entries", &index::VerifyReport::num_missing_entries},
    {"num_dangling_entries", "dangling entries", &index::VerifyReport::num_dangling_entries},
    {"num_missing_pairs", "missing pairs", &index::VerifyReport::num_missing_pairs},
    {"num_wrong_counts", "wrong counts", &index::VerifyReport::num_wrong_counts},
    {"num_leftover_rows", "rows that moves left", &index::VerifyReport::num_leftover_rows},
}};

void DescribeFindings(const index::VerifyReport& found, Report& report) {
  for (const Finding& finding : kFindings) {
    const uint64_t number = found.*finding.number;
    report.Add(finding.name, number, finding.label, FormatCount(number));
  }
  report.AddField("examples", Json::Array(found.examples));
  for (const std::string& example : found.examples) report.AddLine(example);
}

int RunTableVerify(const Settings& settings, index::Cluster& table) {
  if (const Status finished = FinishTable(table, settings.quiet); !finished.ok()) {
    return FailOnInput(finished.error());
  }
  if (!MayGoOn()) return kBadInput;
  const Result<index::VerifyReport> found =
      VerifyTable(table, index::Repair::kNone, settings.quiet);
  if (!found.ok()) return FailOnInput(found.error());
  if (!found->is_whole) return kBadInput;
  Report report;
  report.Add("ok", found->ok(), "result", found->ok() ? "all agree" : "DISAGREE");
  DescribeFindings(*found, report);
  return Finish(report, settings.json, found->ok() ? kDone : kNegativeAnswer);
}

// Repairs first: what is to be finished or built may fail on what is to be repaired.
int RunTableRepair(const Settings& settings, index::Cluster& table) {
  const Result<index::VerifyReport> found = VerifyTable(table, index::Repair::kAll, settings.quiet);
  if (!found.ok()) return FailOnInput(found.error());
  const ChangeCommand change(table, settings);
  const std::string done = FormatCount(found->num_repaired) + " repaired";
  if (!found->is_whole) return change.EndEarly(done);
  if (const Status finished = FinishTable(table, settings.quiet); !finished.ok()) {
    return FailOnInput(finished.error());
  }
  if (!MayGoOn()) return change.EndEarly(done);
  const Result<index::VerifyReport> now = VerifyTable(table, index::Repair::kNone, settings.quiet);
  if (!now.ok()) return FailOnInput(now.error());
  if (!now->is_whole) return change.EndEarly(done);
  Report report;
  const char* const text = !now->ok()    ? "DISAGREE after the repair"
                           : found->ok() ? "all agree"
                                         : "all agree after the repair";
  report.Add("ok", now->ok(), "result", text);
  report.AddField("ok_before", found->ok());
  report.Add("num_repaired", found->num_repaired, "repaired", FormatCount(found->num_repaired));
  DescribeFindings(*found, report);
  if (!now->ok()) {
    report.AddLine("after the repair:");
    for (const std::string& example : now->examples) report.AddLine(example);
  }
  report.AddField("examples_after", Json::Array(now->examples));
  return Finish(report, settings.json, now->ok() ? kDone : kNegativeAnswer);
}

}  // namespace

void AddTableVerify(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "verify",
      "Verify that rows, local indexes and directory agree\n"
      "Reads everything; first ends changes of regions and indexes that were begun, and builds "
      "the\n"
      "columns of the directory that are not built, as after a crash. Exits 0 if all agree, 1 "
      "with\n"
      "examples if not. With --repair, what was found is repaired, and verified once more.");
  struct VerifyOptions {
    TableOptions table;
    bool repair = false;
  };
  auto options = std::make_shared<VerifyOptions>();
  AddTable(command, options->table);
  command.Flag("--repair", options->repair,
               "Make entries of rows that lack them, remove entries without a row and rows outside "
               "their server's regions, and build columns that disagree again. Rows that cannot be "
               "read stay");
  command.SetAction([&settings, options] {
    return WithTable(options->table, [&](index::Cluster& table) {
      return options->repair ? RunTableRepair(settings, table) : RunTableVerify(settings, table);
    });
  });
}

}  // namespace trommel::tool
