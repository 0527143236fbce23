// Where keys come from and how they are read.
#include "tools/trommel/options/key_options.h"

#include <fmt/core.h>

#include <algorithm>

#include "tools/trommel/input/input_file.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr const char* kGroup = "How keys are read";

// The column that the text names or numbers.
ColumnChoice ToColumn(const std::string& option, const std::string& text, bool is_name,
                      bool has_header) {
  const bool is_number = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (is_number && !is_name) {
    const Result<uint64_t> number = ParseU64(text);
    if (!number.ok() || *number == 0) throw UsageError{option, "columns are counted from 1"};
    return {.idx = *number - 1, .name = {}};
  }
  if (has_header) return {.idx = 0, .name = text};
  throw UsageError{option, fmt::format("the name {} needs --header", Quoted(text))};
}

// The columns that a list names or numbers. Names need a header to be found in. What is in double
// quotes is a name, of which a comma is a part and "" one quote.
std::vector<ColumnChoice> ToColumns(const std::string& option, std::string_view list,
                                    bool has_header) {
  std::vector<ColumnChoice> columns;
  for (bool is_last = false; !is_last;) {
    std::string text;
    const bool is_quoted = list.starts_with('"');
    if (is_quoted) {
      size_t at = 1;
      for (; at < list.size() && (list[at] != '"' || list.substr(at).starts_with("\"\"")); ++at) {
        if (list[at] == '"') ++at;
        text += list[at];
      }
      const bool is_closed = at < list.size();
      list.remove_prefix(is_closed ? at + 1 : at);
      if (!is_closed || text.empty() || !(list.empty() || list.starts_with(','))) {
        throw UsageError{option,
                         "a quoted name must be in two double quotes, as in \"last, first\""};
      }
    } else {
      text = list.substr(0, list.find(','));
      list.remove_prefix(text.size());
    }
    is_last = list.empty();
    if (!is_last) list.remove_prefix(1);
    columns.push_back(ToColumn(option, text, is_quoted, has_header));
    const auto is_same = [&columns](const ColumnChoice& other) {
      return other.name == columns.back().name && other.idx == columns.back().idx;
    };
    if (std::ranges::count_if(columns, is_same) > 1) {
      throw UsageError{option, fmt::format("column {} is chosen twice", Quoted(text))};
    }
  }
  return columns;
}

}  // namespace

bool KeyInput::reads_stdin() const {
  return paths.empty() || std::ranges::find(paths, "-") != paths.end();
}

std::vector<std::string> KeyInput::AllInputs(const std::string& key_file) const {
  std::vector<std::string> inputs = paths;
  if (reads_stdin()) inputs.push_back("-");
  if (!key_file.empty()) inputs.push_back(key_file);
  return inputs;
}

std::shared_ptr<Executor> KeyInput::MakeExecutor() const {
  if (num_threads == 1) return nullptr;
  Result<std::shared_ptr<Executor>> executor = Executor::Create(num_threads);
  if (executor) return *std::move(executor);
  // The library has none (TROMMEL_EXECUTOR=OFF): --threads takes no other number that fails.
  if (num_threads == 0) return nullptr;
  throw UsageError{"--threads", executor.error().message};
}

void AddFiles(Command& command, KeyInput& input, const std::string& help,
              const std::string& group) {
  command.Arguments("FILES", input.paths, help);
  command
      .Flag("-r,--recursive", input.is_recursive,
            "Read all files below the folders among FILES (without FILES: the working folder)")
      .Group(group);
  command.WhenParsed([&input] {
    if (!input.is_recursive) return;
    if (input.paths.empty()) input.paths.emplace_back(".");
    Result<std::vector<std::string>> files = FilesBelow(input.paths);
    if (!files.ok()) throw UsageError{"-r", files.error().message};
    if (files->empty()) throw UsageError{"-r", "there is no file below the folders given"};
    input.paths = *std::move(files);
  });
}

