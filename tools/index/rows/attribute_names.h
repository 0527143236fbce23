// Attributes by name: "colour=red" as a condition or a value.
#ifndef TROMMEL_TOOLS_INDEX_ATTRIBUTE_NAMES_H_
#define TROMMEL_TOOLS_INDEX_ATTRIBUTE_NAMES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::tool {

std::vector<std::string> NamesOf(const index::Schema& schema);

// "colour=red": the attribute's name is all before an equals sign; the first one behind a name that
// there is. Fails with kInvalidArgument for what has no sign, no such attribute, or no value.
Result<index::Condition> ParseCondition(const index::Schema& schema, std::string_view text);

// The values of a row, from "colour=red" and the like; several of one attribute are a set. Fails as
// ParseCondition does.
Result<std::vector<index::Values>> ParseRowValues(const index::Schema& schema,
                                                  std::span<const std::string> texts);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_ATTRIBUTE_NAMES_H_
