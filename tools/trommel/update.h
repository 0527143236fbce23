// What insert and erase share: load a filter, apply keys, save it.
#ifndef TROMMEL_TOOLS_UPDATE_H_
#define TROMMEL_TOOLS_UPDATE_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

#include "tools/trommel/family_filter.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/options.h"
#include "tools/trommel/output_options.h"
#include "tools/trommel/report.h"

namespace trommel::tool {

struct UpdateOptions {
  std::string filter;
  OutputOptions output;
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory
  std::string key_file;
  KeyInput input;
  KeyInputText input_text;
};

// FILTER, -o, --force, --wait, --memory-limit, the key options and --time.
void AddUpdateOptions(CLI::App& command, UpdateOptions& options);

struct UpdateSteps {
  // Whether the filter can do it at all, by its type; the error is a usage error. May be empty.
  std::function<Status(const FamilyFilter&, bool has_times)> check;
  std::function<void(FamilyFilter&, std::span<const uint64_t> digests,
                     std::span<const uint64_t> times)>
      apply;
  // Adds what became of the keys to the report, and returns the exit code.
  std::function<ExitCode(Report&)> describe;
};

// Applies all keys, saves, and reports what was read, what the filter is now, and what became of
// the keys. Returns the exit code.
int RunUpdate(std::string_view what, const UpdateOptions& options, const Settings& settings,
              const UpdateSteps& steps);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_UPDATE_H_
