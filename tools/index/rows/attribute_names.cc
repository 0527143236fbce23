// Names that are near each other by the Levenshtein distance, in lower case.
#include "tools/index/rows/attribute_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

Error BadName(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Insertions, deletions and changes of one character that lead from one text to the other.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

bool IsNear(std::string_view wanted, std::string_view name) {
  const std::string a = LowerCase(wanted);
  const std::string b = LowerCase(name);
  if (a.size() >= 3 && b.find(a) != std::string::npos) return true;
  return EditDistance(a, b) <= 1 + a.size() / 4;
}

std::string Listed(std::span<const std::string> names) {
  constexpr size_t kMostListed = 20;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    list += (i == 0 ? "" : ", ") + Quoted(names[i]);
  }
  return names.size() > kMostListed ? list + ", ..." : list;
}

}  // namespace

Result<size_t> FindNamed(std::string_view what, std::string_view name,
                         std::span<const std::string> names) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  std::vector<std::string> near;
  std::ranges::copy_if(names, std::back_inserter(near),
                       [name](const std::string& other) { return IsNear(name, other); });
  if (!near.empty()) {
    return BadName(fmt::format("no {} {}; near it: {}", what, Quoted(name), Listed(near)));
  }
  return BadName(fmt::format("no {} {}; there are {}", what, Quoted(name), Listed(names)));
}

std::vector<std::string> NamesOf(const index::Schema& schema) {
  std::vector<std::string> names;
  for (const index::Attribute& attribute : schema.attributes) names.push_back(attribute.name);
  return names;
}

Result<index::Condition> ParseCondition(const index::Schema& schema, std::string_view text) {
  const size_t first = text.find('=');
  if (first == std::string_view::npos) {
    return BadName(fmt::format("{}: write ATTRIBUTE=VALUE", Quoted(text)));
  }
  for (size_t sign = first; sign != std::string_view::npos; sign = text.find('=', sign + 1)) {
    const std::optional<uint32_t> attribute = schema.Find(text.substr(0, sign));
    if (!attribute) continue;
    if (sign + 1 == text.size()) {
      return BadName(fmt::format("{}: there is no value behind the sign", Quoted(text)));
    }
    return index::Condition{*attribute, std::string(text.substr(sign + 1))};
  }
  return FindNamed("attribute", text.substr(0, first), NamesOf(schema)).error();
}

Result<std::vector<index::Values>> ParseRowValues(const index::Schema& schema,
                                                  std::span<const std::string> texts) {
  std::vector<index::Values> attributes(schema.attributes.size());
  for (const std::string& text : texts) {
    Result<index::Condition> parsed = ParseCondition(schema, text);
    if (!parsed.ok()) return parsed.error();
    attributes[parsed->attribute].push_back(std::move(parsed->value));
  }
  return attributes;
}

}  // namespace trommel::tool
