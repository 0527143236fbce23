// Options that several subcommands have: numbers, sizes and encodings; digests; files.
#ifndef TROMMEL_TOOLS_FILE_OPTIONS_H_
#define TROMMEL_TOOLS_FILE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/options/command_line.h"
#include "trommel/any_filter.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel::tool {

struct FilterOptions;

// Options whose values are numbers, so that they are written and checked the same everywhere.

// Values as number_text.h reads them. A count or size of 0 is a usage error: it means "not given"
// to what reads these options.
Option AddCount(Command& command, const std::string& names, uint64_t& value,
                const std::string& help);
Option AddBytes(Command& command, const std::string& names, uint64_t& value,
                const std::string& help);
Option AddRate(Command& command, const std::string& names, double& value, const std::string& help);

// A whole number of [least, most].
Option AddNumber(Command& command, const std::string& names, uint64_t least, uint64_t most,
                 const std::string& type, const std::string& help,
                 const std::function<void(uint64_t)>& set);

// Seconds of [least, most], perhaps with a fraction.
Option AddSeconds(Command& command, const std::string& names, double least, double most,
                  double& value, const std::string& help);

// --threads.
void AddThreads(Command& command, uint32_t& num_threads);

// --encoding.
std::vector<std::string> EncodingNames();       // of presence bits: all types of filters take them
std::vector<std::string> AllEncodingNames();    // of counting filters, "automatic" last
std::vector<std::string> FixedEncodingNames();  // the same without "automatic"
void AddEncoding(Command& command, Encoding& encoding,
                 const std::vector<std::string>& names = EncodingNames());
Encoding EncodingFromName(const std::string& name);  // Requires one of AllEncodingNames

// A command that only reads a filter file.
struct ReadOptions {
  std::string filter;
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory
};

// FILTER and --memory-limit.
void AddFilterFile(Command& command, ReadOptions& options);
// --memory-limit alone, of a command that only reads filters.
void AddReadLimit(Command& command, uint64_t& memory_limit_bytes);

// -o, --force and --wait, for commands that make a filter.
void AddOutput(Command& command, OutputOptions& options);

// A command that changes a filter file.
struct UpdateOptions {
  std::string filter;
  OutputOptions output;
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory
  std::string key_file;
};

// FILTER, -o, --force, --wait, --memory-limit and --key-file.
void AddUpdate(Command& command, UpdateOptions& options);

// --wait alone; `seconds` holds the default.
void AddWait(Command& command, double& seconds);

struct NowOption {
  std::string text;  // empty: the filter's own time, as it was saved
  std::string unit;  // of a plain number
};

// --now, and the --time-unit of its numbers.
void AddNow(Command& command, NowOption& option);

// Advances the filter's time to the one given; the file stays as it is. Fails with
// kInvalidArgument, naming the option, for what is no time or lies before the filter's, and for
// types without time.
Status ApplyNow(const NowOption& option, AnyFilter& filter);

// --digest, --seed and --key-file: how keys become digests.

// All three, for commands that make a filter.
void AddDigest(Command& command, FilterOptions& options);
// Completes options.digest, by --prefer too. Throws UsageError where options contradict each other.
// For the subcommand's action.
void FinishDigest(const Command& command, FilterOptions& options);
// Makes options.digest a keyed one if there is a key file. Fails as ReadKeyFile does.
Status ReadDigestKey(FilterOptions& options);

// --key-file alone, for commands that hash keys for a filter file.
void AddKeyFile(Command& command, std::string& key_file);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FILE_OPTIONS_H_
