// trommel attr insert and erase: rows into and out of a filter file, all or none.
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/commands/attr/attr_commands.h"
#include "tools/trommel/filters/applied.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/passes/filter_update.h"
#include "tools/trommel/passes/row_pass.h"

namespace trommel::tool {
namespace {

struct AttrUpdateOptions {
  UpdateOptions update;
  RowInput input;
  bool partial = false;  // erase's
};

using ApplyTuples = std::function<Applied(AttributeFilter&, const Tuples&)>;
using DescribeApplied = std::function<ExitCode(const Applied&, Report&)>;

// As RunUpdate (commands/update.cc). is_whole: writes nothing if a row was refused by an erase.
int UpdateAttributes(std::string_view what, const AttrUpdateOptions& options,
                     const Settings& settings, const ApplyTuples& apply,
                     const DescribeApplied& describe, bool is_whole = false) {
  Result<FilterUpdate> update =
      FilterUpdate::Begin(options.update, options.input.files, settings, LoadToHashRows);
  if (!update.ok()) return FailOnRequest(update.error());
  AttributeFilter& filter = AttributesOf(update->file());
  std::vector<uint32_t> attributes(filter.names().size());
  std::iota(attributes.begin(), attributes.end(), 0U);
  const Result<RowFormat> format = FormatFor(options.input, filter, attributes);
  if (!format.ok()) return FailOnRequest(format.error());
  const std::shared_ptr<Executor> executor = options.input.files.MakeExecutor();
  filter.UseExecutor(executor);

  Applied applied;
  std::string first_refused;
  RowReader reader(options.input.files.paths, *format, kRowLimits);
  TupleDigests digests(static_cast<uint32_t>(attributes.size()));
  const Result<PassTotals> totals =
      RunRows(what, options.input, settings, reader, [&](RowBatch& batch) {
        if (batch.rows.empty()) return Ok();
        HashRows(batch, attributes, filter.digest_policy(), executor.get(), digests);
        const uint64_t num_before = applied.num_keys();
        applied += apply(filter, digests.view());
        if (first_refused.empty() && applied.first_refused) {
          first_refused = batch.piece.Naming(batch.rows[*applied.first_refused - num_before], '\n');
        }
        return Ok();
      });
  if (!totals.ok()) return FailOnRows(options.input, reader, totals.error());
  if (is_whole && applied.num_refused > 0) return FailErase(applied, first_refused, "row");

  return update->Finish(settings.json, [&](Report& report) {
    DescribePass(*totals, report, "rows");
    report.Add("num_tuples", filter.num_tuples(), "rows now", FormatCount(filter.num_tuples()));
    return describe(applied, report);
  });
}

int RunAttrInsert(const AttrUpdateOptions& options, const Settings& settings) {
  const auto insert = [](AttributeFilter& filter, const Tuples& tuples) {
    return AppliedOf(filter.Insert(tuples));
  };
  const auto describe = [](const Applied& applied, Report& report) {
    DescribeInserted(applied, report, "row");
    return applied.CodeOfInsert();
  };
  return UpdateAttributes("inserting", options, settings, insert, describe);
}

int RunAttrErase(const AttrUpdateOptions& options, const Settings& settings) {
  const auto erase = [](AttributeFilter& filter, const Tuples& tuples) {
    std::vector<uint64_t> erased(BitmapWords(tuples.size));
    return AppliedOf(filter.Erase(tuples, erased), erased);
  };
  return UpdateAttributes("erasing", options, settings, erase, DescribeErased,
                          /*is_whole=*/!options.partial);
}

std::shared_ptr<AttrUpdateOptions> AddAttrUpdateOptions(Command& command, const Settings& settings,
                                                        int (*run)(const AttrUpdateOptions& options,
                                                                   const Settings& settings)) {
  auto options = std::make_shared<AttrUpdateOptions>();
  AddUpdate(command, options->update);
  AddRowInput(command, options->input,
              "The columns that hold the filter's attributes, in its order, by name or by number "
              "from 1 (default: the columns of the attributes' names)");
  command.SetAction([&settings, options, run] { return run(*options, settings); });
  return options;
}

}  // namespace

void AddAttrInsertCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand("insert",
                                         "Insert rows into a filter file.\n"
                                         "A row that is inserted twice must be erased twice. "
                                         "Nothing is written unless all rows could\n"
                                         "be read.");
  AddAttrUpdateOptions(command, settings, RunAttrInsert);
}

void AddAttrEraseCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "erase",
      "Erase rows from a filter file, all of them or none.\n"
      "If a row is certainly absent, or given more often than it is in, nothing is written: the "
      "command\n"
      "says how many such rows there are, names the first, and exits 3. Erase only what was "
      "inserted: a row\n"
      "whose sets of values were all inserted with other rows cannot be recognized, and erasing it "
      "takes\n"
      "their counts.");
  const std::shared_ptr<AttrUpdateOptions> options =
      AddAttrUpdateOptions(command, settings, RunAttrErase);
  command.Flag("--partial", options->partial, std::string(kPartialHelp));
}

}  // namespace trommel::tool
