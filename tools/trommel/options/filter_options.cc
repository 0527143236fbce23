// Options that say what filter to make.
#include "tools/trommel/options/filter_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr std::array kTypes = {FilterType::kCounting, FilterType::kScalable, FilterType::kWindow};

constexpr std::array kPreferences = {Preference::kMemory, Preference::kSpeed, Preference::kHeadroom,
                                     Preference::kParquet};

constexpr FilterType kC = FilterType::kCounting;
constexpr FilterType kS = FilterType::kScalable;
constexpr FilterType kW = FilterType::kWindow;

// What describes a filter (AnyFilter::Create), of which types, and the option that says it, where
// one does and not all types have it.
struct DescribedBy {
  std::string_view option;
  std::vector<FilterType> types;
  std::string_view figure;
  FigureValue (*value)(const FamilyOptions& options);
};

const std::vector<DescribedBy>& Descriptions() {
  using Options = FamilyOptions;
  static const std::vector<DescribedBy> descriptions = {
      {"", {kC, kW}, "capacity", [](const Options& o) -> FigureValue { return o.filter.capacity; }},
      {"",
       {kS},
       "first_capacity",
       [](const Options& o) -> FigureValue { return o.filter.capacity; }},
      {"",
       {kC, kS, kW},
       "target_fpr",
       [](const Options& o) -> FigureValue { return o.filter.target_fpr; }},
      {"",
       {kC, kS, kW},
       "memory_limit_bytes",
       [](const Options& o) -> FigureValue { return o.memory_limit_bytes; }},
      {"--power-of-two",
       {kC},
       "power_of_two_blocks",
       [](const Options& o) -> FigureValue { return o.filter.power_of_two_blocks; }},
      {"--prefer",
       {kC},
       "preference",
       [](const Options& o) -> FigureValue {
         return std::string(PreferenceName(o.filter.preference));
       }},
      {"--max-capacity",
       {kS},
       "max_capacity",
       [](const Options& o) -> FigureValue { return o.max_capacity; }},
      {"--window", {kW}, "window", [](const Options& o) -> FigureValue { return o.window; }},
      {"--buckets",
       {kW},
       "num_buckets",
       [](const Options& o) -> FigureValue { return o.num_buckets; }},
      {"--no-erase",
       {kW},
       "is_erasable",
       [](const Options& o) -> FigureValue { return !o.cannot_erase; }},
      {"--slices",
       {kC},
       "num_slices",
       [](const Options& o) -> FigureValue { return o.filter.num_slices; }},
      {"--encoding",
       {kC},
       "encoding",
       [](const Options& o) -> FigureValue {
         return std::string(EncodingName(o.filter.encoding));
       }},
  };
  return descriptions;
}

bool IsFor(const DescribedBy& described, FilterType type) {
  return std::ranges::find(described.types, type) != described.types.end();
}

std::string TypeNames(const std::vector<FilterType>& types) {
  std::string text;
  for (const FilterType type : types) {
    text += fmt::format("{}{}", text.empty() ? "" : " or ", FilterTypeName(type));
  }
  return text;
}

void AddPreference(Command& command, Preference& preference) {
  std::vector<std::string> names;
  for (const Preference one : kPreferences) names.emplace_back(PreferenceName(one));
  command
      .Parsed(
          "--prefer", "WHAT",
          "With --encoding automatic, what to choose by: memory (the fewest bytes; default), "
          "speed, headroom (answers stay usable beyond -n), parquet (Parquet's blocks and digests)",
          [&preference](const std::string& text) {
            preference = *std::ranges::find(kPreferences, text, PreferenceName);
            return Ok();
          })
      .OneOf(names);
}

void AddSizing(Command& command, FilterOptions& options, double default_fpr) {
  options.target_fpr = default_fpr;
  AddCount(
      command, "-n,--capacity", options.capacity,
      "Distinct keys to size for: 250000, 10M, 1.5G. Without it, and without --type, the filter "
      "grows with its keys (--type scalable)");
  AddRate(command, "-p,--fpr", options.target_fpr,
          fmt::format("False-positive rate at capacity: 0.01, 1e-3, 1% (default {}%)",
                      default_fpr * 100));
  AddEncoding(command, options.encoding, AllEncodingNames());
  AddPreference(command, options.preference);
  // Which of them go with an encoding is for sizing to say.
  AddNumber(command, "--slices", 1, 10, "N",
            "Slices per block: 8 with planes, 4, 5, 8 or 10 with runs, none with fingerprints "
            "(default: what needs the fewest bytes)",
            [&options](uint64_t number) { options.num_slices = static_cast<uint32_t>(number); });
  command.Flag("--power-of-two", options.power_of_two_blocks,
               "Round the number of blocks up to a power of two");
}

