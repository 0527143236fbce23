// One pass over rows, batch by batch, with progress; and the filter files that rows go into.
#ifndef TROMMEL_TOOLS_ROW_PASS_H_
#define TROMMEL_TOOLS_ROW_PASS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/input/row_reader.h"
#include "tools/trommel/options/attr_options.h"
#include "tools/trommel/output/report.h"
#include "tools/trommel/passes/key_pass.h"
#include "trommel/attribute_filter.h"
#include "trommel/executor.h"
#include "trommel/tuples.h"

namespace trommel::tool {

// Each column is hashed by one task, and filters split large batches over threads.
inline constexpr ReaderLimits kRowLimits{.block_bytes = size_t{1} << 22};

// Reads rows until the inputs end, `take` fails, or an interrupt was noted. `what` is the progress
// line's word. Fails with what `take` said and as RowReader does.
Result<PassTotals> RunRows(std::string_view what, const RowInput& input, const Settings& settings,
                           RowReader& reader, const std::function<Status(RowBatch&)>& take);

// Prints why reading rows failed: column 0 in --columns is a usage error, all else is bad input.
int FailOnRows(const RowInput& input, const RowReader& reader, const Error& error);

// Digests of the batch's columns: column i is attribute attributes[i]. One task per column.
void HashRows(const RowBatch& batch, std::span<const uint32_t> attributes,
              const DigestPolicy& policy, Executor* executor, TupleDigests& digests);

// Fails as FilterFile::Load does, and with kInvalidArgument for a filter of another type, one of
// its program's own digests, which rows of text do not have, and one whose key is not given.
Result<FilterFile> LoadToHashRows(const std::string& path, const DigestKey& key,
                                  uint64_t memory_limit_bytes);

// The filter in a file that LoadToHashRows made.
AttributeFilter& AttributesOf(FilterFile& file);

// How rows are read for these attributes of the filter: from the columns that --columns lists, one
// for each in their order, or else those of the attributes' names. Fails with kInvalidArgument for
// another number of columns.
Result<RowFormat> FormatFor(const RowInput& input, const AttributeFilter& filter,
                            const std::vector<uint32_t>& attributes);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_ROW_PASS_H_
