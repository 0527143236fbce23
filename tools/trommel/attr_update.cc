// trommel attr insert and erase: rows into and out of a filter file, all or none.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tools/trommel/attr_commands.h"
#include "tools/trommel/attr_file.h"
#include "tools/trommel/attr_pass.h"
#include "tools/trommel/filter_output.h"
#include "tools/trommel/interrupt.h"
#include "tools/trommel/key_file.h"
#include "tools/trommel/number_text.h"

namespace trommel::tool {
namespace {

struct AttrUpdateOptions {
  std::string filter;
  OutputOptions output;
  bool strict = false;              // erase's
  uint64_t memory_limit_bytes = 0;  // 0: the machine's memory
  std::string key_file;
  RowInput input;
};

using ApplyTuples = std::function<void(AttributeFilter&, const Tuples&)>;
using DescribeApplied = std::function<ExitCode(Report&)>;

// As RunUpdate (update.h).
int UpdateAttributes(std::string_view what, const AttrUpdateOptions& options,
                     const Settings& settings, const ApplyTuples& apply,
                     const DescribeApplied& describe) {
  const Result<DigestKey> key = ReadGivenKey(options.key_file);
  if (!key.ok()) return FailOnRequest(key.error());
  Result<FilterOutput> output =
      FilterOutput::ClaimUpdate(options.filter, options.output,
                                options.input.files.AllInputs(options.key_file), settings.quiet);
  if (!output.ok()) return FailOnRequest(output.error());
  Result<FilterFile> file = LoadToHashRows(options.filter, *key, options.memory_limit_bytes);
  if (!file.ok()) return FailOnRequest(file.error());
  NoteInterrupts();  // loading may take seconds, and an interrupt may end it
  AttributeFilter& filter = AttributesOf(*file);
  std::vector<uint32_t> attributes(filter.names().size());
  std::iota(attributes.begin(), attributes.end(), 0U);
  const Result<RowFormat> format = FormatFor(options.input, filter, attributes);
  if (!format.ok()) return FailOnRequest(format.error());
  const std::shared_ptr<Executor> executor = options.input.files.MakeExecutor();
  filter.UseExecutor(executor);

  RowReader reader(options.input.files.paths, *format, kRowLimits);
  TupleDigests digests(static_cast<uint32_t>(attributes.size()));
  const Result<RowTotals> totals =
      RunRows(what, options.input, settings, reader, [&](RowBatch& batch) {
        if (batch.rows.empty()) return Ok();
        HashRows(batch, attributes, filter.digest_policy(), executor.get(), digests);
        apply(filter, digests.view());
        return Ok();
      });
  if (!totals.ok()) return FailOnRows(options.input, reader, totals.error());

  const auto save = [&] { return output->Save(*file); };
  return FinishChange(output->path(), settings.json, save, [&](Report& report) {
    report.Add("filter", output->path(), "written", output->path());
    DescribeRows(*totals, report);
    report.Add("num_tuples", filter.num_tuples(), "rows now", FormatCount(filter.num_tuples()));
    return describe(report);
  });
}

int RunAttrInsert(const AttrUpdateOptions& options, const Settings& settings) {
  Applied applied;
  const auto insert = [&applied](AttributeFilter& filter, const Tuples& tuples) {
    applied += AppliedOf(filter.Insert(tuples));
  };
  const auto describe = [&applied](Report& report) {
    DescribeInserted(applied, report, "row");
    return applied.CodeOfInsert();
  };
  return UpdateAttributes("inserting", options, settings, insert, describe);
}

int RunAttrErase(const AttrUpdateOptions& options, const Settings& settings) {
  EraseOutcome erased;
  const auto erase = [&erased](AttributeFilter& filter, const Tuples& tuples) {
    const EraseOutcome outcome = filter.Erase(tuples);
    erased.num_erased += outcome.num_erased;
    erased.num_refused += outcome.num_refused;
  };
  const auto describe = [&](Report& report) {
    report.Add("num_erased", erased.num_erased, "erased", FormatCount(erased.num_erased));
    report.Add("num_refused", erased.num_refused, "refused",
               FormatCount(erased.num_refused) + " (certainly absent: nothing changed for them)");
    return options.strict && erased.num_refused > 0 ? kNegativeAnswer : kDone;
  };
  return UpdateAttributes("erasing", options, settings, erase, describe);
}

std::shared_ptr<AttrUpdateOptions> AddAttrUpdateOptions(CLI::App& command) {
  auto options = std::make_shared<AttrUpdateOptions>();
  AddUpdateOutput(command, options->filter, options->output);
  AddFileMemoryLimit(command, options->memory_limit_bytes);
  AddKeyFile(command, options->key_file);
  AddRowInput(command, options->input,
              "The columns that hold the filter's attributes, in its order, by name or by number "
              "from 1 (default: those of the attributes' names)");
  return options;
}

}  // namespace

void AddAttrInsertCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "insert",
      "Insert rows into a filter of columns. A row inserted twice must be erased twice to be\n"
      "gone. Nothing is written unless all rows could be read.");
  const std::shared_ptr<AttrUpdateOptions> options = AddAttrUpdateOptions(*command);
  command->callback([&settings, &run, options] {
    run = [&settings, options] { return RunAttrInsert(*options, settings); };
  });
}

void AddAttrEraseCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "erase",
      "Erase rows from a filter of columns. Erase only what was inserted, as often as it was: a\n"
      "row that is certainly absent is refused and counted, but one whose sets of values all came\n"
      "with other rows is not noticed, and takes their counts.");
  const std::shared_ptr<AttrUpdateOptions> options = AddAttrUpdateOptions(*command);
  command->add_flag("--strict", options->strict,
                    "Exit 1 if a row was refused (the others are erased all the same)");
  command->callback([&settings, &run, options] {
    run = [&settings, options] { return RunAttrErase(*options, settings); };
  });
}

}  // namespace trommel::tool
