// trommel-index add-index and drop-index. A command that was interrupted is continued by the same
// command.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tools/index/commands/table_commands.h"
#include "tools/index/rows/attribute_names.h"
#include "tools/index/table/end_change.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/input/column_names.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

struct IndexOptions {
  TableOptions table;
  std::string attribute;
};

index::AttributeState StateOf(const index::Cluster& table, uint32_t attribute) {
  return table.directory().PinVersion().state(attribute);
}

int FailOnState(const std::string& name, const char* what) {
  return Fail(kUsageError, fmt::format("attribute {} {}", Quoted(name), what));
}

int AddIndex(const std::string& name, uint32_t attribute, const Settings& settings,
             index::Cluster& table) {
  ChangeCommand change(table, settings);
  const index::AttributeState before = StateOf(table, attribute);
  if (before == index::AttributeState::kIndexed) return FailOnState(name, "has an index already");
  if (before == index::AttributeState::kDropping) {
    return FailOnState(name, "has an index that is being dropped: drop-index ends that");
  }
  if (before == index::AttributeState::kNone) {
    if (const Status added = table.AddIndex(attribute); !added.ok()) {
      return FailOnRequest(added.error());
    }
  }
  const std::string begun = fmt::format("the index of {} was begun", Quoted(name));
  if (const Status finished = FinishTable(table, settings.quiet); !finished.ok()) {
    return change.EndEarly(begun, finished.error());
  }
  if (StateOf(table, attribute) != index::AttributeState::kIndexed) {
    return change.EndEarly(begun);
  }
  const index::ClusterStats stats = table.GetStats();
  const index::AttributeStats& of = stats.directory.attributes[attribute];
  uint64_t num_rows = 0;
  for (const index::ServerStats& server : stats.servers) num_rows += server.num_rows;
  Report& report = change.report();
  const std::string done = fmt::format("attribute {} has an index", Quoted(name));
  report.AddLine(done);
  report.AddField("attribute", name);
  report.Add("num_rows", num_rows, "rows", "about " + FormatCount(num_rows));
  report.Add("num_pairs", of.num_pairs, "pairs", FormatCount(of.num_pairs));
  report.Add("num_bytes", of.num_bytes, "in the directory", FormatBytes(of.num_bytes));
  return change.End(done);
}

int DropIndex(const std::string& name, uint32_t attribute, const Settings& settings,
              index::Cluster& table) {
  ChangeCommand change(table, settings);
  const index::AttributeState before = StateOf(table, attribute);
  if (before == index::AttributeState::kNone) return FailOnState(name, "has no index");
  if (before != index::AttributeState::kDropping) {
    if (const Status begun = table.DropIndex(attribute); !begun.ok()) {
      return FailOnRequest(begun.error());
    }
  }
  const std::string done = fmt::format("the index of {} was dropped", Quoted(name));
  change.report().AddLine(done);
  change.report().AddField("attribute", name);
  return change.End(done);
}

// The action of either command.
int WithAttribute(const IndexOptions& options, const Settings& settings,
                  int (*change)(const std::string& name, uint32_t attribute,
                                const Settings& settings, index::Cluster& table)) {
  return WithTable(options.table, [&](index::Cluster& table) {
    const Result<size_t> found =
        FindNamed("attribute", options.attribute, NamesOf(table.config().schema));
    if (!found.ok()) return FailOnRequest(found.error());
    return change(options.attribute, static_cast<uint32_t>(*found), settings, table);
  });
}

}  // namespace

void AddTableAddIndex(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "add-index",
      "Give an attribute an index\n"
      "Each row gets its entries, then the columns of the directory are built. Until then queries "
      "of\n"
      "the attribute ask all regions. Ctrl-C keeps what is done; the same command goes on there.");
  auto options = std::make_shared<IndexOptions>();
  AddTable(command, options->table);
  command.Text("ATTRIBUTE", options->attribute, "", "The attribute's name").Required();
  constexpr uint64_t kMostRows = 1'000'000'000;
  AddNumber(command, "--rows-per-second", 1, kMostRows, "N",
            "Read at most this many rows per second (default: no limit)",
            [options](uint64_t number) { options->table.backfill_rows_per_second = number; });
  command.SetAction([&settings, options] { return WithAttribute(*options, settings, AddIndex); });
}

void AddTableDropIndex(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand("drop-index",
                                         "Remove the index of an attribute\n"
                                         "Rows keep their values; queries of the attribute ask all "
                                         "regions from now on. Ctrl-C leaves\n"
                                         "entries; the same command goes on there.");
  auto options = std::make_shared<IndexOptions>();
  AddTable(command, options->table);
  command.Text("ATTRIBUTE", options->attribute, "", "The attribute's name").Required();
  command.SetAction([&settings, options] { return WithAttribute(*options, settings, DropIndex); });
}

}  // namespace trommel::tool
