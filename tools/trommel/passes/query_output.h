// What a query prints: a summary, a count, or the lines of its input.
#ifndef TROMMEL_TOOLS_QUERY_OUTPUT_H_
#define TROMMEL_TOOLS_QUERY_OUTPUT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tools/trommel/options/command_line.h"
#include "tools/trommel/output/line_writer.h"
#include "tools/trommel/output/report.h"
#include "trommel/result.h"

namespace trommel::tool {

struct QueryOutput {
  bool print_present = false;
  bool print_absent = false;
  bool print_counts = false;
  bool count_only = false;

  bool prints_lines() const { return print_present || print_absent || print_counts; }
};

// --print-present, --print-absent, --print-counts and -c/--count, of which at most one may be
// given. `noun`: "key" or "row".
void AddQueryOutput(Command& command, QueryOutput& output, const std::string& noun);

// Prints the lines that were chosen, batch by batch, to standard output. Not thread-safe.
class LinePrinter {
 public:
  // The terminator's bytes must outlive the printer.
  LinePrinter(const QueryOutput& output, std::string_view terminator);

  // All that is known of a batch: bit i of `maybe_present` is line i's answer, counts[i] its count
  // (empty unless counts are printed). A header, unless it is empty, comes before the lines. Fails
  // as LineWriter does.
  Status Print(const std::string& header, std::span<const std::string_view> lines,
               std::span<const uint64_t> maybe_present, std::span<const uint64_t> counts);

  Status Flush() { return writer_.Flush(); }

 private:
  const QueryOutput& output_;
  LineWriter writer_;
  std::string line_;
};

// Ends a query of `num_queried` lines: prints the count alone (-c), or the report that
// `describe_before` and `describe_after` add to, unless lines were printed and no JSON is wanted.
// Returns kDone if any may be present.
int FinishQuery(const QueryOutput& output, bool json, uint64_t num_queried, uint64_t num_present,
                const std::function<void(Report&)>& describe_before,
                const std::function<void(Report&)>& describe_after);

// "0.972 % (the share of non-members that are "maybe present")".
std::string FalsePositivesText(double fpr);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_QUERY_OUTPUT_H_
