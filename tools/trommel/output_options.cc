// Where commands write.
#include "tools/trommel/output_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

namespace trommel::tool {
namespace {

constexpr double kMostSeconds = 1e6;  // eleven days; what clocks count in must not overflow

double ParseSeconds(const std::string& text) {
  double seconds = -1;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seconds);
  if (parsed.ec == std::errc() && parsed.ptr == end && seconds >= 0 && seconds <= kMostSeconds) {
    return std::fabs(seconds);  // "-0" is 0
  }
  throw CLI::ValidationError(
      "--wait", fmt::format("must be a number of seconds from 0 to 1,000,000; got '{}'", text));
}

}  // namespace

void AddOutput(CLI::App& command, OutputOptions& options) {
  command.add_option("-o,--output", options.path, "The filter file to write")->required();
  command.add_flag("-f,--force", options.force, "Overwrite the file if it exists");
  AddWait(command, options.wait_seconds);
}

void AddUpdateOutput(CLI::App& command, std::string& filter, OutputOptions& options) {
  command.add_option("FILTER", filter, "Filter file; replaced in one step at the end")->required();
  CLI::Option* output =
      command.add_option("-o,--output", options.path, "Write here and leave FILTER as it is");
  command.add_flag("-f,--force", options.force, "Overwrite the output if it exists")->needs(output);
  AddWait(command, options.wait_seconds);
}

void AddWait(CLI::App& command, double& seconds) {
  command
      .add_option_function<std::string>(
          "--wait", [&seconds](const std::string& text) { seconds = ParseSeconds(text); },
          fmt::format("Wait this long while another command changes the file that is to be "
                      "replaced, then exit 3 with nothing changed (default {:g}; 0: do not wait)",
                      seconds))
      ->type_name("SECONDS");
}

}  // namespace trommel::tool
