// Rows as tab-separated lines and as JSON.
#ifndef TROMMEL_TOOLS_INDEX_ROW_OUTPUT_H_
#define TROMMEL_TOOLS_INDEX_ROW_OUTPUT_H_

#include <cstdint>
#include <span>
#include <string>

#include "tools/trommel/output/json.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::tool {

// A header line, "key" and the attributes' names, then the rows, keys as KeyText writes them.
// Values of a set have commas between; tabs, newlines and carriage returns in values are written
// \t, \n and \r. Fails with kIo.
Status PrintRows(const index::Schema& schema, std::span<const index::Row> rows);

// {"key": "S0042-00000017", "attributes": {"colour": ["blue", "red"], "material": []}}
Json RowJson(const index::Schema& schema, const index::Row& row);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_ROW_OUTPUT_H_
