// Options whose values are numbers.
#include "tools/trommel/options/value_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <system_error>

#include "tools/trommel/input/key_format.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/executor.h"

namespace trommel::tool {
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

}  // namespace trommel::tool
