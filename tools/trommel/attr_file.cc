// Files of attribute filters.
#include "tools/trommel/attr_file.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "tools/trommel/key_file.h"
#include "tools/trommel/number_text.h"

namespace trommel::tool {

Result<FilterFile> LoadAttributeFile(const std::string& path, const DigestKey& key,
                                     uint64_t memory_limit_bytes) {
  const Result<FilterType> type = TypeOfFile(path);
  if (type.ok() && *type != FilterType::kAttributes) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is a {} filter, of keys, not of columns: use the subcommands "
                             "without attr",
                             path, FilterTypeName(*type))};
  }
  Result<FilterFile> file = FilterFile::Load(path, key, memory_limit_bytes);
  if (!file.ok()) return file;
  if (AttributesOf(*file).digest_policy().kind == DigestKind::kCaller) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} was made of its program's own digests, which rows do not have", path)};
  }
  return file;
}

Result<FilterFile> LoadToHashRows(const std::string& path, const DigestKey& key,
                                  uint64_t memory_limit_bytes) {
  Result<FilterFile> file = LoadAttributeFile(path, key, memory_limit_bytes);
  if (!file.ok()) return file;
  if (Status given = CheckKeyGiven(file->filter().digest_policy()); !given.ok()) {
    return given.error();
  }
  return file;
}

AttributeFilter& AttributesOf(FilterFile& file) {
  return std::get<AttributeFilter>(file.filter().any());
}

Result<RowFormat> FormatFor(const RowInput& input, const AttributeFilter& filter,
                            const std::vector<uint32_t>& attributes) {
  RowFormat format = input.Format();
  if (format.columns.empty()) {
    for (const uint32_t attribute : attributes) format.columns.push_back(filter.names()[attribute]);
  }
  if (format.columns.size() == attributes.size()) return format;
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("--columns lists {}, where {} {}", FormatCount(format.columns.size(), "column"),
                  FormatCount(attributes.size(), "attribute"),
                  attributes.size() == 1 ? "is read" : "are read")};
}

}  // namespace trommel::tool
