// Options of commands that open or write a filter file.
#include "tools/trommel/options/file_options.h"

#include <fmt/core.h>

#include "tools/trommel/options/digest_options.h"
#include "tools/trommel/options/key_options.h"
#include "tools/trommel/options/value_options.h"
#include "tools/trommel/output/time_text.h"

namespace trommel::tool {

void AddFilterFile(Command& command, ReadOptions& options) {
  command.Text("FILTER", options.filter, "", "Filter file").Required();
  AddReadLimit(command, options.memory_limit_bytes);
}

void AddReadLimit(Command& command, uint64_t& memory_limit_bytes) {
  AddBytes(command, "--memory-limit", memory_limit_bytes,
           "Memory at most for the filter's blocks: 64MiB, 2GB (default: the "
           "machine's). A filter that needs more is not loaded, and the exit code is 3");
}

void AddOutput(Command& command, OutputOptions& options) {
  command.Text("-o,--output", options.path, "FILE", "The filter file to write").Required();
  command.Flag("-f,--force", options.force, "Overwrite the file if it exists");
  AddWait(command, options.wait_seconds);
}

void AddUpdate(Command& command, UpdateOptions& options) {
  command.Text("FILTER", options.filter, "", "Filter file; replaced in one step at the end")
      .Required();
  const Option output = command.Text("-o,--output", options.output.path, "FILE",
                                     "Write this file and leave FILTER as it is");
  command.Flag("-f,--force", options.output.force, "Overwrite the output if it exists")
      .Needs(output);
  AddWait(command, options.output.wait_seconds);
  AddMemoryLimit(command, options.memory_limit_bytes);
  AddKeyFile(command, options.key_file);
}

void AddWait(Command& command, double& seconds) {
  constexpr double kMostSeconds = 1e6;  // eleven days; what clocks count in must not overflow
  AddSeconds(
      command, "--wait", 0, kMostSeconds, seconds,
      fmt::format("Wait this long while another command changes the file, then exit 3 with nothing "
                  "changed (default {:g}; 0: do not wait)",
                  seconds));
}

void AddNow(Command& command, NowOption& option) {
  const std::string group = "With a window filter";
  const Option now =
      command
          .Text("--now", option.text, "TIME",
                "Look at the filter as of this time, which must not be before the filter's own: a "
                "number of seconds (see --time-unit) or ISO 8601, as in its --time column")
          .Group(group);
  AddTimeUnit(command, option.unit, "--now").Needs(now).Group(group);
}

Status ApplyNow(const NowOption& option, AnyFilter& filter) {
  if (option.text.empty()) return Ok();
  const TimeUnit unit = TimeUnitFromName(option.unit).value_or(TimeUnit::kSeconds);
  const Result<uint64_t> now = ParseTime(option.text, unit);
  if (!now.ok()) return Error{now.error().code, fmt::format("--now: {}", now.error().message)};
  const Result<bool> moved = filter.Advance(*now);
  if (!moved.ok())
    return Error{moved.error().code, fmt::format("--now: {}", moved.error().message)};
  if (*moved) return Ok();
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--now: the window filter's time is {} ms already, past {} ms",
                           filter.now(), *now)};
}

}  // namespace trommel::tool
