// --now: the time that a filter loaded from a file is looked at.
#ifndef TROMMEL_TOOLS_NOW_OPTION_H_
#define TROMMEL_TOOLS_NOW_OPTION_H_

#include <CLI/CLI.hpp>
#include <string>

#include "tools/trommel/family_filter.h"
#include "trommel/result.h"

namespace trommel::tool {

struct NowOption {
  std::string text;  // empty: the filter's own time, as it was saved
  std::string unit;  // of a plain number
};

// --now, and the --time-unit of its numbers.
void AddNow(CLI::App& command, NowOption& option);

// Moves the filter's time on to what was asked for; the file stays as it is. kInvalidArgument,
// naming the option, for what is no time or lies before the filter's, and for types without time.
Status ApplyNow(const NowOption& option, FamilyFilter& filter);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_NOW_OPTION_H_
