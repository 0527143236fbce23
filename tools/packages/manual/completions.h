// Completions of a command in bash and zsh, from the declarations of its command line.
#ifndef TROMMEL_TOOLS_COMPLETIONS_H_
#define TROMMEL_TOOLS_COMPLETIONS_H_

#include <string>

#include "tools/trommel/options/command_line.h"

namespace trommel::tool {

// A script to be sourced, or found by bash-completion under the command's name: subcommands,
// options, the words that an option's value may be, and files where one is asked for.
std::string BashCompletion(const CommandText& command);

// The function of zsh's completion system, to be found as _NAME in $fpath: the same, with what each
// option does.
std::string ZshCompletion(const CommandText& command);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_COMPLETIONS_H_
