// Options that say what filter to make.
#include "tools/trommel/family_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trommel::tool {
namespace {

constexpr std::array kTypes = {FilterType::kCounting, FilterType::kScalable};

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

}  // namespace

Result<AnyFilter> FamilyOptions::Create(std::shared_ptr<Executor> executor) const {
  switch (type) {
    case FilterType::kScalable:
      return AsAny(ScalableFilter::Create(
          {.first_capacity = filter.capacity,
           .target_fpr = filter.target_fpr,
           .mode = is_identical ? GrowthMode::kIdentical : GrowthMode::kTightening,
           .max_capacity = max_capacity,
           .digest = filter.digest,
           .num_slices = filter.num_slices,
           .encoding = filter.encoding,
           .memory_limit_bytes = memory_limit_bytes,
           .executor = std::move(executor)}));
    default:
      break;
  }
  Config config = filter.ToConfig();
  config.memory_limit_bytes = memory_limit_bytes;
  config.executor = std::move(executor);
  return AsAny(CountingFilter::Create(config));
}

Status FamilyOptions::CheckShape() const {
  FamilyOptions least = *this;
  least.filter.capacity = 1;
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
          "What filter to make: counting (default); scalable, which grows with its keys")
      ->type_name("TYPE")
      ->check(CLI::IsMember(names));
  AddSizing(command, options.filter, default_fpr);
  AddBytes(command, "--memory-limit", options.memory_limit_bytes,
           "Memory at most: 64MiB, 2GB; a filter that would need more is not made, and one that "
           "grows stops there");

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
}

void FinishFamily(const CLI::App& command, FamilyOptions& options) {
  for (const TypeOption& option : TypeOptions()) {
    const std::string name(option.name);
    if (command.count(name) == 0) continue;
    if (std::ranges::find(option.types, options.type) != option.types.end()) continue;
    throw CLI::ValidationError(name, fmt::format("is for --type {}, not {}", Joined(option.types),
                                                 FilterTypeName(options.type)));
  }
  if (options.type == FilterType::kScalable && options.filter.capacity == 0) {
    options.filter.capacity = kDefaultFirstCapacity;
  }
}

}  // namespace trommel::tool
