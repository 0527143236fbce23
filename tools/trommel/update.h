// What insert and erase share: load a filter, apply keys, save it.
#ifndef TROMMEL_TOOLS_UPDATE_H_
#define TROMMEL_TOOLS_UPDATE_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "tools/trommel/filter_file.h"
#include "tools/trommel/key_pass.h"
#include "tools/trommel/options.h"
#include "tools/trommel/report.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {

struct UpdateOptions {
  std::string filter;
  std::string output;  // empty: the filter's own file
  bool force = false;
  KeyInput input;
  KeyInputText input_text;
};

// FILTER, -o, --force and the key options.
void AddUpdateOptions(CLI::App& command, UpdateOptions& options);

// Applies all keys, saves, and adds what was read and what the filter is now to `report`. Returns
// kDone, or the exit code after saying why; nothing is written then.
int ApplyUpdate(std::string_view what, const UpdateOptions& options, const Settings& settings,
                const std::function<void(CountingFilter&, Keys)>& apply, Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_UPDATE_H_
