// trommel-index demo: rows in a table, queried both ways, changed and verified.
#include "tools/index/commands/demo.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/sides/catalogue.h"
#include "tools/index/commands/table_commands.h"
#include "tools/index/rows/attribute_names.h"
#include "tools/index/table/end_change.h"
#include "tools/index/table/new_table.h"
#include "tools/index/table/table_access.h"
#include "tools/index/table/table_loader.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"

namespace trommel::tool {
namespace {

constexpr size_t kChangesPerWrite = 1000;

struct DemoOptions {
  std::string path;  // a file of rows, or a new folder to keep the table in; empty: neither
  bool is_file = false;
  uint64_t num_products = 50'000;
  NewTableOptions made;

  DemoOptions() { made.num_servers = 16; }
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

// Writes the changes batch by batch.
Status ChangeRows(const DemoRows& rows, index::Cluster& table, Report& report) {
  uint64_t num_updated = 0;
  uint64_t num_deleted = 0;
  std::vector<index::Mutation> batch;
  for (bool has_more = true; has_more;) {
    std::optional<index::Mutation> change = rows.Change(num_updated + num_deleted);
    has_more = change.has_value();
    if (change) {
      ++(change->attributes ? num_updated : num_deleted);
      batch.push_back(std::move(*change));
    }
    if (has_more && batch.size() < kChangesPerWrite) continue;
    if (Status written = table.Write(batch); !written.ok()) return written;
    if (NotedInterrupt() != 0) return DemoInterrupted();
    batch.clear();
  }
  report.AddField("num_updated", num_updated);
  report.AddField("num_deleted", num_deleted);
  report.AddLine(fmt::format("\n{} updated, {} deleted.", FormatCount(num_updated, rows.noun()),
                             FormatCount(num_deleted)));
  return Ok();
}

// Queries and verifies. Returns whether all was as it should be. Times are shown of the table as it
// was before the changes alone.
Result<bool> Inspect(index::Cluster& table, std::span<const DemoQuery> queries, bool is_before,
                     bool quiet, Report& report) {
  constexpr size_t kMostTimes = 7;
  const Result<std::vector<DemoFigures>> figures =
      RunDemoQueries(table, queries, is_before ? kMostTimes : 1, quiet);
  if (!figures.ok()) return figures.error();
  const Result<index::VerifyReport> verified = VerifyTable(table, index::Repair::kNone, quiet);
  if (!verified.ok()) return verified.error();
  if (NotedInterrupt() != 0) return DemoInterrupted();
  if (is_before) DescribeDemoQueries(*figures, report);
  const bool do_agree = std::ranges::all_of(*figures, &DemoFigures::do_agree);
  report.AddField(is_before ? "is_right_before" : "is_right_after", do_agree && verified->ok());
  report.AddLine(
      fmt::format("Verified: {} rows, {} index entries and {} pairs of the directory {}.",
                  FormatCount(verified->num_rows), FormatCount(verified->num_entries),
                  FormatCount(verified->num_pairs), verified->ok() ? "agree" : "DISAGREE"));
  for (const std::string& example : verified->examples) report.AddLine(example);
  if (!do_agree) report.AddLine("The directory and a broadcast found DIFFERENT rows.");
  return do_agree && verified->ok();
}

Result<bool> RunSteps(DemoRows& rows, const Settings& settings, index::Cluster& table,
                      Report& report) {
  const auto start = std::chrono::steady_clock::now();
  Status done = rows.WriteTo(table);
  if (!done.ok()) return done.error();
  const double load_seconds = SecondsSince(start);
  if (done = BuildTable(table, settings.quiet); !done.ok()) return done.error();
  const double build_seconds = SecondsSince(start) - load_seconds;
  report.AddField(fmt::format("num_{}s", rows.noun()), rows.num_rows());
  report.AddField("load_seconds", load_seconds);
  report.AddField("build_seconds", build_seconds);
  report.AddLine(fmt::format(
      "{} with {} attributes in {} regions on {} servers: written in {:.1f} s, directory built in "
      "{:.1f} s ({}).\n",
      FormatCount(rows.num_rows(), rows.noun()), table.config().schema.attributes.size(),
      table.config().splits.size() + 1, table.config().num_servers, load_seconds, build_seconds,
      FormatBytes(table.GetStats().directory.num_bytes)));
  const Result<std::vector<DemoQuery>> queries = rows.Queries();
  if (!queries.ok()) return queries.error();
  const Result<bool> before = Inspect(table, *queries, true, settings.quiet, report);
  if (!before.ok()) return before;
  if (done = ChangeRows(rows, table, report); !done.ok()) return done.error();
  if (done = BuildTable(table, settings.quiet); !done.ok()) return done.error();
  const Result<bool> after = Inspect(table, *queries, false, settings.quiet, report);
  if (!after.ok()) return after;
  return *before && *after;
}

int RunTableDemo(const DemoOptions& options, const Settings& settings) {
  NoteInterrupts();
  int code = kDone;
  const std::unique_ptr<DemoRows> rows =
      options.is_file ? MakeFileRows(options.made, code)
                      : MakeCatalogueRows(options.num_products, options.made);
  if (rows == nullptr) return code;
  const bool is_kept = !options.is_file && !options.path.empty();
  DemoFolder temporary;
  if (!is_kept) {
    if (const Status made = temporary.Make(); !made.ok()) return FailOnInput(made.error());
  }
  const std::string& folder = is_kept ? options.path : temporary.path();
  TableOptions table_options;
  table_options.folder = folder;
  Result<index::Cluster> table =
      index::Cluster::Create(folder, rows->config(), OpenOptionsOf(table_options));
  if (!table.ok()) return is_kept ? FailOnInput(table.error()) : FailOnRequest(table.error());
  Report report;
  const Result<bool> is_right = RunSteps(*rows, settings, *table, report);
  if (!is_right.ok()) return CloseTable(*table, folder, FailOnInput(is_right.error()));
  if (code = CloseTable(*table, folder, kDone); code != kDone) return code;
  if (is_kept) {
    report.AddLine(
        fmt::format("\nThe table is in {0}: trommel-index query {0} tag=tag-2500", folder));
  }
  return Finish(report, settings.json, *is_right ? kDone : kNegativeAnswer);
}

// Whether the path is a file of rows: a name that ends in .tsv, or what is there and no folder.
bool IsFileOfRows(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return path == "-" || path.ends_with(".tsv") ||
         (std::filesystem::exists(status) && !std::filesystem::is_directory(status));
}

// Fails for options of a file without one, and of the catalogue with one.
void SetDemoFile(const Command& command, DemoOptions& options) {
  options.is_file = IsFileOfRows(options.path);
  for (const char* const name : {"--key", "--set-valued", "--null", "--crlf", "--batch"}) {
    if (!command.IsGiven(name)) continue;
    if (options.path.empty()) throw UsageError{name, "needs a file"};
    options.is_file = true;
  }
  if (options.is_file && command.IsGiven("--products")) {
    throw UsageError{"--products", "not with a file"};
  }
  if (options.is_file) options.made.input.path = options.path;
}

}  // namespace

void AddTableDemo(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "demo",
      "Load a file or a made-up catalogue, query, change and verify it\n"
      "Queries of a file are drawn from its rows. Its table is removed at the end.\n"
      "Exits 1 if the directory and a broadcast find different rows, or the table is not right.");
  auto options = std::make_shared<DemoOptions>();
  command.Text("FILE|FOLDER", options->path, "",
               "Tab-separated rows (NAME.tsv, or any file that is there; -: standard input), or a "
               "new folder to keep the catalogue's table in");
  AddCount(command, "--products", options->num_products,
           fmt::format("Of the catalogue (default {})", FormatCount(options->num_products)));
  AddTableInput(command, options->made.input);
  AddRegions(command, options->made);
  command.SetAction([&settings, options, command] {
    SetDemoFile(command, *options);
    options->made.input.quiet = settings.quiet;
    return RunTableDemo(*options, settings);
  });
}

namespace {

constexpr uint64_t kCatalogueSeed = 20240229;
constexpr uint64_t kProductsPerWrite = 1000;
constexpr std::array kCatalogueQueries = {
    "ean=4000000001234",
    "ean=0000000000000",
    "supplier=S0100",
    "series=brand-0037/series-07",
    "brand=brand-0037",
    "brand=brand-0037 colour=red",
    "brand=brand-1999",
    "tag=tag-2500",
    "tag=tag-2500 tag=tag-0002",
    "category=category-250",
    "category=category-250 country=country-40",
    "warehouse=W007 year=2012 price=band-11 material=material-07",
    "colour=teal year=2012 price=band-11",
};

class CatalogueRows : public DemoRows {
 public:
  CatalogueRows(uint64_t num_products, const NewTableOptions& options)
      : num_products_(num_products), quiet_(options.input.quiet) {
    config_.schema = bench::Catalogue::MakeSchema();
    config_.num_servers = options.num_servers;
    config_.splits = catalogue_.Splits(num_products, NumRegions(options));
  }

