// What a query prints.
#include "tools/trommel/passes/query_output.h"

#include <fmt/core.h>
#include <unistd.h>

#include "tools/trommel/output/number_text.h"

namespace trommel::tool {

void AddQueryOutput(Command& command, QueryOutput& output, const std::string& noun) {
  const std::string group = "Output (at most one of these; default: a summary)";
  const auto add = [&](const char* names, bool& value, const std::string& help) {
    return command.Flag(names, value, help).Group(group);
  };
  command.AtMostOne(
      {add("--print-present", output.print_present,
           fmt::format("Print the lines whose {} may be present", noun)),
       add("--print-absent", output.print_absent,
           fmt::format("Print the lines whose {} is certainly absent", noun)),
       add("--counts,--print-counts", output.print_counts,
           fmt::format("Print every line after an upper bound of its {}'s count, and a tab; a "
                       "header after \"count\"",
                       noun)),
       add("-c,--count", output.count_only,
           fmt::format("Print only how many {}s may be present", noun))});
}

LinePrinter::LinePrinter(const QueryOutput& output, std::string_view terminator)
    : output_(output), writer_(STDOUT_FILENO, terminator) {}

Status LinePrinter::Print(const std::string& header, std::span<const std::string_view> lines,
                          std::span<const uint64_t> maybe_present,
                          std::span<const uint64_t> counts) {
  if (!output_.prints_lines()) return Ok();
  if (!header.empty()) {
    // Columns keep their names: a line has one more where counts are printed.
    const std::string columns = (output_.print_counts ? "count\t" : "") + header;
    if (Status written = writer_.Write(columns); !written.ok()) return written;
  }
  if (!output_.print_counts) {
    const Result<uint64_t> written =
        writer_.WriteSelected(lines, maybe_present, output_.print_present);
    return written.ok() ? Ok() : Status(written.error());
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    line_ = std::to_string(counts[i]);
    line_ += '\t';
    line_ += lines[i];
    if (Status written = writer_.Write(line_); !written.ok()) return written;
  }
  return Ok();
}

int FinishQuery(const QueryOutput& output, bool json, uint64_t num_queried, uint64_t num_present,
                const std::function<void(Report&)>& describe_before,
                const std::function<void(Report&)>& describe_after) {
  const ExitCode code = num_present > 0 ? kDone : kNegativeAnswer;
  if (output.prints_lines() && !json) return code;
  Report report;
  if (output.count_only && !json) {
    report.AddLine(std::to_string(num_present));
    return Finish(report, false, code);
  }
  describe_before(report);
  report.Add("num_maybe_present", num_present, "maybe present", FormatCount(num_present));
  const uint64_t num_absent = num_queried - num_present;
  report.Add("num_absent", num_absent, "absent", FormatCount(num_absent));
  describe_after(report);
  return Finish(report, json, code, output.prints_lines() ? stderr : stdout);
}

std::string FalsePositivesText(double fpr) {
  return fmt::format("{} (the share of non-members that are \"maybe present\")", FormatRate(fpr));
}

}  // namespace trommel::tool