void AddKeyInput(Command& command, KeyInput& input) {
  AddFiles(command, input, "Files of keys, compressed or not; none or - is standard input", kGroup);
  AddThreads(command, input.num_threads);
  command
      .Text("--keys", input.text.format, "FORMAT",
            "Keys are lines, nul, hex, u64, raw64 or tsv: lines (default), nul (NUL-separated), "
            "hex (hex digits, one key per line), u64 "
            "(decimal integers, hashed as 8 little-endian bytes), raw64 (8 little-endian bytes "
            "each), tsv (one column)")
      .OneOf({"lines", "nul", "hex", "u64", "raw64", "tsv"})
      .Group(kGroup);
  command
      .Flag("--hosts", input.are_hosts,
            "Keys are the names in hosts files and block lists: lines \"0.0.0.0 NAME "
            "...\", \"||NAME^\" or \"NAME\"; comments and rules of other kinds are skipped")
      .Group(kGroup);
  command
      .Text("--column", input.text.column, "N|NAME,...",
            "The column of --keys tsv that is the key: a number from 1, or a name with --header "
            "(default 1; implies --keys tsv). Of several, host,url or 2,4, the values together are "
            "the key. A name with a comma is quoted: '\"last, first\",host'")
      .Group(kGroup);
  command
      .Flag("--header", input.options.has_header,
            "The first line of each TSV file names the columns: it is no key, and is printed once "
            "where lines are printed")
      .Group(kGroup);
  command
      .Flag("--crlf", input.options.strip_cr,
            "Lines end in CR LF: the CR is not part of the key (by default it is)")
      .Group(kGroup);
  command
      .Flag("--keep-empty", input.options.keep_empty,
            "Empty lines are keys too (by default they are skipped and counted)")
      .Group(kGroup);
  AddComment(command, input.options.comment, kGroup);
  AddAsLines(command, input.options.as_lines, kGroup);
}

void KeyInput::Finish() {
  const std::string implied = text.column.empty() && text.time.empty() ? "lines" : "tsv";
  if (are_hosts && !text.format.empty()) throw UsageError{"--hosts", "is instead of --keys"};
  const std::string format = are_hosts ? "hosts" : text.format.empty() ? implied : text.format;
  options.format = KeyFormatFromName(format).value_or(KeyFormat::kLines);
  const auto need_tsv = [&](const char* option, bool is_given) {
    if (!is_given || options.format == KeyFormat::kTsv) return;
    throw UsageError{option, fmt::format("needs --keys tsv, not {}", format)};
  };
  need_tsv("--column", !text.column.empty());
  need_tsv("--header", options.has_header);
  if ((options.strip_cr || options.keep_empty) && options.format == KeyFormat::kRaw64) {
    throw UsageError{options.strip_cr ? "--crlf" : "--keep-empty", "raw64 keys have no lines"};
  }
  if (options.strip_cr && options.format == KeyFormat::kNul) {
    throw UsageError{"--crlf", "NUL-separated keys have no lines"};
  }
  if (!options.comment.empty() && options.format == KeyFormat::kRaw64) {
    throw UsageError{"--comment", "raw64 keys have no lines"};
  }
  if (!text.column.empty())
    options.columns = ToColumns("--column", text.column, options.has_header);
  if (!text.time_unit.empty() && text.time.empty()) throw UsageError{"--time-unit", "needs --time"};
  if (text.time.empty()) return;
  need_tsv("--time", true);
  options.time_column = ToColumn("--time", text.time, false, options.has_header);
  options.time_unit = TimeUnitFromName(text.time_unit).value_or(TimeUnit::kSeconds);
}

void AddKeyTimes(Command& command, KeyInput& input) {
  command
      .Text("--time", input.text.time, "N|NAME",
            "The column of --keys tsv with each key's time, for window filters: a number of "
            "seconds (see --time-unit) or ISO 8601 (default: now; implies --keys tsv)")
      .Group(kGroup);
  AddTimeUnit(command, input.text.time_unit, "the --time column").Group(kGroup);
}

void AddMaxLeap(Command& command, KeyInput& input) {
  command
      .Parsed(
          "--max-leap", "SPAN",
          "How far a time may be past the window filter's clock (without --time: how far the wall "
          "clock), which never goes back: 90s, 10m, 7d, or any (default: 1,000 windows). A time "
          "beyond it, perhaps in another unit, is refused and nothing is written",
          [&input](const std::string& text) -> Status {
            const Result<uint64_t> ticks =
                text == "any" ? Result<uint64_t>(UINT64_MAX) : ParseDuration(text);
            if (!ticks.ok()) return ticks.error();
            input.max_leap = *ticks;
            return Ok();
          })
      .Group(kGroup);
}

void AddComment(Command& command, std::string& comment, const std::string& group) {
  command
      .Text("--comment", comment, "TEXT",
            "Lines that begin with TEXT, such as '#', are skipped, and counted as empty ones are")
      .Group(group);
}

void AddAsLines(Command& command, bool& as_lines, const std::string& group) {
  command
      .Flag("--as-lines", as_lines,
            "Take files as they are: by default gzip, bzip2, xz and zstd data is decompressed, "
            "UTF-16, "
            "UTF-32 or a program is refused, and a UTF-8 byte order mark is skipped")
      .Group(group);
}

Option AddTimeUnit(Command& command, std::string& unit, const std::string& what) {
  return command
      .Text("--time-unit", unit, "UNIT", "The unit of numbers in " + what + " (default s)")
      .OneOf({"s", "ms", "us", "ns"});
}

}  // namespace trommel::tool
