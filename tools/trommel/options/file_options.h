// Options of commands that open or write a filter file: where to, what to do about a file that is
// there, how long to wait for it, and the time as of which it is looked at.
#ifndef TROMMEL_TOOLS_FILE_OPTIONS_H_
#define TROMMEL_TOOLS_FILE_OPTIONS_H_

#include <cstdint>
#include <string>

#include "tools/trommel/filters/filter_output.h"
#include "tools/trommel/options/command_line.h"
#include "trommel/any_filter.h"
#include "trommel/result.h"

namespace trommel::tool {

// A command that only reads a filter file.
struct ReadOptions {
  std::string filter;
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory
};

// FILTER and --memory-limit.
void AddFilterFile(Command& command, ReadOptions& options);
// --memory-limit alone, of a command that only reads filters.
void AddReadLimit(Command& command, uint64_t& memory_limit_bytes);

// -o, --force and --wait, for commands that make a filter.
void AddOutput(Command& command, OutputOptions& options);

// A command that changes a filter file.
struct UpdateOptions {
  std::string filter;
  OutputOptions output;
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory
  std::string key_file;
};

// FILTER, -o, --force, --wait, --memory-limit and --key-file.
void AddUpdate(Command& command, UpdateOptions& options);

// --wait alone; `seconds` holds the default.
void AddWait(Command& command, double& seconds);

struct NowOption {
  std::string text;  // empty: the filter's own time, as it was saved
  std::string unit;  // of a plain number
};

// --now, and the --time-unit of its numbers.
void AddNow(Command& command, NowOption& option);

// Advances the filter's time to the one given; the file stays as it is. Fails with
// kInvalidArgument, naming the option, for what is no time or lies before the filter's, and for
// types without time.
Status ApplyNow(const NowOption& option, AnyFilter& filter);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FILE_OPTIONS_H_
