// trommel attr build: a filter of several columns.
#include <fmt/core.h>

#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/trommel/commands/attr/attr_commands.h"
#include "tools/trommel/filters/applied.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/input/column_names.h"
#include "tools/trommel/input/input_file.h"
#include "tools/trommel/options/attr_options.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/passes/key_pass.h"
#include "tools/trommel/passes/row_pass.h"

namespace trommel::tool {
namespace {

struct AttrBuildOptions {
  OutputOptions output;
  AttributeOptions attributes;
  RowInput input;
};

// The filter is made once the first file has named its columns.
class AttributeBuilder {
 public:
  AttributeBuilder(const AttrBuildOptions& options, std::shared_ptr<Executor> executor)
      : options_(options), executor_(std::move(executor)) {}

  Status Make(const std::vector<std::string>& names) {
    const EndAtInterrupts end;  // plans can take many seconds
    Result<AttributeConfig> config = options_.attributes.ConfigOf(names, executor_);
    if (!config.ok()) return Wrong(config.error());
    Result<AttributeFilter> made = AttributeFilter::Create(*config);
    if (!made.ok()) {
      // This text is all the library's: braces in a name are no set.
      return Wrong({made.error().code, NamingSets(NamingOptions(made.error().message), names)});
    }
    filter_.emplace(*std::move(made));
    attributes_.resize(names.size());
    std::iota(attributes_.begin(), attributes_.end(), 0U);
    digests_ = TupleDigests(static_cast<uint32_t>(names.size()));
    return Ok();
  }

  void Insert(const RowBatch& batch) {
    HashRows(batch, attributes_, filter_->digest_policy(), executor_.get(), digests_);
    applied_ += AppliedOf(filter_->Insert(digests_.view()));
  }

  std::optional<AttributeFilter>& filter() { return filter_; }
  const Applied& applied() const { return applied_; }
  // Whether what was wrong is the request, not a file.
  bool is_request_wrong() const { return is_request_wrong_; }

 private:
  Status Wrong(Error error) {
    is_request_wrong_ = true;
    return error;
  }

  const AttrBuildOptions& options_;
  std::shared_ptr<Executor> executor_;
  std::optional<AttributeFilter> filter_;
  std::vector<uint32_t> attributes_;
  TupleDigests digests_{1};
  Applied applied_;
  bool is_request_wrong_ = false;
};

int RunAttrBuild(AttrBuildOptions& options, const Settings& settings) {
  NoteInterrupts();
  FilterOptions& filter_options = options.attributes.filter;
  if (Status keyed = ReadDigestKey(filter_options); !keyed.ok()) {
    return FailOnRequest(keyed.error());
  }
  Result<FilterOutput> output = FilterOutput::Claim(
      options.output, options.input.files.AllInputs(filter_options.key_file), settings.quiet);
  if (!output.ok()) return FailOnRequest(output.error());
  const std::shared_ptr<Executor> executor = options.input.files.MakeExecutor();
  const bool grows = !TotalBytes(options.input.files.paths) && options.attributes.memory_bytes == 0;
  if (filter_options.capacity == 0 && grows) filter_options.capacity = kDefaultFirstCapacity;
  if (filter_options.capacity == 0) {
    FamilyOptions counted;
    counted.filter = filter_options;
    KeyInput lines = options.input.files;
    lines.options.has_header = !options.input.no_header;
    lines.options.as_lines = options.input.as_lines;
    if (const int code = CountCapacity(lines, settings, executor.get(), counted, "rows");
        code != kDone) {
      return code;
    }
    filter_options.capacity = counted.filter.capacity;
  }

  RowFormat format = options.input.Format();
  format.makes_names = true;
  RowReader reader(options.input.files.paths, format, kRowLimits);
  AttributeBuilder builder(options, executor);
  const Result<PassTotals> totals =
      RunRows("building", options.input, settings, reader, [&](RowBatch& batch) -> Status {
        if (!builder.filter() && !reader.names().empty()) {
          if (Status made = builder.Make(reader.names()); !made.ok()) return made;
        }
        if (!batch.rows.empty()) builder.Insert(batch);
        return Ok();
      });
  if (!totals.ok()) {
    return builder.is_request_wrong() ? FailOnRequest(totals.error())
                                      : FailOnRows(options.input, reader, totals.error());
  }
  if (!builder.filter()) return Fail(kBadInput, "no rows in the input, and no header");
  const AnyFilterPtr filter = AnyFilter::Of(*std::move(builder.filter()));
  const auto save = [&] { return output->Save(*filter); };
  return FinishChange(output->path(), settings.json, save, [&](Report& report) {
    report.Add("filter", output->path(), "built", output->path());
    DescribePass(*totals, report, "rows");
    DescribeInserted(builder.applied(), report, "row");
    const auto& attributes = *filter->As<AttributeFilter>();
    DescribeAttributes(attributes, report);
    DescribeDigest(attributes.digest_policy(), report);
    if (options.attributes.takes_default_sets() && attributes.names().size() > 2) {
      report.AddLine(
          "Kept are the single columns and, as far as they fit, pairs of them: the default.\n"
          "trommel attr size tells what larger sets take (--together 3, --keep).");
    }
    return builder.applied().CodeOfInsert();
  });
}

}  // namespace

void AddAttrBuildCommand(Command& parent, const Settings& settings) {
  Command command =
      parent.AddSubcommand("build",
                           "Build a filter from rows and save it.\n"
                           "By default it answers for each column and each two of "
                           "them, in at most 16 MB; a query of\n"
                           "more is split into pairs. trommel attr size tells what more "
                           "would take.");
  auto options = std::make_shared<AttrBuildOptions>();
  AddOutput(command, options->output);
  AddAttributeSizing(command, options->attributes);
  AddMemoryLimit(command, options->attributes.memory_limit_bytes);
  AddDigest(command, options->attributes.filter);
  AddRowInput(command, options->input,
              "The columns to take, by name or by number from 1: src_ip,domain (default: all)");
  command.SetAction([&settings, options, command] {
    FinishDigest(command, options->attributes.filter);
    if (!options->attributes.mix.empty() && options->attributes.memory_bytes == 0) {
      throw UsageError{"--mix", "needs --memory to divide"};
    }
    return RunAttrBuild(*options, settings);
  });
}

}  // namespace trommel::tool
