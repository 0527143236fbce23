// The help pages, with the descriptions of options wrapped.
#ifndef TROMMEL_TOOLS_HELP_TEXT_H_
#define TROMMEL_TOOLS_HELP_TEXT_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace trommel::tool {

// CLI11's formatter, except that no option's description makes a line longer than 92 columns.
class HelpText : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override;
};

// `text` with the space before each word that would pass `width` columns replaced by a newline. A
// word longer than that has a line of its own.
std::string Wrapped(std::string_view text, size_t width);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_HELP_TEXT_H_
