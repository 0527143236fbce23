// trommel attr query: which rows may match, for any of the columns.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tools/trommel/commands/attr/attr_commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/key_file.h"
#include "tools/trommel/input/column_names.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/passes/query_output.h"
#include "tools/trommel/passes/row_pass.h"

namespace trommel::tool {
namespace {

constexpr size_t kMostPartsShown = 20;

struct AttrQueryOptions {
  ReadOptions read;
  std::string key_file;
  std::optional<std::string> asked;  // none: all
  std::optional<std::string> any;
  RowInput input;
  QueryOutput output;
};

// Queries the rows of one batch after the other, and prints the chosen lines.
class RowQuery {
 public:
  RowQuery(const AttrQueryOptions& options, const AttributeFilter& filter, AttributeMask asked,
           std::vector<uint32_t> attributes, std::shared_ptr<Executor> executor)
      : options_(options),
        filter_(filter),
        asked_(asked),
        attributes_(std::move(attributes)),
        executor_(std::move(executor)),
        digests_(filter.sets().num_attributes()),
        printer_(options.output, "\n") {}

  Status Take(const RowBatch& batch) {
    if (!batch.rows.empty()) Query(batch);
    Status printed = printer_.Print(batch.header, batch.rows, maybe_present_, counts_);
    // Rows may be typed, or come from a log as it is written: answer them before waiting.
    return printed.ok() && batch.is_input_idle ? printer_.Flush() : printed;
  }

  Status Flush() { return printer_.Flush(); }
  uint64_t num_present() const { return num_present_; }

 private:
  void Query(const RowBatch& batch) {
    HashRows(batch, attributes_, filter_.digest_policy(), executor_.get(), digests_);
    maybe_present_.resize(TupleIndex::BitmapWords(batch.rows.size()));
    if (options_.any) {
      FindMasks(batch);
      num_present_ += filter_.QueryEach(masks_, digests_.view(), maybe_present_);
    } else {
      num_present_ += filter_.Query(asked_, digests_.view(), maybe_present_);
    }
    if (options_.output.print_counts) {
      counts_.resize(batch.rows.size());
      filter_.CountEstimates(asked_, digests_.view(), counts_);
    }
  }

  // The attributes that each row has a value for.
  void FindMasks(const RowBatch& batch) {
    masks_.assign(batch.rows.size(), asked_);
    for (size_t i = 0; i < attributes_.size(); ++i) {
      const AttributeMask bit = AttributeMask{1} << attributes_[i];
      for (size_t row = 0; row < batch.rows.size(); ++row) {
        if (batch.columns[i][row] == *options_.any) masks_[row] &= ~bit;
      }
    }
  }

