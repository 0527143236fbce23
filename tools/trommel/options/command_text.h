// What a command line is, as data: for man pages and completions, which are made from the same
// declarations as the help pages.
#ifndef TROMMEL_TOOLS_COMMAND_TEXT_H_
#define TROMMEL_TOOLS_COMMAND_TEXT_H_

#include <string>
#include <vector>

namespace trommel::tool {

// An option, or an argument without a name, as it was declared.
struct OptionText {
  std::vector<std::string> names;    // {"-n", "--capacity"}; {"FILTER"} of an argument
  std::string value;                 // "COUNT", "[FILE]", "A.json B.json"; empty for a flag
  std::string help;                  // one paragraph
  std::string group;                 // its heading on the help page
  std::vector<std::string> choices;  // all values that are legal, where these are words
  bool is_argument = false;
  bool is_required = false;
  bool takes_many = false;  // several values, or the option several times
};

struct CommandText {
  std::string name;                   // "trommel attr build"
  std::string group;                  // its heading on the page above
  std::string description;            // the first line is a summary
  std::vector<std::string> examples;  // lines for a shell
  std::vector<OptionText> options;
  std::vector<CommandText> subcommands;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_COMMAND_TEXT_H_
