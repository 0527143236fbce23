// Options of commands that open or write a filter file.
#include "tools/trommel/options/file_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <system_error>

#include "tools/trommel/filters/key_file.h"
#include "tools/trommel/input/key_format.h"
#include "tools/trommel/options/filter_options.h"
#include "tools/trommel/options/key_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/executor.h"

namespace trommel::tool {

void AddFilterFile(Command& command, ReadOptions& options) {
  command.Text("FILTER", options.filter, "", "Filter file").Required();
  AddReadLimit(command, options.memory_limit_bytes);
}

void AddReadLimit(Command& command, uint64_t& memory_limit_bytes) {
  AddBytes(command, "--memory-limit", memory_limit_bytes,
           "Memory at most for the filter's blocks: 64MiB, 2GB (default: the "
           "machine's). A filter that needs more is not loaded, and the exit code is 3");
}

void AddOutput(Command& command, OutputOptions& options) {
  command.Text("-o,--output", options.path, "FILE", "The filter file to write").Required();
  command.Flag("-f,--force", options.force, "Overwrite the file if it exists");
  AddWait(command, options.wait_seconds);
}

void AddUpdate(Command& command, UpdateOptions& options) {
  command.Text("FILTER", options.filter, "", "Filter file; replaced in one step at the end")
      .Required();
  const Option output = command.Text("-o,--output", options.output.path, "FILE",
                                     "Write this file and leave FILTER as it is");
  command.Flag("-f,--force", options.output.force, "Overwrite the output if it exists")
      .Needs(output);
  AddWait(command, options.output.wait_seconds);
  AddMemoryLimit(command, options.memory_limit_bytes);
  AddKeyFile(command, options.key_file);
}

void AddWait(Command& command, double& seconds) {
  constexpr double kMostSeconds = 1e6;  // eleven days; what clocks count in must not overflow
  AddSeconds(
      command, "--wait", 0, kMostSeconds, seconds,
      fmt::format("Wait this long while another command changes the file, then exit 3 with nothing "
                  "changed (default {:g}; 0: do not wait)",
                  seconds));
}

void AddNow(Command& command, NowOption& option) {
  const std::string group = "With a window filter";
  const Option now =
      command
          .Text("--now", option.text, "TIME",
                "Look at the filter as of this time, which must not be before the filter's own: a "
                "number of seconds (see --time-unit) or ISO 8601, as in its --time column")
          .Group(group);
  AddTimeUnit(command, option.unit, "--now").Needs(now).Group(group);
}

Status ApplyNow(const NowOption& option, AnyFilter& filter) {
  if (option.text.empty()) return Ok();
  const TimeUnit unit = TimeUnitFromName(option.unit).value_or(TimeUnit::kSeconds);
  const Result<uint64_t> now = ParseTime(option.text, unit);
  if (!now.ok()) return Error{now.error().code, fmt::format("--now: {}", now.error().message)};
  const Result<bool> moved = filter.Advance(*now);
  if (!moved.ok())
    return Error{moved.error().code, fmt::format("--now: {}", moved.error().message)};
  if (*moved) return Ok();
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--now: the window filter's time is {} ms already, past {} ms",
                           filter.now(), *now)};
}

namespace {

constexpr std::array<Encoding, 5> kAllEncodings = {Encoding::kPlanes, Encoding::kRuns,
                                                   Encoding::kFingerprints16, Encoding::kDense,
                                                   Encoding::kAutomatic};

constexpr std::string_view kFingerprintsHelp =
    "fingerprints16: a slot of 16 bits per key, for rates from about 0.03 %, with the fastest "
    "updates. dense: 8 to 21 bits in blocks that are nearly full, the least memory. "
    "automatic: sizing chooses (--prefer). ";

Error NotInRange(std::string_view what, const std::string& least, const std::string& most,
                 std::string_view text) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("must be {} from {} to {}; got {}", what, least, most, Quoted(text))};
}

