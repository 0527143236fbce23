// Files of attribute filters.
#ifndef TROMMEL_TOOLS_ATTR_FILE_H_
#define TROMMEL_TOOLS_ATTR_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/trommel/attr_options.h"
#include "tools/trommel/filter_file.h"
#include "trommel/attribute_filter.h"
#include "trommel/result.h"

namespace trommel::tool {

// Fails as FilterFile::Load does, and with kInvalidArgument for a filter of another type and one of
// its program's own digests, which rows of text do not have.
Result<FilterFile> LoadAttributeFile(const std::string& path, const DigestKey& key = {},
                                     uint64_t memory_limit_bytes = 0);

// The same for commands that hash rows: kInvalidArgument, too, for a filter whose key is not given.
Result<FilterFile> LoadToHashRows(const std::string& path, const DigestKey& key,
                                  uint64_t memory_limit_bytes = 0);

// The filter in a file that LoadAttributeFile made.
AttributeFilter& AttributesOf(FilterFile& file);

// How rows are read for these attributes of the filter: from the columns that --columns lists, one
// for each in their order, or else those of the attributes' names. Fails with kInvalidArgument for
// another number of columns.
Result<RowFormat> FormatFor(const RowInput& input, const AttributeFilter& filter,
                            const std::vector<uint32_t>& attributes);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_ATTR_FILE_H_
