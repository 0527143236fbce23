// trommel-index demo: a catalogue of products in a table, queried both ways, changed and verified.
#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/sides/catalogue.h"
#include "tools/index/commands/demo_queries.h"
#include "tools/index/commands/table_commands.h"
#include "tools/index/table/table_access.h"
#include "tools/trommel/options/value_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

constexpr uint64_t kCatalogueSeed = 20240229;
constexpr uint32_t kNumDemoServers = 16;
constexpr size_t kNumDemoRegions = 64;
constexpr uint64_t kBatchRows = 1000;

struct DemoOptions {
  std::string folder;  // empty: one that is removed at the end
  uint64_t num_products = 50'000;
};

Error DemoInterrupted() { return {ErrorCode::kIo, "interrupted"}; }

// A folder of the demo's own, removed with all that is in it.
class DemoFolder {
 public:
  DemoFolder() = default;
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  ~DemoFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  Status Make() {
    std::error_code error;
    std::string name = std::filesystem::temp_directory_path(error) / "trommel-index-demo-XXXXXX";
    if (error || mkdtemp(name.data()) == nullptr) {
      return Error{ErrorCode::kIo, "cannot make a temporary folder " + name};
    }
    path_ = name;
    return Ok();
  }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Status LoadProducts(const bench::Catalogue& catalogue, uint64_t num_products, bool quiet,
                    index::Cluster& table) {
  Progress progress("loading", quiet, std::nullopt);
  for (uint64_t begin = 0; begin < num_products; begin += kBatchRows) {
    std::vector<index::Mutation> batch;
    for (uint64_t i = begin; i < std::min(begin + kBatchRows, num_products); ++i) {
      index::Row row = catalogue.Product(i);
      batch.push_back({std::move(row.key), std::move(row.attributes)});
    }
    if (Status written = table.Write(batch); !written.ok()) return written;
    if (NotedInterrupt() != 0) return DemoInterrupted();
    if (progress.IsDue()) {
      progress.Draw(
          fmt::format("{} of {} products", FormatCount(begin), FormatCount(num_products)));
    }
  }
  return Ok();
}

// Each fiftieth product gets the values of another one, and the one after it is deleted.
Status ChangeProducts(const bench::Catalogue& catalogue, uint64_t num_products,
                      index::Cluster& table, Report& report) {
  constexpr uint64_t kStep = 50;
  uint64_t num_updated = 0;
  uint64_t num_deleted = 0;
  std::vector<index::Mutation> batch;
  for (uint64_t i = 0; i + 1 < num_products; i += kStep) {
    std::string key = catalogue.Product(i).key;
    batch.push_back({std::move(key), catalogue.Product(num_products + i).attributes});
    batch.push_back({catalogue.Product(i + 1).key, std::nullopt});
    ++num_updated;
    ++num_deleted;
    if (batch.size() < kBatchRows && i + kStep + 1 < num_products) continue;
    if (Status written = table.Write(batch); !written.ok()) return written;
    if (NotedInterrupt() != 0) return DemoInterrupted();
    batch.clear();
  }
  report.AddField("num_updated", num_updated);
  report.AddField("num_deleted", num_deleted);
  report.AddLine(fmt::format("\n{} updated, {} deleted.", FormatCount(num_updated, "product"),
                             FormatCount(num_deleted)));
  return Ok();
}

// Queries and verifies. Returns whether all was as it should be.
Result<bool> Inspect(index::Cluster& table, const char* fields, Report& report) {
  const Result<std::vector<DemoFigures>> figures = RunDemoQueries(table);
  if (!figures.ok()) return figures.error();
  const Result<index::VerifyReport> verified = table.Verify();
  if (!verified.ok()) return verified.error();
  if (std::string_view(fields) == "before") DescribeDemoQueries(*figures, report);
  const bool do_agree = std::ranges::all_of(*figures, &DemoFigures::do_agree);
  report.AddField(fmt::format("is_right_{}", fields), do_agree && verified->ok());
  report.AddLine(
      fmt::format("Verified: {} rows, {} index entries and {} pairs of the directory {}.",
                  FormatCount(verified->num_rows), FormatCount(verified->num_entries),
                  FormatCount(verified->num_pairs), verified->ok() ? "agree" : "DISAGREE"));
  for (const std::string& example : verified->examples) report.AddLine(example);
  if (!do_agree) report.AddLine("The directory and a broadcast found DIFFERENT rows.");
  return do_agree && verified->ok();
}

Result<bool> RunSteps(const DemoOptions& options, const Settings& settings, index::Cluster& table,
                      Report& report) {
  const bench::Catalogue catalogue(kCatalogueSeed);
  const auto start = std::chrono::steady_clock::now();
  Status done = LoadProducts(catalogue, options.num_products, settings.quiet, table);
  if (!done.ok()) return done.error();
  const double load_seconds = SecondsSince(start);
  if (done = BuildTable(table, settings.quiet); !done.ok()) return done.error();
  const double build_seconds = SecondsSince(start) - load_seconds;
  report.AddField("num_products", options.num_products);
  report.AddField("load_seconds", load_seconds);
  report.AddField("build_seconds", build_seconds);
  report.AddLine(fmt::format(
      "{} with {} attributes in {} regions on {} servers: written in {:.1f} s, directory built in "
      "{:.1f} s ({}).\n",
      FormatCount(options.num_products, "product"), table.config().schema.attributes.size(),
      table.config().splits.size() + 1, table.config().num_servers, load_seconds, build_seconds,
      FormatBytes(table.GetStats().directory.num_bytes)));
  const Result<bool> before = Inspect(table, "before", report);
  if (!before.ok()) return before;
  done = ChangeProducts(catalogue, options.num_products, table, report);
  if (!done.ok()) return done.error();
  if (done = BuildTable(table, settings.quiet); !done.ok()) return done.error();
  const Result<bool> after = Inspect(table, "after", report);
  if (!after.ok()) return after;
  return *before && *after;
}

int RunTableDemo(const DemoOptions& options, const Settings& settings) {
  NoteInterrupts();
  DemoFolder temporary;
  if (options.folder.empty()) {
    if (const Status made = temporary.Make(); !made.ok()) return FailOnInput(made.error());
  }
  const std::string& folder = options.folder.empty() ? temporary.path() : options.folder;
  index::ClusterConfig config;
  config.schema = bench::Catalogue::MakeSchema();
  config.num_servers = kNumDemoServers;
  config.splits = bench::Catalogue(kCatalogueSeed).Splits(options.num_products, kNumDemoRegions);
  TableOptions table_options;
  table_options.folder = folder;
  Result<index::Cluster> table =
      index::Cluster::Create(folder, config, OpenOptionsOf(table_options));
  if (!table.ok()) return FailOnInput(table.error());
  Report report;
  const Result<bool> is_right = RunSteps(options, settings, *table, report);
  if (!is_right.ok()) return CloseTable(*table, folder, FailOnInput(is_right.error()));
  if (const int code = CloseTable(*table, folder, kDone); code != kDone) return code;
  if (!options.folder.empty()) {
    report.AddLine(
        fmt::format("\nThe table is in {0}: trommel-index query {0} tag=tag-2500", options.folder));
  }
  return Finish(report, settings.json, *is_right ? kDone : kNegativeAnswer);
}

}  // namespace

void AddTableDemo(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "demo",
      "Load a made-up catalogue, query, change and verify it\n"
      "Exits 1 if the directory and a broadcast find different rows, or the table is not right.");
  auto options = std::make_shared<DemoOptions>();
  command.Text("FOLDER", options->folder, "",
               "Keep the table in this new folder (default: one that is removed at the end)");
  AddCount(command, "--products", options->num_products,
           fmt::format("How many products (default {})", FormatCount(options->num_products)));
  command.SetAction([&settings, options] { return RunTableDemo(*options, settings); });
}

}  // namespace trommel::tool
