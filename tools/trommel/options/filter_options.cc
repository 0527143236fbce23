// Options that say what filter to make.
#include "tools/trommel/options/filter_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/trommel/options/value_options.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/output/time_text.h"

namespace trommel::tool {
namespace {

constexpr std::array kTypes = {FilterType::kCounting, FilterType::kScalable, FilterType::kWindow};

struct NamedPreference {
  Preference value;
  std::string_view name;
};
constexpr std::array<NamedPreference, 4> kPreferences = {{{Preference::kMemory, "memory"},
                                                          {Preference::kSpeed, "speed"},
                                                          {Preference::kHeadroom, "headroom"},
                                                          {Preference::kParquet, "parquet"}}};

constexpr std::array kGrowthModes = {GrowthMode::kAutomatic, GrowthMode::kDoubling,
                                     GrowthMode::kGenerations};

// Which types an option is for, where not for all.
struct TypeOption {
  std::string_view name;
  std::vector<FilterType> types;
};

const std::vector<TypeOption>& TypeOptions() {
  static const std::vector<TypeOption> options = {
      {"--power-of-two", {FilterType::kCounting}},
      {"--prefer", {FilterType::kCounting}},
      {"--max-capacity", {FilterType::kScalable}},
      {"--growth", {FilterType::kScalable}},
      {"--window", {FilterType::kWindow}},
      {"--buckets", {FilterType::kWindow}},
      {"--no-erase", {FilterType::kWindow}},
      {"--slices", {FilterType::kCounting, FilterType::kScalable}},
      {"--encoding", {FilterType::kCounting, FilterType::kScalable}},
  };
  return options;
}

std::string TypeNames(const std::vector<FilterType>& types) {
  std::string text;
  for (const FilterType type : types) {
    text += fmt::format("{}{}", text.empty() ? "" : " or ", FilterTypeName(type));
  }
  return text;
}

template <class Filter>
Result<AnyFilter> AsAny(Result<Filter> filter) {
  if (!filter.ok()) return filter.error();
  return AnyFilter(*std::move(filter));
}

// For numbers whose range the library knows, and names.
uint32_t Saturated(uint64_t number) {
  return static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX));
}

Result<AnyFilter> CreateAny(const FamilyOptions& options, std::shared_ptr<Executor> executor) {
  const FilterOptions& filter = options.filter;
  switch (options.type) {
    case FilterType::kScalable:
      return AsAny(ScalableFilter::Create({.first_capacity = filter.capacity,
                                           .target_fpr = filter.target_fpr,
                                           .mode = options.growth,
                                           .max_capacity = options.max_capacity,
                                           .digest = filter.digest,
                                           .num_slices = filter.num_slices,
                                           .encoding = filter.encoding,
                                           .memory_limit_bytes = options.memory_limit_bytes,
                                           .executor = std::move(executor)}));
    case FilterType::kWindow:
      return AsAny(WindowFilter::Create({.window = options.window,
                                         .num_buckets = Saturated(options.num_buckets),
                                         .capacity = filter.capacity,
                                         .target_fpr = filter.target_fpr,
                                         .digest = filter.digest,
                                         .is_erasable = !options.cannot_erase,
                                         .memory_limit_bytes = options.memory_limit_bytes,
                                         .executor = std::move(executor)}));
    case FilterType::kAttributes:
      return Error{ErrorCode::kInvalidArgument,
                   "it is of columns, not of keys: trommel attr build"};
    case FilterType::kCounting:
      break;
  }
  CountingConfig config = filter.ToConfig();
  config.memory_limit_bytes = options.memory_limit_bytes;
  config.executor = std::move(executor);
  return AsAny(CountingFilter::Create(config));
}

void AddPreference(Command& command, Preference& preference) {
  std::vector<std::string> names;
  for (const auto& [value, name] : kPreferences) names.emplace_back(name);
  command
      .Parsed(
          "--prefer", "WHAT",
          "With --encoding automatic, what to choose by: memory (the fewest bytes; default), "
          "speed, headroom (answers stay usable beyond -n), parquet (Parquet's blocks and digests)",
          [&preference](const std::string& text) {
            preference = std::ranges::find(kPreferences, text, &NamedPreference::name)->value;
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
           "it holds at first, and shrinks to (default 65536)")
      .Group(group);
  std::vector<std::string> modes;
  for (const GrowthMode mode : kGrowthModes) modes.emplace_back(GrowthModeName(mode));
  command
      .Parsed(
          "--growth", "MODE",
          "How it grows. doubling: one array of fingerprints that doubles, and is halved as "
          "keys go; a query reads one cache line at any size. generations: further filters "
          "whose rates tighten, each of which a query reads. automatic: doubling where -p "
          "holds at --max-capacity (10^9 keys without it), else generations (default automatic)",
          [&options](const std::string& name) {
            options.growth = *std::ranges::find(kGrowthModes, name, GrowthModeName);
            return Ok();
          })
      .OneOf(modes)
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

CountingConfig FilterOptions::ToConfig() const {
  return {.capacity = capacity,
          .target_fpr = target_fpr,
          .digest = digest,
          .num_slices = num_slices,
          .encoding = encoding,
          .preference = preference,
          .power_of_two_blocks = power_of_two_blocks};
}

SizingRequest FilterOptions::ToRequest() const {
  return {.capacity = capacity,
          .target_fpr = target_fpr,
          .num_slices = num_slices,
          .encoding = encoding,
          .power_of_two_blocks = power_of_two_blocks,
          .preference = preference};
}

Result<AnyFilter> FamilyOptions::Create(std::shared_ptr<Executor> executor) const {
  Result<AnyFilter> made = CreateAny(*this, std::move(executor));
  if (made.ok()) return made;
  std::string message = NamingOptions(made.error().message);
  if (type == FilterType::kCounting) return Error{made.error().code, std::move(message)};
  if (grows_unsized) message += "; this is for a filter that grows: with -n a sized one is made";
  return Error{made.error().code, fmt::format("--type {}: {}", FilterTypeName(type), message)};
}

Status FamilyOptions::CheckShape() const {
  FamilyOptions least = *this;
  least.filter.capacity = 1;
  const Result<AnyFilter> made = least.Create(nullptr);
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
           "Memory at most for the filter's blocks and generations: 64MiB, 2GB (default: the "
           "machine's). A filter that needs more is neither made nor loaded. A growth beyond it is "
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
  for (const TypeOption& option : TypeOptions()) {
    const std::string name(option.name);
    if (!command.IsGiven(name)) continue;
    if (std::ranges::find(option.types, type) != option.types.end()) continue;
    throw UsageError{name, fmt::format("is for --type {}, not {}{}", TypeNames(option.types),
                                       FilterTypeName(type),
                                       grows_unsized ? ", which is the default without -n" : "")};
  }
  if (type == FilterType::kScalable) {
    // What the mode has, unless one was asked for.
    if (!command.IsGiven("--encoding")) filter.encoding = Encoding::kAutomatic;
    if (filter.capacity == 0) filter.capacity = kDefaultFirstCapacity;
  }
  if (command.IsGiven("--prefer") && filter.encoding != Encoding::kAutomatic) {
    throw UsageError{"--prefer", fmt::format("is for --encoding automatic, not {}",
                                             EncodingName(filter.encoding))};
  }
  if (type == FilterType::kWindow && window == 0) {
    throw UsageError{"--window", "is required with --type window"};
  }
}

}  // namespace trommel::tool