void AddScalable(Command& command, FamilyOptions& options) {
  const std::string group = "With --type scalable";
  AddCount(command, "--max-capacity", options.max_capacity,
           "Distinct keys that it must hold at -p, beyond which it may refuse to grow; -n is what "
           "it holds at first, and shrinks to (default: 10^9 keys, beginning with as few as come)")
      .Group(group);
}

void AddWindow(Command& command, FamilyOptions& options) {
  const std::string group = "With --type window";
  command
      .Parsed("--window", "DURATION",
              "How long a key is kept, and up to a bucket longer: 90s, 10m, 1.5h, 7d (required); "
              "-n is the number of distinct keys within the window plus one bucket",
              [&options](const std::string& text) -> Status {
                const Result<uint64_t> ticks = ParseDuration(text);
                if (!ticks.ok()) return ticks.error();
                options.window = *ticks;
                return Ok();
              })
      .Group(group);
  AddCount(command, "--buckets", options.num_buckets,
           "Buckets of time that divide the window, from 1 to 64; each expires as a whole (default "
           "8)")
      .Group(group);
  command
      .Flag("--no-erase", options.cannot_erase,
            "Keys are never erased: a key that comes again is refreshed in place")
      .Group(group);
}

}  // namespace

SizingRequest FilterOptions::ToRequest() const {
  return {.capacity = capacity,
          .target_fpr = target_fpr,
          .num_slices = num_slices,
          .encoding = encoding,
          .power_of_two_blocks = power_of_two_blocks,
          .preference = preference};
}

Result<AnyFilterPtr> FamilyOptions::Create(std::shared_ptr<Executor> executor) const {
  Figures description;
  for (const DescribedBy& one : Descriptions()) {
    if (IsFor(one, type)) description.emplace_back(one.figure, one.value(*this));
  }
  Result<AnyFilterPtr> made =
      AnyFilter::Create(type, description, filter.digest, std::move(executor));
  if (made.ok()) return made;
  std::string message = NamingOptions(made.error().message);
  if (type == FilterType::kCounting) return Error{made.error().code, std::move(message)};
  if (grows_unsized) message += "; this is for a filter that grows: with -n a sized one is made";
  return Error{made.error().code, fmt::format("--type {}: {}", FilterTypeName(type), message)};
}

Status FamilyOptions::CheckShape() const {
  FamilyOptions least = *this;
  least.filter.capacity = 1;
  const Result<AnyFilterPtr> made = least.Create(nullptr);
  return made.ok() ? Ok() : Status(made.error());
}

void AddFamily(Command& command, FamilyOptions& options, double default_fpr) {
  std::vector<std::string> names;
  for (const FilterType type : kTypes) names.emplace_back(FilterTypeName(type));
  command
      .Parsed(
          "--type", "TYPE",
          "What filter to make: counting, of -n keys (default with -n); scalable, which grows with "
          "its keys (default without); window, of the most recent keys",
          [&options](const std::string& name) {
            options.type = *std::ranges::find(kTypes, name, FilterTypeName);
            return Ok();
          })
      .OneOf(names);
  AddSizing(command, options.filter, default_fpr);
  AddScalable(command, options);
  AddWindow(command, options);
}

void AddMemoryLimit(Command& command, uint64_t& memory_limit_bytes) {
  AddBytes(command, "--memory-limit", memory_limit_bytes,
           "Memory at most for the filter's blocks: 64MiB, 2GB (default: the machine's). A filter "
           "that needs more is neither made nor loaded. A growth beyond it is "
           "refused, as are the keys or rows that need it, and the exit code is 1; trommel stats "
           "shows what the next growth takes. Counts of promoted blocks (side tables) come on top: "
           "keys beyond the capacity, or inserted many times, may take more");
}

void FamilyOptions::FinishToFill(const Command& command) {
  grows_unsized = filter.capacity == 0 && !command.IsGiven("--type");
  if (grows_unsized) type = FilterType::kScalable;
  Finish(command);
}

void FamilyOptions::Finish(const Command& command) {
  for (const DescribedBy& one : Descriptions()) {
    const std::string name(one.option);
    if (name.empty() || IsFor(one, type) || !command.IsGiven(name)) continue;
    throw UsageError{
        name, fmt::format("is for --type {}, not {}{}", TypeNames(one.types), FilterTypeName(type),
                          grows_unsized ? ", which is the default without -n" : "")};
  }
  // It begins as small as there are keys.
  if (type == FilterType::kScalable && filter.capacity == 0) filter.capacity = 1;
  if (command.IsGiven("--prefer") && filter.encoding != Encoding::kAutomatic) {
    throw UsageError{"--prefer", fmt::format("is for --encoding automatic, not {}",
                                             EncodingName(filter.encoding))};
  }
  if (type == FilterType::kWindow && window == 0) {
    throw UsageError{"--window", "is required with --type window"};
  }
}

}  // namespace trommel::tool