  std::string_view noun() const noexcept override { return "product"; }
  const index::ClusterConfig& config() const noexcept override { return config_; }
  uint64_t num_rows() const noexcept override { return num_products_; }

  Status WriteTo(index::Cluster& table) override {
    Progress progress("loading", quiet_, std::nullopt);
    for (uint64_t begin = 0; begin < num_products_; begin += kProductsPerWrite) {
      std::vector<index::Mutation> batch;
      for (uint64_t i = begin; i < std::min(begin + kProductsPerWrite, num_products_); ++i) {
        index::Row row = catalogue_.Product(i);
        batch.push_back({std::move(row.key), std::move(row.attributes)});
      }
      if (Status written = table.Write(batch); !written.ok()) return written;
      if (NotedInterrupt() != 0) return DemoInterrupted();
      progress.Steps(begin, num_products_, "product");
    }
    return Ok();
  }

  Result<std::vector<DemoQuery>> Queries() const override {
    std::vector<DemoQuery> queries;
    for (const char* const text : kCatalogueQueries) {
      DemoQuery query{text, {}};
      std::istringstream words(query.text);
      for (std::string word; words >> word;) {
        Result<index::Condition> condition = ParseCondition(config_.schema, word);
        if (!condition.ok()) return condition.error();
        query.conditions.push_back(std::move(*condition));
      }
      queries.push_back(std::move(query));
    }
    return queries;
  }

  // Each fiftieth product gets the values of another one, and the one after it is deleted.
  std::optional<index::Mutation> Change(uint64_t i) const override {
    constexpr uint64_t kStep = 50;
    const uint64_t product = i / 2 * kStep;
    if (product + 1 >= num_products_) return std::nullopt;
    if (i % 2 != 0) return index::Mutation{catalogue_.Product(product + 1).key, std::nullopt};
    return index::Mutation{catalogue_.Product(product).key,
                           catalogue_.Product(num_products_ + product).attributes};
  }

 private:
  const bench::Catalogue catalogue_{kCatalogueSeed};
  const uint64_t num_products_;
  const bool quiet_;
  index::ClusterConfig config_;
};

}  // namespace

std::unique_ptr<DemoRows> MakeCatalogueRows(uint64_t num_products, const NewTableOptions& options) {
  return std::make_unique<CatalogueRows>(num_products, options);
}

}  // namespace trommel::tool
