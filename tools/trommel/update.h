// What insert and erase share: load a filter, apply keys, save it.
#ifndef TROMMEL_TOOLS_UPDATE_H_
#define TROMMEL_TOOLS_UPDATE_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

#include "tools/trommel/family_filter.h"
#include "tools/trommel/filter_file.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/options.h"
#include "tools/trommel/report.h"

namespace trommel::tool {

struct UpdateOptions {
  std::string filter;
  std::string output;  // empty: the filter's own file
  bool force = false;
  std::string key_file;
  KeyInput input;
  KeyInputText input_text;
};

// FILTER, -o, --force, the key options and --time.
void AddUpdateOptions(CLI::App& command, UpdateOptions& options);

struct UpdateSteps {
  // Whether the filter can do it at all, by its type; the error is a usage error. May be empty.
  std::function<Status(const FamilyFilter&, bool has_times)> check;
  std::function<void(FamilyFilter&, std::span<const uint64_t> digests,
                     std::span<const uint64_t> times)>
      apply;
};

// Applies all keys, saves, and adds what was read and what the filter is now to `report`. Returns
// kDone, or the exit code after saying why; nothing is written then.
int ApplyUpdate(std::string_view what, const UpdateOptions& options, const Settings& settings,
                const UpdateSteps& steps, Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_UPDATE_H_
