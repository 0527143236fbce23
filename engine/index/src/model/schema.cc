// Schemas and rows: what is legal; and ranges of keys.
#include "trommel/index/schema.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace trommel::index {
namespace {

Error Invalid(std::string message) {
  return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
}

// "at most 32768 bytes", "between 1 and 1024 bytes".
Error WrongLength(std::string_view what, size_t num_bytes, std::string_view range) {
  return Invalid(std::string(what) + " has " + std::to_string(num_bytes) + " bytes; it must have " +
                 std::string(range));
}

std::string InRow(std::string_view what, const Attribute& attribute) {
  return std::string(what) + " of attribute \"" + attribute.name + "\"";
}

}  // namespace

std::optional<uint32_t> Schema::Find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  if (found == attributes.end()) return std::nullopt;
  return static_cast<uint32_t>(found - attributes.begin());
}

Status Validate(const Schema& schema) {
  if (schema.attributes.empty() || schema.attributes.size() > kMaxAttributes) {
    return Invalid("the schema has " + std::to_string(schema.attributes.size()) +
                   " attributes; it must have between 1 and " + std::to_string(kMaxAttributes));
  }
  if (schema.max_versions == 0 || schema.max_versions > kMaxVersions) {
    return Invalid("max_versions is " + std::to_string(schema.max_versions) +
                   "; it must be between 1 and " + std::to_string(kMaxVersions));
  }
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < schema.attributes.size(); ++i) {
    const std::string& name = schema.attributes[i].name;
    if (name.empty()) {
      return Invalid("attribute " + std::to_string(i) + " has an empty name; give it one");
    }
    if (!names.insert(name).second) {
      return Invalid("attribute " + std::to_string(i) + " is named \"" + name +
                     "\", as another one is; names must differ");
    }
  }
  std::unordered_set<std::string_view> key_columns;
  for (const std::string& name : schema.key_columns) {
    if (name.empty()) return Invalid("a key column has an empty name; give it one");
    if (!key_columns.insert(name).second) {
      return Invalid("two key columns are named \"" + name + "\"; names must differ");
    }
  }
  if (schema.key_columns.size() > kMaxAttributes) {
    return Invalid("the schema has " + std::to_string(schema.key_columns.size()) +
                   " key columns; it must have at most " + std::to_string(kMaxAttributes));
  }
  return Ok();
}

Status Validate(const Schema& schema, const Row& row) {
  if (row.key.empty() || row.key.size() > kMaxKeyBytes) {
    return WrongLength("the row's key", row.key.size(),
                       "between 1 and " + std::to_string(kMaxKeyBytes));
  }
  if (row.attributes.size() != schema.attributes.size()) {
    return Invalid("the row has " + std::to_string(row.attributes.size()) +
                   " lists of values; it must have one per attribute, " +
                   std::to_string(schema.attributes.size()));
  }
  for (size_t i = 0; i < row.attributes.size(); ++i) {
    for (const std::string& value : row.attributes[i]) {
      if (value.size() > kMaxValueBytes) {
        return WrongLength(InRow("a value", schema.attributes[i]), value.size(),
                           "at most " + std::to_string(kMaxValueBytes));
      }
    }
  }
  return Ok();
}

KeyRange Intersection(const KeyRange& a, const KeyRange& b) {
  KeyRange both{.begin = std::max(a.begin, b.begin), .end = {}};
  if (a.end.empty() || b.end.empty()) {
    both.end = a.end.empty() ? b.end : a.end;
  } else {
    both.end = std::min(a.end, b.end);
  }
  return both;
}

}  // namespace trommel::index
