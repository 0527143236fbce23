// Options that several subcommands share.
#include "tools/trommel/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "tools/trommel/number_text.h"

namespace trommel::tool {
namespace {

template <class T>
CLI::Option* AddParsed(CLI::App& command, const std::string& name, T& value,
                       const std::string& help, Result<T> (*parse)(std::string_view)) {
  const std::string long_name = name.substr(name.find("--"));
  CLI::Option* option = command.add_option_function<std::string>(
      name,
      [&value, long_name, parse](const std::string& text) {
        const Result<T> parsed = parse(text);
        if (!parsed.ok()) throw CLI::ValidationError(long_name, parsed.error().message);
        value = *parsed;
      },
      help);
  return option;
}

// Zero means "not given" to what reads these options, and is no capacity or size to ask for.
Result<uint64_t> AtLeastOne(std::string_view text, const Result<uint64_t>& parsed) {
  if (!parsed.ok() || *parsed > 0) return parsed;
  return Error{ErrorCode::kInvalidArgument, fmt::format("{} must be at least 1", Quoted(text))};
}

Result<uint64_t> ParseSomeCount(std::string_view text) {
  return AtLeastOne(text, ParseCount(text));
}

Result<uint64_t> ParseSomeBytes(std::string_view text) {
  return AtLeastOne(text, ParseBytes(text));
}

Result<uint32_t> ParseThreads(std::string_view text) {
  const Result<uint64_t> number = ParseU64(text);
  if (number.ok() && *number <= Executor::kMaxThreads) return static_cast<uint32_t>(*number);
  return Error{ErrorCode::kInvalidArgument, fmt::format("{} is not a whole number from 0 to {}",
                                                        Quoted(text), Executor::kMaxThreads)};
}

Result<uint32_t> ParseSlices(std::string_view text) {
  const Result<uint64_t> number = ParseU64(text);
  if (number.ok() && *number > 0 && std::in_range<uint32_t>(*number)) {
    return static_cast<uint32_t>(*number);
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("{} is no number of slices", Quoted(text))};
}

// The column that the text names or numbers. Names need a header to be found in.
ColumnChoice ToColumn(const std::string& option, const std::string& text, bool has_header) {
  const bool is_number =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) {
    const Result<uint64_t> number = ParseU64(text);
    if (!number.ok() || *number == 0) {
      throw CLI::ValidationError(option, "columns are counted from 1");
    }
    return {.idx = *number - 1, .name = {}};
  }
  if (has_header) return {.idx = 0, .name = text};
  throw CLI::ValidationError(option, fmt::format("the name {} needs --header", Quoted(text)));
}

}  // namespace

bool KeyInput::reads_stdin() const {
  return paths.empty() || std::find(paths.begin(), paths.end(), "-") != paths.end();
}

std::vector<std::string> KeyInput::AllInputs(const std::string& key_file) const {
  std::vector<std::string> inputs = paths;
  if (reads_stdin()) inputs.push_back("-");
  if (!key_file.empty()) inputs.push_back(key_file);
  return inputs;
}

std::shared_ptr<Executor> KeyInput::MakeExecutor() const {
  if (num_threads == 1) return nullptr;
  return Executor::Create(num_threads).value();  // --threads takes no number that it does not
}

CountingConfig FilterOptions::ToConfig() const {
  CountingConfig config;
  config.capacity = capacity;
  config.target_fpr = target_fpr;
  config.digest = digest;
  config.num_slices = num_slices;
  config.encoding = encoding;
  config.power_of_two_blocks = power_of_two_blocks;
  return config;
}

SizingRequest FilterOptions::ToRequest() const {
  SizingRequest request;
  request.capacity = capacity;
  request.target_fpr = target_fpr;
  request.num_slices = num_slices;
  request.encoding = encoding;
  request.power_of_two_blocks = power_of_two_blocks;
  return request;
}

CLI::Option* AddCount(CLI::App& command, const std::string& name, uint64_t& value,
                      const std::string& help) {
  return AddParsed(command, name, value, help, ParseSomeCount)->type_name("COUNT");
}

CLI::Option* AddBytes(CLI::App& command, const std::string& name, uint64_t& value,
                      const std::string& help) {
  return AddParsed(command, name, value, help, ParseSomeBytes)->type_name("BYTES");
}

void AddFileMemoryLimit(CLI::App& command, uint64_t& memory_limit_bytes) {
  AddBytes(command, "--memory-limit", memory_limit_bytes,
           "Memory at most for the filter's blocks and generations: 64MiB, 2GB (default: the "
           "machine's). A file that needs more is not loaded; a growth beyond it is refused, as "
           "are the keys that need it, and the exit status is 1. Counts of promoted blocks (side "
           "tables) come on top: keys beyond the capacity, or inserted many times, may take more. "
           "trommel stats shows what the next growth takes");
}

CLI::Option* AddRate(CLI::App& command, const std::string& name, double& value,
                     const std::string& help) {
  return AddParsed(command, name, value, help, ParseRate)->type_name("RATE");
}

void AddThreads(CLI::App& command, uint32_t& num_threads) {
  AddParsed(command, "--threads", num_threads,
            "Threads to work with (default 1; 0: as many as the machine offers); the result is the "
            "same",
            ParseThreads)
      ->type_name("N");
}

