// trommel targets: which instruction sets there are, which one runs, and why.
#include "trommel/targets.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

Json NamesJson(const std::vector<std::string_view>& names) {
  Json json = Json::Array();
  for (const std::string_view name : names) json.Append(name);
  return json;
}

int RunTargets(const Settings& settings) {
  const std::vector<std::string_view> runnable = RunnableTargets();
  const std::vector<std::string_view> compiled = CompiledTargets();
  const std::string_view active = ActiveTarget();
  const char* environment = std::getenv("TROMMEL_TARGET");
  std::string reason = "the best this CPU can run";
  if (!settings.target.empty()) {
    reason = "--target";
  } else if (environment != nullptr && *environment != '\0') {
    reason = "TROMMEL_TARGET";
  }

  Report report;
  report.AddLine("Instruction sets compiled in, best first:");
  for (const std::string_view target : compiled) {
    const bool can_run = std::find(runnable.begin(), runnable.end(), target) != runnable.end();
    report.AddLine(fmt::format("  {:<12} {}", target,
                               target == active ? fmt::format("active: {}", reason)
                               : can_run        ? "runnable"
                                                : "this CPU cannot run it"));
  }
  report.AddLine(
      "All give the same answers and bytes. Choose one with --target or TROMMEL_TARGET.");
  report.AddField("active", std::string(active));
  report.AddField("reason", reason);
  report.AddField("runnable", NamesJson(runnable));
  report.AddField("compiled", NamesJson(compiled));
  return Finish(report, settings.json, kDone);
}

}  // namespace

void AddTargetsCommand(Command& parent, const Settings& settings) {
  parent.AddSubcommand("targets", "Show the instruction sets, and which one is used and why")
      .SetAction([&settings] { return RunTargets(settings); });
}

}  // namespace trommel::tool
