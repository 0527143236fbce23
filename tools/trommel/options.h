// Options that several subcommands share, so that they are called and checked the same everywhere.
#ifndef TROMMEL_TOOLS_OPTIONS_H_
#define TROMMEL_TOOLS_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/trommel/key_format.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"

namespace trommel::tool {

// What is said once for all subcommands.
struct Settings {
  bool json = false;
  bool quiet = false;
  std::string target;
  std::string program = "trommel";  // what to type to run this again
};

// Where keys come from: the files and how to read them.
struct KeyInput {
  std::vector<std::string> paths;  // empty or "-": standard input
  KeyOptions options;
  uint32_t num_threads = 1;  // 0: as many as the machine offers

  bool reads_stdin() const;
  // All that is read, "-" for standard input: none of it may be the output. "": no key file.
  std::vector<std::string> AllInputs(const std::string& key_file) const;
  // The threads to read them with; null when this one is enough.
  std::shared_ptr<Executor> MakeExecutor() const;
};

// What kind of filter to make.
struct FilterOptions {
  uint64_t capacity = 0;  // 0: not given
  double target_fpr = 0;
  uint32_t num_slices = 0;  // 0: not given
  Encoding encoding = CountingConfig{}.encoding;
  DigestPolicy digest;
  std::string key_file;  // of --digest siphash; its key is not read yet
  bool power_of_two_blocks = false;

  CountingConfig ToConfig() const;
  SizingRequest ToRequest() const;
};

// FILES and --threads, --keys, --column, --header, --crlf, --keep-empty. FinishKeyInput must be
// called in the subcommand's callback: it throws CLI::ValidationError when the options contradict
// each other.
struct KeyInputText {
  std::string format;
  std::string column;
  std::string time;
  std::string time_unit;
};
void AddKeyInput(CLI::App& command, KeyInput& input, KeyInputText& text);
void FinishKeyInput(KeyInput& input, const KeyInputText& text);
// --time and --time-unit, for subcommands that window filters know the time of; FinishKeyInput
// reads them too.
void AddKeyTimes(CLI::App& command, KeyInputText& text);

// --threads alone.
void AddThreads(CLI::App& command, uint32_t& num_threads);

// -n/--capacity, -p/--fpr, --encoding, --slices, --power-of-two.
// Which slices go with which encoding is for sizing to say.
void AddSizing(CLI::App& command, FilterOptions& options, double default_fpr);
// --encoding alone.
void AddEncoding(CLI::App& command, Encoding& encoding);

// Options with values as number_text.h reads them; a count or size of 0 is a usage error.
CLI::Option* AddCount(CLI::App& command, const std::string& name, uint64_t& value,
                      const std::string& help);
CLI::Option* AddBytes(CLI::App& command, const std::string& name, uint64_t& value,
                      const std::string& help);
// --memory-limit of a command that loads a filter file, which may grow.
void AddFileMemoryLimit(CLI::App& command, uint64_t& memory_limit_bytes);
CLI::Option* AddRate(CLI::App& command, const std::string& name, double& value,
                     const std::string& help);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_OPTIONS_H_
