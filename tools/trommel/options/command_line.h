// The command line: subcommands, their options and their help pages. CLI11 parses it; that library
// is seen by command_line.cc alone, for it is slow to compile.
#ifndef TROMMEL_TOOLS_COMMAND_LINE_H_
#define TROMMEL_TOOLS_COMMAND_LINE_H_

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace trommel::tool {

// What a command line is, as data: for man pages and completions, which are made from the same
// declarations as the help pages.

// An option, or an argument without a name, as it was declared.
struct OptionText {
  std::vector<std::string> names;    // {"-n", "--capacity"}; {"FILTER"} of an argument
  std::string value;                 // "COUNT", "[FILE]"; empty for a flag
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

// The options of all subcommands.
struct Settings {
  bool json = false;
  bool quiet = false;
  std::string target;
  std::string program = "trommel";  // what to type to run this again
  std::string typed = "trommel";    // the whole command, for reports
};

// What was typed, to be shown in reports: arguments are quoted for a shell where they need it.
std::string TypedCommand(std::string_view program, std::span<char* const> arguments);

// Thrown by the actions of subcommands (Command::SetAction) for options that contradict each other.
struct UsageError {
  std::string option;
  std::string message;
};

// An option that was declared. A handle: copies are the same option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option Required() const;
  Option Needs(Option other) const;
  Option Excludes(Option other) const;
  // All others are usage errors; `reasons` has what to say of some of them beside the list.
  Option OneOf(const std::vector<std::string>& values,
               const std::map<std::string, std::string>& reasons = {}) const;
  Option Group(const std::string& group) const;  // its heading on the help page
  Option Help(const std::string& help) const;    // instead of what was said before

 private:
  friend class Command;

  CLI::Option* option_;
};

// A subcommand. A handle, as Option is. Options are declared with their `names`, "-n,--capacity",
// or "FILTER" for an argument without a name, with `type`, which is what the help page calls a
// value, and with `help`. Values are written while the command line is parsed and must live until
// then.
class Command {
 public:
  // Of the description, the page above shows the first line only. One subcommand must be chosen.
  Command AddSubcommand(const std::string& name, const std::string& description);
  // The heading, on the page above, of the subcommands that are added from here on.
  void StartGroup(const std::string& group) { group_ = group; }

  Option Flag(const std::string& names, bool& value, const std::string& help);
  // An empty text is a usage error, here and of Arguments; not if the value is optional.
  Option Text(const std::string& names, std::string& value, const std::string& type,
              const std::string& help);
  Option Text(const std::string& names, std::optional<std::string>& value, const std::string& type,
              const std::string& help);
  // A value that `parse` takes, or refuses with a message, to which the option's name is added.
  Option Parsed(const std::string& names, const std::string& type, const std::string& help,
                const std::function<Status(const std::string&)>& parse);
  // A list "A,B" whose parts `parse` takes one by one.
  Option ParsedList(const std::string& names, const std::string& help,
                    const std::function<Status(const std::string&)>& parse);
  // All arguments without a name that are left.
  Option Arguments(const std::string& name, std::vector<std::string>& values,
                   const std::string& help);
  // May be given several times, each time with one value.
  Option Repeatable(const std::string& names, std::vector<std::string>& values,
                    const std::string& type, const std::string& help);
  // "--json [FILE]": without a value it is `without`.
  Option OptionalText(const std::string& names, std::string& value, const std::string& without,
                      const std::string& type, const std::string& help);
  // Of these, at most one may be given.
  void AtMostOne(const std::vector<Option>& options);

  // Called when all values are written, before the action. May throw UsageError.
  void WhenParsed(std::function<void()> call);

  Option Find(const std::string& name) const;   // Requires an option that was declared
  bool IsGiven(const std::string& name) const;  // once the command line was parsed

  // What to do if this subcommand is chosen: returns the exit code, or throws UsageError.
  void SetAction(std::function<int()> action);

 protected:
  using Actions = std::map<const CLI::App*, std::function<int()>>;

  Command(CLI::App* app, Actions* actions) : app_(app), actions_(actions) {}

  CLI::App* app_;
  Actions* actions_;
  std::string group_ = "Subcommands";
};

// In the order of the first page.
struct Subcommand {
  std::string_view name;
  void (*add)(Command& parent, const Settings& settings);
  const char* group = nullptr;  // begins here
};

// Adds the subcommand named `first` alone, for a shorter start, or all: returns whether it did
// that.
bool AddSubcommands(Command& parent, std::span<const Subcommand> subcommands,
                    std::string_view first, const Settings& settings);

enum class HelpLength { kScreen, kWhole };

// The whole command line.
class CommandLine : public Command {
 public:
  // The first help page is `description`, the subcommands and `more`. `name` is the program's.
  explicit CommandLine(const std::string& description, const std::string& more = "",
                       const std::string& version = "", const std::string& name = "trommel");
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Two lines for a shell, with which the page of --help begins; it is short then. They work on
  // files of a stock Debian, or the second one on what the first one makes. Requires a subcommand
  // that is there: "attr build".
  void AddExamples(const std::string& subcommand, const std::string& first,
                   const std::string& second);

  // Parses the arguments and, if `prepare` returns kDone, does the chosen subcommand's action.
  // Returns its exit code. What is wrong with the arguments is one line on standard error and
  // kUsageError; help and version go to standard output.
  int Run(const std::vector<std::string>& arguments, const std::function<int()>& prepare);

  // The help page of the subcommand that the words name, whole or the screenful that --help shows;
  // without words, the first page. Fails with kInvalidArgument for a subcommand that is not there.
  Result<std::string> HelpOf(const std::vector<std::string>& words,
                             HelpLength length = HelpLength::kWhole) const;

  // What was declared, in its order. Options of all subcommands are those of the first page.
  CommandText Describe() const;

 private:
  int Fail(const std::string& message) const;

  Actions all_actions_;
};

// `text` with the space before each word that would pass `width` columns replaced by a newline. A
// word longer than that has a line of its own.
std::string Wrapped(std::string_view text, size_t width);

// A line that begins so, with the text wrapped beside it as far as a terminal's 80 columns.
std::string Beside(const std::string& left, std::string_view text);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_COMMAND_LINE_H_
