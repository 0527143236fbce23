// trommel attr query: which rows may match, for any of the columns.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tools/trommel/attr_commands.h"
#include "tools/trommel/attr_file.h"
#include "tools/trommel/attr_names.h"
#include "tools/trommel/attr_pass.h"
#include "tools/trommel/describe_filter.h"
#include "tools/trommel/key_file.h"
#include "tools/trommel/line_writer.h"
#include "tools/trommel/number_text.h"

namespace trommel::tool {
namespace {

struct AttrQueryOptions {
  std::string filter;
  std::string key_file;
  std::optional<std::string> asked;  // none: all
  std::optional<std::string> any;
  RowInput input;
  bool print_present = false;
  bool print_absent = false;
  bool print_counts = false;
  bool count_only = false;

  bool prints_lines() const { return print_present || print_absent || print_counts; }
};

// Asks for the rows of one batch after the other, and passes lines through.
class RowAsker {
 public:
  RowAsker(const AttrQueryOptions& options, const AttributeFilter& filter, AttributeMask asked,
           std::vector<uint32_t> attributes, std::shared_ptr<Executor> executor)
      : options_(options),
        filter_(filter),
        asked_(asked),
        attributes_(std::move(attributes)),
        executor_(std::move(executor)),
        digests_(filter.sets().num_attributes()),
        writer_(STDOUT_FILENO, "\n") {}

  Status Take(const RowBatch& batch) {
    if (!batch.header.empty() && options_.prints_lines()) {
      // Columns keep their names: a line has one more where counts are printed.
      const std::string header = (options_.print_counts ? "count\t" : "") + batch.header;
      if (Status written = writer_.Write(header); !written.ok()) return written;
    }
    if (!batch.rows.empty()) {
      if (Status answered = Answer(batch); !answered.ok()) return answered;
    }
    // Somebody who types rows, or tails a log into us, wants the answers now.
    return batch.is_input_idle ? writer_.Flush() : Ok();
  }

  Status Flush() { return writer_.Flush(); }
  uint64_t num_present() const { return num_present_; }

 private:
  Status Answer(const RowBatch& batch) {
    HashRows(batch, attributes_, filter_.digest_policy(), executor_.get(), digests_);
    bitmap_.resize(TupleIndex::BitmapWords(batch.rows.size()));
    if (options_.any) {
      FindMasks(batch);
      num_present_ += filter_.QueryEach(masks_, digests_.view(), bitmap_);
    } else {
      num_present_ += filter_.Query(asked_, digests_.view(), bitmap_);
    }
    if (options_.print_counts) return PrintCounts(batch);
    if (!options_.prints_lines()) return Ok();
    const Result<uint64_t> written =
        writer_.WriteSelected(batch.rows, bitmap_, options_.print_present);
    return written.ok() ? Ok() : Status(written.error());
  }

  // A row's own question: what it gives.
  void FindMasks(const RowBatch& batch) {
    masks_.assign(batch.rows.size(), asked_);
    for (size_t i = 0; i < attributes_.size(); ++i) {
      const AttributeMask bit = AttributeMask{1} << attributes_[i];
      for (size_t row = 0; row < batch.rows.size(); ++row) {
        if (batch.columns[i][row] == *options_.any) masks_[row] &= ~bit;
      }
    }
  }

  Status PrintCounts(const RowBatch& batch) {
    counts_.resize(batch.rows.size());
    filter_.CountEstimates(asked_, digests_.view(), counts_);
    for (size_t i = 0; i < counts_.size(); ++i) {
      line_.clear();
      fmt::format_to(std::back_inserter(line_), "{}\t", counts_[i]);
      line_ += batch.rows[i];
      if (Status written = writer_.Write(line_); !written.ok()) return written;
    }
    return Ok();
  }

