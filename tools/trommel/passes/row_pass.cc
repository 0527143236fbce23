// One pass over rows.
#include "tools/trommel/passes/row_pass.h"

#include <fmt/core.h>

#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "tools/trommel/filters/key_file.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"

namespace trommel::tool {

Result<PassTotals> RunRows(std::string_view what, const RowInput& input, const Settings& settings,
                           RowReader& reader, const std::function<Status(RowBatch&)>& take) {
  const auto start = std::chrono::steady_clock::now();
  Progress progress(what, settings.quiet, TotalTextBytes(input.files.paths));
  PassTotals totals;
  RowBatch batch;
  for (;;) {
    const Result<bool> has_rows = reader.Next(batch);
    for (const std::string& note : batch.piece.notes) PrintNote(note);
    batch.piece.notes.clear();
    if (!has_rows.ok()) return has_rows.error();
    if (!*has_rows) break;
    totals.num_records += batch.rows.size();
    totals.num_empty += batch.num_empty;
    totals.num_bytes += batch.num_bytes;
    if (Status taken = take(batch); !taken.ok()) return taken.error();
    if (NotedInterrupt() != 0) return Error{ErrorCode::kIo, "interrupted"};
    progress.Update(totals.num_records, totals.num_bytes, "rows");
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  totals.seconds = elapsed.count();
  return totals;
}

int FailOnRows(const RowInput& input, const RowReader& reader, const Error& error) {
  const bool is_request = reader.is_choice_wrong() && !input.columns.empty();
  return is_request ? FailOnRequest(error) : FailOnInput(error);
}

void HashRows(const RowBatch& batch, std::span<const uint32_t> attributes,
              const DigestPolicy& policy, Executor* executor, TupleDigests& digests) {
  digests.Clear();
  const auto hash = [&](size_t i) { digests.Set(attributes[i], batch.columns[i], policy); };
  if (executor != nullptr) return executor->ForEach(attributes.size(), hash);
  for (size_t i = 0; i < attributes.size(); ++i) hash(i);
}

Result<FilterFile> LoadToHashRows(const std::string& path, const DigestKey& key,
                                  uint64_t memory_limit_bytes) {
  Result<FilterFile> file = FilterFile::Load(path, key, memory_limit_bytes);
  if (!file.ok()) return file;
  // Of what was loaded: another file may take the name at any time.
  if (const FilterType type = file->filter().type(); type != FilterType::kAttributes) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is a {} filter, of keys, not of columns: use the subcommands "
                             "without attr",
                             path, FilterTypeName(type))};
  }
  if (AttributesOf(*file).digest_policy().kind == DigestKind::kCaller) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} was made of its program's own digests, which rows do not have", path)};
  }
  if (Status given = CheckKeyGiven(file->filter().digest_policy()); !given.ok()) {
    return given.error();
  }
  return file;
}

AttributeFilter& AttributesOf(FilterFile& file) { return *file.filter().As<AttributeFilter>(); }

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
