// One pass over rows.
#include "tools/trommel/attr_pass.h"

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "tools/trommel/interrupt.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/progress.h"

namespace trommel::tool {

Result<RowTotals> RunRows(std::string_view what, const RowInput& input, const Settings& settings,
                          RowReader& reader, const std::function<Status(RowBatch&)>& take) {
  const auto start = std::chrono::steady_clock::now();
  Progress progress(what, settings.quiet, TotalBytes(input.files.paths));
  RowTotals totals;
  RowBatch batch;
  for (;;) {
    const Result<bool> has_rows = reader.Next(batch);
    if (!has_rows.ok()) return has_rows.error();
    if (!*has_rows) break;
    totals.num_rows += batch.rows.size();
    totals.num_empty += batch.num_empty;
    totals.num_bytes += batch.num_bytes;
    if (Status taken = take(batch); !taken.ok()) return taken.error();
    if (NotedInterrupt() != 0) return Error{ErrorCode::kIo, "interrupted"};
    progress.Update(totals.num_rows, totals.num_bytes, "rows");
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

void DescribeRows(const RowTotals& totals, Report& report) {
  std::string text = FormatCount(totals.num_rows);
  if (totals.num_empty > 0) {
    text += fmt::format(" ({} skipped)", FormatCount(totals.num_empty, "empty line"));
  }
  report.Add("num_rows_read", totals.num_rows, "rows read", std::move(text));
  report.AddField("num_empty_skipped", totals.num_empty);
  report.AddField("num_bytes_read", totals.num_bytes);
  const double bytes_a_second =
      totals.seconds > 0 ? static_cast<double>(totals.num_bytes) / totals.seconds : 0;
  report.Add("seconds", totals.seconds, "time",
             fmt::format("{:.2f} s, {}/s", totals.seconds,
                         FormatBytes(static_cast<uint64_t>(bytes_a_second))));
}

}  // namespace trommel::tool