void AddKeyInput(CLI::App& command, KeyInput& input, KeyInputText& text) {
  const std::string group = "How keys are read";
  command.add_option("FILES", input.paths, "Key files; none or - is standard input");
  AddThreads(command, input.num_threads);
  command
      .add_option("--keys", text.format,
                  "lines (default), nul (NUL-separated), hex (hex digits a line), u64 (decimal "
                  "integers, hashed as 8 little-endian bytes), raw64 (8 little-endian bytes each), "
                  "tsv (one column)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"lines", "nul", "hex", "u64", "raw64", "tsv"}))
      ->group(group);
  command
      .add_option("--column", text.column,
                  "The column of --keys tsv that is the key: a number from 1, or a name with "
                  "--header (default 1; implies --keys tsv)")
      ->type_name("N|NAME")
      ->group(group);
  command
      .add_flag("--header", input.options.has_header,
                "The first line of each TSV file names the columns: it is no key, and is passed on "
                "once where lines are")
      ->group(group);
  command
      .add_flag("--crlf", input.options.strip_cr,
                "Lines end in CR LF: the CR is not part of the key (by default it is)")
      ->group(group);
  command
      .add_flag("--keep-empty", input.options.keep_empty,
                "Empty lines are keys too (by default they are skipped and counted)")
      ->group(group);
}

void FinishKeyInput(KeyInput& input, const KeyInputText& text) {
  KeyOptions& options = input.options;
  const std::string implied = text.column.empty() && text.time.empty() ? "lines" : "tsv";
  const std::string& format = text.format.empty() ? implied : text.format;
  options.format = KeyFormatFromName(format).value_or(KeyFormat::kLines);
  const bool is_tsv = options.format == KeyFormat::kTsv;
  if (!text.column.empty() && !is_tsv) {
    throw CLI::ValidationError("--column", fmt::format("needs --keys tsv, not {}", format));
  }
  if (options.has_header && !is_tsv) {
    throw CLI::ValidationError("--header", fmt::format("needs --keys tsv, not {}", format));
  }
  if ((options.strip_cr || options.keep_empty) && options.format == KeyFormat::kRaw64) {
    throw CLI::ValidationError(options.strip_cr ? "--crlf" : "--keep-empty",
                               "raw64 keys have no lines");
  }
  if (options.strip_cr && options.format == KeyFormat::kNul) {
    throw CLI::ValidationError("--crlf", "nul-separated keys have no lines");
  }
  if (!text.column.empty()) options.column = ToColumn("--column", text.column, options.has_header);
  if (!text.time_unit.empty() && text.time.empty()) {
    throw CLI::ValidationError("--time-unit", "needs --time");
  }
  if (text.time.empty()) return;
  if (!is_tsv)
    throw CLI::ValidationError("--time", fmt::format("needs --keys tsv, not {}", format));
  options.time_column = ToColumn("--time", text.time, options.has_header);
  options.time_unit = TimeUnitFromName(text.time_unit).value_or(TimeUnit::kSeconds);
}

void AddKeyTimes(CLI::App& command, KeyInputText& text) {
  const std::string group = "How keys are read";
  command
      .add_option(
          "--time", text.time,
          "The column of --keys tsv that says when a key came, for window filters: a number "
          "of seconds (see --time-unit) or ISO 8601 (default: now; implies --keys tsv)")
      ->type_name("N|NAME")
      ->group(group);
  command.add_option("--time-unit", text.time_unit, "What numbers in the --time column count")
      ->type_name("UNIT")
      ->check(CLI::IsMember({"s", "ms", "us", "ns"}))
      ->group(group);
}

void AddSizing(CLI::App& command, FilterOptions& options, double default_fpr) {
  options.target_fpr = default_fpr;
  AddCount(command, "-n,--capacity", options.capacity,
           "Distinct keys to size for: 250000, 10M, 1.5G");
  AddRate(command, "-p,--fpr", options.target_fpr,
          fmt::format("False-positive rate at capacity: 0.01, 1e-3, 1% (default {}%)",
                      default_fpr * 100));
  AddEncoding(command, options.encoding);
  AddParsed(command, "--slices", options.num_slices,
            "Slices a block: 8 or 16 with planes, 4, 5, 8 or 10 with runs (default: what needs the "
            "fewest bytes)",
            ParseSlices)
      ->type_name("N");
  command.add_flag("--power-of-two", options.power_of_two_blocks,
                   "Round the number of blocks up to a power of two");
}

void AddEncoding(CLI::App& command, Encoding& encoding) {
  const std::string planes(EncodingName(Encoding::kPlanes));
  const std::string runs(EncodingName(Encoding::kRuns));
  command
      .add_option_function<std::string>(
          "--encoding",
          [&encoding, runs](const std::string& name) {
            encoding = name == runs ? Encoding::kRuns : Encoding::kPlanes;
          },
          fmt::format("How counts are kept; answers are the same. planes: in 4 bits a position, "
                      "apart from the presence bits, which are all that a query reads. runs: in "
                      "run strings beside the presence bits, in about half the memory and fewer "
                      "cache lines an update. Try: trommel size (default {})",
                      EncodingName(encoding)))
      ->type_name("NAME")
      ->check(CLI::IsMember({planes, runs}));
}

}  // namespace trommel::tool