template <class T>
Option AddParsed(Command& command, const std::string& names, T& value, const std::string& type,
                 const std::string& help, Result<T> (*parse)(std::string_view)) {
  return command.Parsed(names, type, help, [&value, parse](const std::string& text) -> Status {
    const Result<T> parsed = parse(text);
    if (!parsed.ok()) return parsed.error();
    value = *parsed;
    return Ok();
  });
}

Result<uint64_t> AtLeastOne(const Result<uint64_t>& parsed) {
  if (!parsed.ok() || *parsed > 0) return parsed;
  return Error{ErrorCode::kInvalidArgument, "must be at least 1; got 0"};
}

Result<uint64_t> ParsePositiveCount(std::string_view text) { return AtLeastOne(ParseCount(text)); }

Result<uint64_t> ParsePositiveBytes(std::string_view text) { return AtLeastOne(ParseBytes(text)); }

}  // namespace

Option AddCount(Command& command, const std::string& names, uint64_t& value,
                const std::string& help) {
  return AddParsed(command, names, value, "COUNT", help, ParsePositiveCount);
}

Option AddBytes(Command& command, const std::string& names, uint64_t& value,
                const std::string& help) {
  return AddParsed(command, names, value, "BYTES", help, ParsePositiveBytes);
}

Option AddRate(Command& command, const std::string& names, double& value, const std::string& help) {
  return AddParsed(command, names, value, "RATE", help, ParseRate);
}

Option AddNumber(Command& command, const std::string& names, uint64_t least, uint64_t most,
                 const std::string& type, const std::string& help,
                 const std::function<void(uint64_t)>& set) {
  return command.Parsed(names, type, help, [=](const std::string& text) -> Status {
    const Result<uint64_t> number = ParseU64(text);
    if (!number.ok() || *number < least || *number > most) {
      return NotInRange("a whole number", FormatCount(least), FormatCount(most), text);
    }
    set(*number);
    return Ok();
  });
}

Option AddSeconds(Command& command, const std::string& names, double least, double most,
                  double& value, const std::string& help) {
  return command.Parsed(names, "SECONDS", help, [=, &value](const std::string& text) -> Status {
    double seconds = -1;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, seconds);
    if (parsed.ec != std::errc() || parsed.ptr != end || !(seconds >= least && seconds <= most)) {
      return NotInRange("a number of seconds", fmt::format("{:g}", least),
                        FormatCount(static_cast<uint64_t>(most)), text);
    }
    value = std::fabs(seconds);  // "-0" is 0
    return Ok();
  });
}

void AddThreads(Command& command, uint32_t& num_threads) {
  AddNumber(command, "--threads", 0, Executor::kMaxThreads, "N",
            "Threads to work with (default 1; 0: as many as the machine offers); the result is the "
            "same",
            [&num_threads](uint64_t number) { num_threads = static_cast<uint32_t>(number); });
}

void AddEncoding(Command& command, Encoding& encoding, const std::vector<std::string>& names) {
  const auto has = [&names](Encoding of) {
    return std::ranges::find(names, EncodingName(of)) != names.end();
  };
  std::string more;
  if (has(Encoding::kDense)) {
    more = kFingerprintsHelp;
  } else if (has(Encoding::kAutomatic)) {
    more =
        "automatic: fingerprints where the model says that they take less memory, else runs, for "
        "each set and as it grows. ";
  }
  std::map<std::string, std::string> reasons;
  for (const Encoding other : {Encoding::kFingerprints16, Encoding::kDense}) {
    reasons.emplace(
        EncodingName(other),
        "that is for build, dedup and stress; this command's filters need presence bits");
  }
  command
      .Parsed("--encoding", "NAME",
              fmt::format("How counts are stored; a key that is in is found with each. planes: 4 "
                          "bits per position, apart from the presence bits, so that a query reads "
                          "presence bits only. runs: run strings beside the presence bits, in "
                          "about half the memory and with fewer cache lines per update. {}Compare "
                          "them with trommel size (default {})",
                          more, EncodingName(encoding)),
              [&encoding](const std::string& name) {
                encoding = EncodingFromName(name);
                return Ok();
              })
      .OneOf(names, reasons);
}

