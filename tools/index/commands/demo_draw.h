// Queries for any table, drawn from its rows.
#ifndef TROMMEL_TOOLS_INDEX_DEMO_DRAW_H_
#define TROMMEL_TOOLS_INDEX_DEMO_DRAW_H_

#include <vector>

#include "tools/index/commands/demo_queries.h"
#include "tools/index/rows/row_sample.h"
#include "trommel/index/schema.h"

namespace trommel::tool {

// About a dozen: of up to five indexed attributes, from few to many different values, a frequent
// value and a rare one; two pairs of values that a row has; a value that no row has. No query finds
// more than 50,000 rows, if a column has a value that is rare enough. The same sample gives the
// same queries. Requires an indexed attribute.
std::vector<DemoQuery> DrawDemoQueries(const index::Schema& schema, const RowSample& sample);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_DEMO_DRAW_H_
