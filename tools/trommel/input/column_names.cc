// Names to bits, and back.
#include "tools/trommel/input/column_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "tools/trommel/input/key_format.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

Error BadSet(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// What a column with this name does that a filter's must not; empty: nothing.
std::string FaultOf(std::string_view name) {
  constexpr size_t kMaxNameBytes = 255;  // AttributeConfig::names
  if (name.empty()) return "has no name";
  if (name.size() > kMaxNameBytes) {
    return fmt::format("has a name of {} bytes: {} at most", name.size(), kMaxNameBytes);
  }
  if (name.find(',') == std::string_view::npos) return "";
  return fmt::format("is named {}: no name may have a comma", Quoted(name));
}

// The number behind the last '='; false where there is none.
bool SplitAssignment(std::string_view text, std::string_view& name, std::string_view& value) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return false;
  name = text.substr(0, equals);
  value = text.substr(equals + 1);
  return true;
}

// "0,2" as the set of these two; 0 for anything else.
AttributeMask SetOfNumbers(std::string_view list, size_t num_attributes) {
  AttributeMask set = 0;
  for (const std::string& number : SplitNames(list)) {
    const Result<uint64_t> attribute = ParseCount(number);
    if (!attribute.ok() || *attribute >= num_attributes) return 0;
    set |= AttributeMask{1} << *attribute;
  }
  return set;
}

}  // namespace

Status CheckNames(std::span<const std::string> names) {
  if (names.empty()) return BadSet("no columns: name them with --columns");
  if (names.size() <= kMaxAttributes) return CheckEachName(names);
  return BadSet(
      fmt::format("{} columns are too many, a filter has at most {} attributes: choose "
                  "with --columns",
                  names.size(), kMaxAttributes));
}

Status CheckEachName(std::span<const std::string> names, std::span<const size_t> places) {
  const auto number = [places](size_t i) { return (places.empty() ? i : places[i]) + 1; };
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string fault = FaultOf(names[i]);
    if (!fault.empty()) return BadSet(fmt::format("column {} {}", number(i), fault));
    const auto same = static_cast<size_t>(std::ranges::find(names, names[i]) - names.begin());
    if (same < i) {
      return BadSet(fmt::format("columns {} and {} are both named {}", number(same), number(i),
                                Quoted(names[i])));
    }
  }
  return Ok();
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  for (;;) {
    const size_t comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

std::string ListOf(std::span<const std::string> names) {
  constexpr size_t kMostListed = 20;
  std::string list;
  for (const std::string& name : names.first(std::min(names.size(), kMostListed))) {
    list += (list.empty() ? "" : ", ") + Quoted(name);
  }
  return names.size() > kMostListed ? list + ", ..." : list;
}

Result<size_t> FindNamed(std::string_view what, std::string_view name,
                         std::span<const std::string> names) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  return BadSet(fmt::format("no {} named {}; there are {}", what, Quoted(name), ListOf(names)));
}

Result<AttributeMask> ParseSet(std::string_view text, std::span<const std::string> names) {
  AttributeMask set = 0;
  for (const std::string& name : SplitNames(text)) {
    const Result<size_t> attribute = FindNamed("attribute", name, names);
    if (!attribute.ok()) return attribute.error();
    const AttributeMask bit = AttributeMask{1} << *attribute;
    if ((set & bit) != 0) return BadSet(fmt::format("{} is named twice", Quoted(name)));
    set |= bit;
  }
  if (set == 0) return BadSet("no attribute is named");
  return set;
}

std::string SetText(AttributeMask set, std::span<const std::string> names) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  std::string text;
  for (; set != 0; set &= set - 1) {
    const std::string& name = names[static_cast<size_t>(std::countr_zero(set))];
    // Names come from files: they must not control the terminal.
    text +=
        (text.empty() ? "" : ",") + (std::ranges::any_of(name, is_control) ? Quoted(name) : name);
  }
  return text;
}

