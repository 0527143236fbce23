// Row keys as people type and read them: as they are, and of several columns as "a=1,b=2".
#ifndef TROMMEL_TOOLS_INDEX_ROW_KEY_H_
#define TROMMEL_TOOLS_INDEX_ROW_KEY_H_

#include <string>
#include <string_view>

#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::tool {

// Returns the key as ParseKey takes it. A key that is no tuple of the table's key columns is
// returned as it is: the boundary of a region can be one.
std::string KeyText(const index::Schema& schema, std::string_view key);

// Returns the key. Fails with kInvalidArgument as ParseTuple does.
Result<std::string> ParseKey(const index::Schema& schema, std::string_view text);

// Returns "'a' to before 'b'", "the first key to the last".
std::string RangeText(const index::Schema& schema, const index::KeyRange& range);

// Gives the attributes that are key columns, and have no value, those of the row's key, as a row of
// a file has them. Fails with kInvalidArgument, naming the attribute, for one that has another
// value.
Status AddKeyValues(const index::Schema& schema, index::Row& row);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_ROW_KEY_H_
