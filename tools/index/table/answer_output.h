// Rows as tab-separated lines and as JSON, and how a query found them.
#ifndef TROMMEL_TOOLS_INDEX_ANSWER_OUTPUT_H_
#define TROMMEL_TOOLS_INDEX_ANSWER_OUTPUT_H_

#include <cstdint>
#include <span>
#include <string>

#include "tools/trommel/output/report.h"
#include "trommel/index/query.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::tool {

// A header line, "key" and the attributes' names, then the rows, keys as KeyText writes them.
// Values of a set have commas between; tabs, newlines and carriage returns in values are written
// \t, \n and \r. Fails with kIo.
Status PrintRows(const index::Schema& schema, std::span<const index::Row> rows);

// {"key": "S0042-00000017", "attributes": {"colour": ["blue", "red"], "material": []}}
Json RowJson(const index::Schema& schema, const index::Row& row);

// Adds rows, plan and unanswered ranges. RPCs are compared with one to each server, which is what
// the same query takes without a directory.
void DescribeAnswer(const index::Schema& schema, const index::QueryOutcome& outcome,
                    Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_ANSWER_OUTPUT_H_
