// Options that say what filter to make.
#include "tools/trommel/family_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/trommel/time_text.h"

namespace trommel::tool {
namespace {

constexpr std::array kTypes = {FilterType::kCounting, FilterType::kScalable, FilterType::kWindow,
                               FilterType::kLayered, FilterType::kClassic};

// A filter that grows may begin small.
constexpr uint64_t kDefaultFirstCapacity = uint64_t{1} << 16;

// Which types an option is for, where not for all.
struct TypeOption {
  std::string_view name;
  std::vector<FilterType> types;
};

const std::vector<TypeOption>& TypeOptions() {
  static const std::vector<TypeOption> options = {
      {"--power-of-two", {FilterType::kCounting}},
      {"--max-capacity", {FilterType::kScalable}},
      {"--identical", {FilterType::kScalable}},
      {"--window", {FilterType::kWindow}},
      {"--buckets", {FilterType::kWindow}},
      {"--bucket-capacity", {FilterType::kWindow}},
      {"--first-fpr", {FilterType::kLayered}},
      {"--hashes", {FilterType::kClassic}},
      {"--counter-bits", {FilterType::kClassic}},
      {"--slices",
       {FilterType::kCounting, FilterType::kScalable, FilterType::kWindow, FilterType::kLayered}},
      {"--encoding",
       {FilterType::kCounting, FilterType::kScalable, FilterType::kWindow, FilterType::kLayered}},
  };
  return options;
}

std::string Joined(const std::vector<FilterType>& types) {
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
      return AsAny(ScalableFilter::Create(
          {.first_capacity = filter.capacity,
           .target_fpr = filter.target_fpr,
           .mode = options.is_identical ? GrowthMode::kIdentical : GrowthMode::kTightening,
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
                                         .bucket_capacity = options.bucket_capacity != 0
                                                                ? options.bucket_capacity
                                                                : filter.capacity,
                                         .target_fpr = filter.target_fpr,
                                         .digest = filter.digest,
                                         .num_slices = filter.num_slices,
                                         .encoding = filter.encoding,
                                         .memory_limit_bytes = options.memory_limit_bytes,
                                         .executor = std::move(executor)}));
    case FilterType::kLayered:
      return AsAny(LayeredFilter::Create({.capacity = filter.capacity,
                                          .target_fpr = filter.target_fpr,
                                          .first_fpr = options.first_fpr,
                                          .digest = filter.digest,
                                          .num_slices = filter.num_slices,
                                          .encoding = filter.encoding,
                                          .memory_limit_bytes = options.memory_limit_bytes,
                                          .executor = std::move(executor)}));
    case FilterType::kClassic:
      return AsAny(classic::Filter::Create({.capacity = filter.capacity,
                                            .target_fpr = filter.target_fpr,
                                            .digest = filter.digest,
                                            .num_hashes = Saturated(options.num_hashes),
                                            .counter_bits = Saturated(options.counter_bits),
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

void AddWindow(CLI::App& command, FamilyOptions& options) {
  const std::string group = "With --type window";
  command
      .add_option_function<std::string>(
          "--window",
          [&options](const std::string& text) {
            const Result<uint64_t> ticks = ParseDuration(text);
            if (!ticks.ok()) throw CLI::ValidationError("--window", ticks.error().message);
            options.window = *ticks;
          },
          "How long a key is remembered, and up to a bucket longer: 90s, 10m, 1.5h, 7d (required); "
          "-n is how many distinct keys come within the window plus one bucket")
      ->type_name("DURATION")
      ->group(group);
  AddCount(command, "--buckets", options.num_buckets,
           "Buckets of time that the window is cut into, from 1 to 64; each goes as a whole "
           "(default 8)")
      ->group(group);
  AddCount(
      command, "--bucket-capacity", options.bucket_capacity,
      "Distinct keys of -n that come within one bucket at most; a burst of more that takes the "
      "rate beyond -p is warned of (default: all of -n, so that -p holds however they come; 1: "
      "sized for even arrival, in the least memory). trommel size --type window shows both")
      ->group(group);
}

void AddLayeredAndClassic(CLI::App& command, FamilyOptions& options) {
  AddRate(command, "--first-fpr", options.first_fpr,
          "What the first layer may let pass of strangers; not below -p (default 20%)")
      ->group("With --type layered");
  const std::string group = "With --type classic";
  AddCount(command, "--hashes", options.num_hashes,
           "Hashes a key, each with a slice of its own, from 1 to 64 (default: as published, "
           "the binary logarithm of 1 / -p, rounded up)")
      ->group(group);
  AddCount(command, "--counter-bits", options.counter_bits,
           "Bits a counter, from 1 to 8; one at its maximum is stuck (default 4)")
      ->group(group);
}

}  // namespace

std::string NamingOptions(std::string message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kNames = {{
      {"memory_limit_bytes", "--memory-limit"},
      {"memory_bytes", "--memory"},
      {"num_values", "--values"},
      {"first_capacity", "-n"},
      {"max_capacity", "--max-capacity"},
      {"bucket_capacity", "--bucket-capacity"},
      {"capacity", "-n"},
      {"target_fpr", "-p"},
      {"first_fpr", "--first-fpr"},
      {"num_buckets", "--buckets"},
      {"num_slices", "--slices"},
      {"num_hashes", "--hashes"},
      {"counter_bits", "--counter-bits"},
  }};
  for (const auto& [field, option] : kNames) {
    for (size_t at = 0; (at = message.find(field, at)) != std::string::npos; at += option.size()) {
      const bool is_option = at > 0 && (message[at - 1] == '-' || message[at - 1] == '_');
      if (!is_option) message.replace(at, field.size(), option);
    }
  }
  return message;
}

Result<AnyFilter> FamilyOptions::Create(std::shared_ptr<Executor> executor) const {
  Result<AnyFilter> made = CreateAny(*this, std::move(executor));
  if (made.ok()) return made;
  std::string message = NamingOptions(made.error().message);
  if (type == FilterType::kCounting) return Error{made.error().code, std::move(message)};
  return Error{made.error().code, fmt::format("--type {}: {}", FilterTypeName(type), message)};
}

Status FamilyOptions::CheckShape() const {
  FamilyOptions least = *this;
  least.filter.capacity = 1;
  least.bucket_capacity = 0;
  const Result<AnyFilter> made = least.Create(nullptr);
  return made.ok() ? Ok() : Status(made.error());
}

void AddFamily(CLI::App& command, FamilyOptions& options, double default_fpr) {
  std::vector<std::string> names;
  for (const FilterType type : kTypes) names.emplace_back(FilterTypeName(type));
  command
      .add_option_function<std::string>(
          "--type",
          [&options](const std::string& name) {
            options.type = *std::ranges::find(kTypes, name, FilterTypeName);
          },
          "What filter to make: counting (default); scalable, which grows with its keys; window, "
          "of the keys seen lately; layered, with a small filter in front; classic, slices of "
          "counters as published")
      ->type_name("TYPE")
      ->check(CLI::IsMember(names));
  AddSizing(command, options.filter, default_fpr);
  AddBytes(command, "--memory-limit", options.memory_limit_bytes,
           "Memory at most for blocks and generations: 64MiB, 2GB (default: the machine's). A "
           "filter that would need more is not made; a growth beyond it is refused, as are the "
           "keys that need it, and the exit status is 1. Counts of promoted blocks (side tables) "
           "come on top: keys beyond the capacity, or inserted many times, may take more");

  const std::string group = "With --type scalable";
  AddCount(command, "--max-capacity", options.max_capacity,
           "Distinct keys beyond which it refuses to grow; -n is its first generation's capacity "
           "(default 65536)")
      ->group(group);
  command
      .add_flag("--identical", options.is_identical,
                "Generations all alike, each half filled: the published scheme, whose rate grows "
                "with them (by default rates tighten, and -p holds at every size)")
      ->group(group);
  AddWindow(command, options);
  AddLayeredAndClassic(command, options);
}

void FinishFamily(const CLI::App& command, FamilyOptions& options) {
  for (const TypeOption& option : TypeOptions()) {
    const std::string name(option.name);
    if (command.count(name) == 0) continue;
    if (std::ranges::find(option.types, options.type) != option.types.end()) continue;
    throw CLI::ValidationError(name, fmt::format("is for --type {}, not {}", Joined(option.types),
                                                 FilterTypeName(options.type)));
  }
  if (options.type == FilterType::kWindow && options.window == 0) {
    throw CLI::ValidationError("--window", "is required with --type window");
  }
  if (options.type == FilterType::kScalable && options.filter.capacity == 0) {
    options.filter.capacity = kDefaultFirstCapacity;
  }
}

}  // namespace trommel::tool
