// One pass over rows, batch by batch, with progress.
#ifndef TROMMEL_TOOLS_ATTR_PASS_H_
#define TROMMEL_TOOLS_ATTR_PASS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "tools/trommel/attr_options.h"
#include "tools/trommel/attr_rows.h"
#include "tools/trommel/report.h"
#include "trommel/executor.h"
#include "trommel/tuples.h"

namespace trommel::tool {

// Columns are hashed a task each, and filters split large batches over threads.
inline constexpr ReaderLimits kRowLimits{.block_bytes = size_t{1} << 22};

struct RowTotals {
  uint64_t num_rows = 0;
  uint64_t num_empty = 0;  // lines skipped
  uint64_t num_bytes = 0;  // read
  double seconds = 0;
};

// Reads rows until the inputs end, `take` fails, or an interrupt was noted. `what` is the progress
// line's word. Fails with what `take` said and as RowReader does.
Result<RowTotals> RunRows(std::string_view what, const RowInput& input, const Settings& settings,
                          RowReader& reader, const std::function<Status(RowBatch&)>& take);

// Prints why reading rows failed: --columns that no file has are a usage error, all else bad input.
int FailOnRows(const RowInput& input, const RowReader& reader, const Error& error);

// Digests of the batch's columns: column i is attribute attributes[i]. A task a column.
void HashRows(const RowBatch& batch, std::span<const uint32_t> attributes,
              const DigestPolicy& policy, Executor* executor, TupleDigests& digests);

// Adds what was read, and how fast.
void DescribeRows(const RowTotals& totals, Report& report);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_ATTR_PASS_H_