std::vector<std::string> EncodingNames() {
  return {std::string(EncodingName(Encoding::kPlanes)), std::string(EncodingName(Encoding::kRuns))};
}

std::vector<std::string> FixedEncodingNames() {
  std::vector<std::string> names = AllEncodingNames();
  names.pop_back();
  return names;
}

std::vector<std::string> AllEncodingNames() {
  std::vector<std::string> names;
  for (const Encoding encoding : kAllEncodings) names.emplace_back(EncodingName(encoding));
  return names;
}

Encoding EncodingFromName(const std::string& name) {
  return *std::ranges::find(kAllEncodings, name, EncodingName);
}

namespace {

void AddKeyFileOption(Command& command, std::string& key_file, const std::string& help) {
  command.Parsed("--key-file", "FILE", help, [&key_file](const std::string& path) -> Status {
    if (path.empty()) return Error{ErrorCode::kInvalidArgument, "must name a file; got ''"};
    key_file = path;
    return Ok();
  });
}

// The presence bits are Parquet's only where the digests are.
void FinishParquetDigest(const Command& command, DigestPolicy& digest) {
  if (!command.IsGiven("--digest")) digest.kind = DigestKind::kXxh64;
  if (digest != DigestPolicy{.kind = DigestKind::kXxh64}) {
    throw UsageError{
        "--prefer",
        fmt::format("parquet needs Parquet's digests, --digest xxh64 with --seed 0; "
                    "got {}{}",
                    DigestKindName(digest.kind), digest.seed == 0 ? "" : " with another seed")};
  }
}

}  // namespace

void AddDigest(Command& command, FilterOptions& options) {
  command
      .Parsed("--digest", "NAME",
              "Hash of the keys: xxh3 (default), xxh64 (Parquet's; the default with --prefer "
              "parquet), or siphash for keys that an adversary may choose: it has a secret key "
              "(--key-file), without which no keys can be found that collide with others or crowd "
              "the filter; a seed does not prevent that",
              [&options](const std::string& name) {
                options.digest.kind = name == "siphash" ? DigestKind::kSipHash
                                      : name == "xxh64" ? DigestKind::kXxh64
                                                        : DigestKind::kXxh3;
                return Ok();
              })
      .OneOf({"xxh3", "xxh64", "siphash"});
  AddNumber(command, "--seed", 0, UINT64_MAX, "UINT",
            "Seed of xxh3 or xxh64 (default 0); does not protect against chosen keys",
            [&options](uint64_t seed) { options.digest.seed = seed; });
  AddKeyFileOption(command, options.key_file,
                   "The file with the key of --digest siphash, exactly 16 random bytes, which "
                   "every command that "
                   "hashes keys for this filter needs: head -c 16 /dev/urandom > FILE");
}

void FinishDigest(const Command& command, FilterOptions& options) {
  if (options.preference == Preference::kParquet) FinishParquetDigest(command, options.digest);
  const bool is_keyed = options.digest.kind == DigestKind::kSipHash;
  if (is_keyed && options.key_file.empty()) {
    throw UsageError{"--digest",
                     "siphash needs --key-file, a file of 16 random bytes: make one with "
                     "head -c 16 /dev/urandom > FILE"};
  }
  if (is_keyed && command.IsGiven("--seed")) {
    throw UsageError{"--seed", "siphash has a key instead of a seed: leave it out"};
  }
  if (!is_keyed && !options.key_file.empty()) {
    throw UsageError{"--key-file", fmt::format("is for --digest siphash, not {}",
                                               DigestKindName(options.digest.kind))};
  }
}

Status ReadDigestKey(FilterOptions& options) {
  if (options.key_file.empty()) return Ok();
  const Result<DigestKey> key = ReadKeyFile(options.key_file);
  if (!key.ok()) return key.error();
  options.digest = DigestPolicy::Keyed(*key);
  return Ok();
}

void AddKeyFile(Command& command, std::string& key_file) {
  AddKeyFileOption(command, key_file,
                   "The file with the key of a --digest siphash filter, exactly 16 bytes");
}

}  // namespace trommel::tool
