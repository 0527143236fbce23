// Attributes by name.
#include "tools/index/rows/attribute_names.h"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "tools/trommel/input/column_names.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

Error BadName(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

}  // namespace

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