  const AttrQueryOptions& options_;
  const AttributeFilter& filter_;
  const AttributeMask asked_;
  const std::vector<uint32_t> attributes_;
  const std::shared_ptr<Executor> executor_;
  TupleDigests digests_;
  LinePrinter printer_;
  std::vector<uint64_t> maybe_present_;
  std::vector<AttributeMask> masks_;
  std::vector<uint64_t> counts_;
  uint64_t num_present_ = 0;
};

// The sets that a row with values in all of the queried columns is split into, and their rates.
void DescribeParts(const AttributeFilter& filter, AttributeMask asked, bool has_masks,
                   Report& report) {
  const std::vector<ScalableFill> fill = filter.MeasureFill();
  Json parts = Json::Array();
  size_t num_parts = 0;
  double highest_fpr = 0;
  std::string text;
  for (const AttributeMask part : filter.PartsOf(asked)) {
    const ScalableFill& of_part = fill[filter.sets().IndexOf(part)];
    highest_fpr = std::max(highest_fpr, of_part.current_fpr);
    parts.Append(SetJson(part, filter.names()));
    ++num_parts;
    if (num_parts <= kMostPartsShown) {
      text += (text.empty() ? "" : " and ") + SetText(part, filter.names());
    }
  }
  if (num_parts == 0) highest_fpr = 1;  // every row is maybe present
  AttributeMask left = asked;
  for (const AttributeMask part : filter.PartsOf(asked)) left &= ~part;
  report.AddField("asked", SetJson(asked, filter.names()));
  if (left != 0) {
    report.Add("not_looked_at", SetJson(left, filter.names()), "not looked at",
               SetText(left, filter.names()) + ": no kept set within the query has it");
  }
  const bool is_split = num_parts > 1;
  report.AddField("parts", std::move(parts));
  report.Add("current_fpr", highest_fpr, "false positives",
             FalsePositivesText(highest_fpr) +
                 (is_split || has_masks ? ", if all columns are queried" : ""));
  if (num_parts > kMostPartsShown) {
    text += fmt::format(" and {} more (--json has all)", num_parts - kMostPartsShown);
  }
  if (is_split) {
    report.AddLine(fmt::format("Cut: queried as {}, which different rows may match.", text));
  }
}

int RunAttrQuery(const AttrQueryOptions& options, const Settings& settings) {
  const Result<DigestKey> key = ReadGivenKey(options.key_file);
  if (!key.ok()) return FailOnRequest(key.error());
  Result<FilterFile> file =
      LoadToHashRows(options.read.filter, *key, options.read.memory_limit_bytes);
  if (!file.ok()) return FailOnRequest(file.error());
  AttributeFilter& filter = AttributesOf(*file);
  AttributeMask asked = filter.sets().full();
  std::vector<uint32_t> attributes(filter.names().size());
  std::iota(attributes.begin(), attributes.end(), 0U);
  if (options.asked) {
    const Result<AttributeMask> set = ParseSet(*options.asked, filter.names());
    if (!set.ok()) {
      return FailOnRequest({set.error().code, "--asked: " + set.error().message});
    }
    asked = *set;
    attributes.clear();
    for (const std::string& name : SplitNames(*options.asked)) {
      const Result<size_t> attribute = FindNamed("attribute", name, filter.names());
      attributes.push_back(static_cast<uint32_t>(*attribute));
    }
  }
  Result<RowFormat> format = FormatFor(options.input, filter, attributes);
  if (!format.ok()) return FailOnRequest(format.error());
  format->wants_one_header = options.output.prints_lines();
  const std::shared_ptr<Executor> executor = options.input.files.MakeExecutor();
  filter.UseExecutor(executor);

  RowReader reader(options.input.files.paths, *format, kRowLimits);
  RowQuery query(options, filter, asked, attributes, executor);
  const Result<PassTotals> totals =
      RunRows("querying", options.input, settings, reader,
              [&query](RowBatch& batch) { return query.Take(batch); });
  // What was answered before an error in the input is printed all the same.
  const Status flushed = query.Flush();
  if (!totals.ok()) return FailOnRows(options.input, reader, totals.error());
  if (!flushed.ok()) return FailOnInput(flushed.error());
  return FinishQuery(
      options.output, settings.json, totals->num_records, query.num_present(),
      [&](Report& report) { DescribePass(*totals, report, "rows"); },
      [&](Report& report) { DescribeParts(filter, asked, options.any.has_value(), report); });
}

}  // namespace

void AddAttrQueryCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "query",
      "Query a filter for rows: by their values in all columns, or in some.\n"
      "Prints a summary, or the lines that are asked for, unchanged and in input order.\n"
      "Exits 0 if any row may be present, 1 if all are certainly absent.");
  auto options = std::make_shared<AttrQueryOptions>();
  AddFilterFile(command, options->read);
  command.Text(
      "--asked", options->asked, "LIST",
      "Query by these attributes only, the files need no others: src_ip,domain (default: all)");
  command.Text("--any", options->any, "TEXT",
               "A field with this text matches any value: --any '*', or --any '' for empty fields");
  AddQueryOutput(command, options->output, "row");
  AddKeyFile(command, options->key_file);
  AddRowInput(command, options->input,
              "The columns that hold the queried attributes, in their order, by name or by "
              "number from 1 (default: the columns of the attributes' names)");
  command.SetAction([&settings, options] {
    if (options->output.print_counts && options->any) {
      throw UsageError{"--print-counts", "not with --any"};
    }
    return RunAttrQuery(*options, settings);
  });
}

}  // namespace trommel::tool
