// The subcommands of `trommel` on one command line, and what holds for all of them.
#ifndef TROMMEL_TOOLS_COMMAND_LIST_H_
#define TROMMEL_TOOLS_COMMAND_LIST_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tools/trommel/options/command_line.h"

namespace trommel::tool {

// A chapter of `trommel help` and of the man page.
struct Topic {
  struct Entry {
    std::string_view term;  // empty: a paragraph
    std::string_view text;
  };

  std::string_view title;
  std::vector<Entry> entries;
};

std::span<const Topic> Topics();

// The whole command line. `settings` must live as long. Where the `first` argument names a
// subcommand other than help, that one is declared alone: to declare all takes a third of a
// command's start.
std::unique_ptr<CommandLine> MakeCommandLine(Settings& settings, std::string_view first = "");

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_COMMAND_LIST_H_