std::string NamingSets(std::string_view message, std::span<const std::string> names) {
  std::string named;
  for (;;) {
    const size_t open = message.find('{');
    const size_t close = message.find('}', open);
    if (close == std::string_view::npos) return named.append(message);
    named += message.substr(0, open);
    const AttributeMask set =
        SetOfNumbers(message.substr(open + 1, close - open - 1), names.size());
    // What is no set goes on behind its brace, where another one may open.
    named += set == 0 ? "{" : SetText(set, names);
    message.remove_prefix(set == 0 ? open + 1 : close + 1);
  }
}

Result<QueryShare> ParseShare(std::string_view text, std::span<const std::string> names) {
  QueryShare share;
  std::string_view list = text;
  std::string_view number;
  if (SplitAssignment(text, list, number)) {
    const char* const end = number.data() + number.size();
    const auto [stop, code] = std::from_chars(number.data(), end, share.share);
    if (code != std::errc() || stop != end || !(share.share > 0) || !std::isfinite(share.share)) {
      return BadSet(fmt::format("{} is no share: it must be a number above 0", Quoted(number)));
    }
  }
  const Result<AttributeMask> set = ParseSet(list, names);
  if (!set.ok()) return set.error();
  share.set = *set;
  return share;
}

Result<std::vector<uint64_t>> ParseValues(std::span<const std::string> texts,
                                          std::span<const std::string> names, uint64_t others) {
  if (texts.empty()) return std::vector<uint64_t>();
  std::vector<uint64_t> values(names.size(), 0);
  for (const std::string& text : texts) {
    std::string_view name;
    std::string_view number;
    if (!SplitAssignment(text, name, number)) {
      return BadSet(fmt::format("{} should be NAME=COUNT", Quoted(text)));
    }
    const Result<size_t> attribute = FindNamed("attribute", name, names);
    if (!attribute.ok()) return attribute.error();
    const Result<uint64_t> count = ParseCount(number);
    if (!count.ok()) return count.error();
    if (*count == 0) return BadSet(fmt::format("{}: it must be at least 1", Quoted(text)));
    if (values[*attribute] != 0) return BadSet(fmt::format("{} is given twice", Quoted(name)));
    values[*attribute] = *count;
  }
  std::ranges::replace(values, uint64_t{0}, others);
  return values;
}

Result<AttributeSets> ParseCuts(std::span<const std::string> cuts,
                                std::span<const std::string> names, uint64_t max_together) {
  std::vector<AttributeMask> masks;
  for (const std::string& text : cuts) {
    const Result<AttributeMask> cut = ParseSet(text, names);
    if (!cut.ok()) return BadSet(fmt::format("cut {}: {}", Quoted(text), cut.error().message));
    if (std::has_single_bit(*cut)) {
      return BadSet(fmt::format(
          "cut {}: it has one attribute, which could not be queried at all: leave its column out",
          Quoted(text)));
    }
    masks.push_back(*cut);
  }
  const auto num_columns = static_cast<uint32_t>(names.size());
  if (max_together == 0) return AttributeSets::Create(num_columns, masks);
  if (max_together > num_columns) {
    return BadSet(fmt::format("{} of {} columns together: it must be between 1 and {}",
                              max_together, num_columns, num_columns));
  }
  return AttributeSets::AtMost(num_columns, static_cast<uint32_t>(max_together), masks);
}

Result<AttributeSets> ParseKept(std::span<const std::string> kept,
                                std::span<const std::string> names) {
  std::vector<AttributeMask> masks;
  AttributeMask covered = 0;
  for (const std::string& text : kept) {
    const Result<AttributeMask> set = ParseSet(text, names);
    if (!set.ok()) {
      return BadSet(fmt::format("kept set {}: {}", Quoted(text), set.error().message));
    }
    masks.push_back(*set);
    covered |= *set;
  }
  const auto first_left = static_cast<size_t>(std::countr_one(covered));
  if (first_left < names.size()) {
    return BadSet(
        fmt::format("column {} is in no kept set, so it could never be queried: leave it out with "
                    "--columns {}, "
                    "or keep it with --keep {}",
                    Quoted(names[first_left]), SetText(covered, names),
                    SetText(AttributeMask{1} << first_left, names)));
  }
  return AttributeSets::Keep(static_cast<uint32_t>(names.size()), masks);
}

}  // namespace trommel::tool
