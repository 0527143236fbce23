// Where keys come from and how they are read.
#ifndef TROMMEL_TOOLS_KEY_OPTIONS_H_
#define TROMMEL_TOOLS_KEY_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/input/key_format.h"
#include "tools/trommel/options/command_line.h"
#include "trommel/executor.h"

namespace trommel::tool {

// The files, and how to read them.
struct KeyInput {
  std::vector<std::string> paths;  // empty or "-": standard input
  KeyOptions options;
  uint32_t num_threads = 1;   // 0: as many as the machine offers
  bool is_recursive = false;  // paths are those of files only from the parsed command line on
  bool are_hosts = false;     // kHosts
  uint64_t max_leap = 0;      // ticks (number_text.h), UINT64_MAX: any; 0: not given

  // As given; options are not what these say before Finish.
  struct {
    std::string format;
    std::string column;
    std::string time;
    std::string time_unit;
  } text;

  // Sets `options` by the texts. Throws UsageError where options contradict each other. For the
  // subcommand's action.
  void Finish();

  bool reads_stdin() const;
  // All that is read, "-" for standard input: none of it may be the output. "": no key file.
  std::vector<std::string> AllInputs(const std::string& key_file) const;
  // The threads to read them with; null when this one is enough.
  std::shared_ptr<Executor> MakeExecutor() const;
};

// FILES and -r, of which `input` has the files below the folders once the command line is parsed.
void AddFiles(Command& command, KeyInput& input, const std::string& help, const std::string& group);
// FILES, -r and --threads, --keys, --hosts, --column, --header, --crlf, --comment, --keep-empty,
// --as-lines.
void AddKeyInput(Command& command, KeyInput& input);
// --time and --time-unit, for subcommands that take keys of window filters.
void AddKeyTimes(Command& command, KeyInput& input);
// --max-leap, for those whose keys move a window filter's clock.
void AddMaxLeap(Command& command, KeyInput& input);

// --comment and --as-lines; `group` is their heading.
void AddComment(Command& command, std::string& comment, const std::string& group);
void AddAsLines(Command& command, bool& as_lines, const std::string& group);

// --time-unit of the numbers that `what` says.
Option AddTimeUnit(Command& command, std::string& unit, const std::string& what);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_OPTIONS_H_