  const AttrQueryOptions& options_;
  const AttributeFilter& filter_;
  const AttributeMask asked_;
  const std::vector<uint32_t> attributes_;
  const std::shared_ptr<Executor> executor_;
  TupleDigests digests_;
  LineWriter writer_;
  std::vector<uint64_t> bitmap_;
  std::vector<AttributeMask> masks_;
  std::vector<uint64_t> counts_;
  std::string line_;
  uint64_t num_present_ = 0;
};

// What a row that gives all asked columns is split into, and how well the parts know strangers.
void DescribeParts(const AttributeFilter& filter, AttributeMask asked, bool is_each_its_own,
                   Report& report) {
  const AttributeStats stats = filter.GetStats();
  Json parts = Json::array();
  double highest_fpr = 0;
  std::string text;
  for (const AttributeMask part : filter.PartsOf(asked)) {
    const auto& of_part = stats.sets[filter.sets().IndexOf(part)].stats;
    highest_fpr = std::max(highest_fpr, of_part.current_fpr);
    parts.push_back(SetJson(part, filter.names()));
    text += (text.empty() ? "" : " and ") + SetText(part, filter.names());
  }
  report.AddField("asked", SetJson(asked, filter.names()));
  const bool is_split = parts.size() > 1;
  report.AddField("parts", std::move(parts));
  report.Add("current_fpr", highest_fpr, "false positives",
             fmt::format("{} of strangers are among \"maybe present\"{}", FormatRate(highest_fpr),
                         is_split || is_each_its_own ? ", if all are asked for" : ""));
  if (is_split) {
    report.AddLine(fmt::format("Cut: asked for are {}, which different rows may match.", text));
  }
}

int RunAttrQuery(const AttrQueryOptions& options, const Settings& settings) {
  const Result<DigestKey> key = ReadGivenKey(options.key_file);
  if (!key.ok()) return FailOnRequest(key.error());
  Result<FilterFile> file = LoadToHashRows(options.filter, *key);
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
      attributes.push_back(*FindAttribute(name, filter.names()));
    }
  }
  Result<RowFormat> format = FormatFor(options.input, filter, attributes);
  if (!format.ok()) return FailOnRequest(format.error());
  format->wants_one_header = options.prints_lines();
  const std::shared_ptr<Executor> executor = options.input.files.MakeExecutor();
  filter.UseExecutor(executor);

  RowReader reader(options.input.files.paths, *format, kRowLimits);
  RowAsker asker(options, filter, asked, attributes, executor);
  const Result<RowTotals> totals = RunRows("querying", options.input, settings, reader,
                                           [&asker](RowBatch& batch) { return asker.Take(batch); });
  // What was answered before an error in the input is printed all the same.
  const Status flushed = asker.Flush();
  if (!totals.ok()) return FailOnRows(options.input, reader, totals.error());
  if (!flushed.ok()) return FailOnInput(flushed.error());
  const uint64_t num_present = asker.num_present();
  const ExitCode code = num_present > 0 ? kDone : kNegativeAnswer;
  if (options.count_only && !settings.json) {
    Report count;
    count.AddLine(std::to_string(num_present));
    return Finish(count, false, code);
  }
  if (options.prints_lines() && !settings.json) return code;
  Report report;
  DescribeRows(*totals, report);
  const uint64_t num_absent = totals->num_rows - num_present;
  report.Add("num_maybe_present", num_present, "maybe present", FormatCount(num_present));
  report.Add("num_absent", num_absent, "absent", FormatCount(num_absent));
  DescribeParts(filter, asked, options.any.has_value(), report);
  return Finish(report, settings.json, code, options.prints_lines() ? stderr : stdout);
}

}  // namespace

void AddAttrQueryCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command =
      app.add_subcommand("query",
                         "Ask whether there was a row with these values, in all columns or in\n"
                         "some. Prints a summary, or passes lines through unchanged.\n"
                         "Exits 0 if any row may be present, 1 if all are certainly absent.");
  auto options = std::make_shared<AttrQueryOptions>();
  command->add_option("FILTER", options->filter, "Filter file")->required();
  command
      ->add_option_function<std::string>(
          "--asked", [options](const std::string& text) { options->asked = text; },
          "Ask for these attributes only, the files need no others: src_ip,domain (default: all)")
      ->type_name("LIST");
  command
      ->add_option_function<std::string>(
          "--any", [options](const std::string& text) { options->any = text; },
          "A field with this text is not asked for in its row: --any '*', or --any '' for empty "
          "fields")
      ->type_name("TEXT");
  auto* output = command->add_option_group("Output", "At most one of");
  output->add_flag("--print-present", options->print_present,
                   "Print the lines whose row may be present");
  output->add_flag("--print-absent", options->print_absent,
                   "Print the lines whose row is certainly absent");
  output->add_flag("--print-counts", options->print_counts,
                   "Print every line after the most rows it can match, and a tab; a header after "
                   "\"count\"");
  output->add_flag("-c,--count", options->count_only, "Print only how many rows may be present");
  output->require_option(0, 1);
  AddKeyFile(*command, options->key_file);
  AddRowInput(*command, options->input,
              "The columns that hold the attributes asked for, in their order, by name or by "
              "number from 1 (default: those of the attributes' names)");
  command->callback([&settings, &run, options] {
    if (options->print_counts && options->any) {
      throw CLI::ValidationError("--print-counts", "not with --any");
    }
    run = [&settings, options] { return RunAttrQuery(*options, settings); };
  });
}

}  // namespace trommel::tool
