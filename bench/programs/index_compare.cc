// Queries by attributes, answered from local indexes alone, with server filters, with a directory
// of column maps and with an exact map; what each costs a write; and whether filters of
// combinations would save regions. How to read it: README.md.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/index/comparison.h"
#include "bench/index/index_sides.h"
#include "bench/index/query_lists.h"
#include "bench/index/query_trial.h"
#include "bench/index/table_input.h"
#include "bench/index/write_trial.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: index_compare [--tsv=FILE | --catalogue=1M] [--servers=16] [--regions=64]\n"
    "  --tsv         a tab-separated table with a header; an empty cell has no value\n"
    "  --key         columns of the row's key (default: the row's number)\n"
    "  --index       columns, or all (default): all but the key's\n"
    "  --set-valued  columns whose cells are lists, separated by commas\n"
    "  --catalogue   made-up products instead of a file\n"
    "  --queries     of each of five kinds (default 2k); --seconds for each kind (default 60)\n"
    "  --updates     rows that are changed (default 10k); --deletes (default 5k)\n"
    "  --seed        of all that is drawn; --folder for databases (default: a temporary one)\n";

struct Options {
  TableInput input;
  uint64_t num_servers = 16;
  uint64_t num_regions = 64;
  uint64_t num_queries = 2000;
  uint64_t seconds = 60;
  uint64_t num_updates = 10'000;
  uint64_t num_deletes = 5000;
  uint64_t seed = 1;
  std::string folder = std::filesystem::temp_directory_path();
};

// A folder that is removed at the end.
class DatabaseFolder {
 public:
  explicit DatabaseFolder(std::filesystem::path path) : path_(std::move(path)) {}
  DatabaseFolder(const DatabaseFolder&) = delete;
  DatabaseFolder& operator=(const DatabaseFolder&) = delete;
  ~DatabaseFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Status AskAll(const Options& options, const IndexSides& sides, const IndexedTable& table,
              Comparison& all) {
  QueryDraw draw(table, sides.map(), options.seed);
  for (size_t i = 0; i < kNumQueryKinds; ++i) {
    const auto kind = static_cast<QueryKind>(i);
    const std::vector<Conditions> queries = draw.Draw(kind, options.num_queries);
    Result<KindFigures> figures =
        RunQueries(sides, kind, queries, static_cast<double>(options.seconds));
    if (!figures) return figures.error();
    all.kinds[i] = *std::move(figures);
  }
  std::vector<Conditions> of_two_rows;
  while (of_two_rows.size() < options.num_queries) of_two_rows.push_back(draw.PairOfTwoRows());
  const index::ServerIndex& directory = sides.column_map().directory();
  all.of_one_row = CountRegions(draw.Draw(QueryKind::kPair, options.num_queries), table,
                                sides.table(), sides.map(), directory);
  all.of_two_rows = CountRegions(of_two_rows, table, sides.table(), sides.map(), directory);
  const Result<CombinationBytes> bytes =
      SizeCombinations(table, sides.table(), sides.column_map().config().target_fpr);
  if (!bytes) return bytes.error();
  all.combinations = *bytes;
  return Ok();
}

Status VerifySides(IndexSides& sides, Comparison& all) {
  for (index::Cluster* const table : {&sides.server_filters(), &sides.column_map()}) {
    const Result<index::VerifyReport> report = table->Verify();
    if (!report) return report.error();
    if (!report->ok()) return Error{ErrorCode::kMismatch, "not right: " + report->examples[0]};
    all.num_pairs_verified = report->num_pairs;
  }
  all.num_pairs_of_map = sides.map().num_pairs();
  if (all.num_pairs_verified == all.num_pairs_of_map) return Ok();
  return Error{ErrorCode::kMismatch, "the local indexes and the exact map have different pairs"};
}

Status RunComparison(const Options& options, const std::filesystem::path& folder, Comparison& all) {
  Result<IndexedTable> table = ReadTable(options.input);
  if (!table) return table.error();
  Result<IndexSides> made =
      IndexSides::Create(folder, table->schema, SplitsOf(table->rows, options.num_regions),
                         static_cast<uint32_t>(options.num_servers));
  if (!made) return made.error();
  IndexSides sides = *std::move(made);
  all.table = table->name;
  all.num_rows = table->rows.size();
  all.num_attributes = static_cast<uint64_t>(
      std::ranges::count_if(table->schema.attributes, &index::Attribute::is_indexed));
  all.num_servers = options.num_servers;
  all.num_regions = sides.table().size();

  WriteTrial writes(sides, *table, options.seed);
  Result<LoadFigures> load = writes.Load();
  if (!load) return load.error();
  all.load = *std::move(load);
  all.num_values = sides.map().num_values();
  all.num_pairs = sides.map().num_pairs();
  if (all.num_pairs == 0) return Error{ErrorCode::kInvalidArgument, "no row has an indexed value"};
  all.directory_bytes = {0, sides.server_filters().directory().GetStats().num_bytes,
                         sides.column_map().directory().GetStats().num_bytes,
                         sides.map().num_bytes()};
  if (const Status status = AskAll(options, sides, *table, all); !status) return status;
  Result<WriteFigures> updates = writes.Update(options.num_updates);
  if (!updates) return updates.error();
  all.updates = *std::move(updates);
  Result<WriteFigures> deletes = writes.Delete(options.num_deletes);
  if (!deletes) return deletes.error();
  all.deletes = *std::move(deletes);
  return VerifySides(sides, all);
}

int Main(int argc, char** argv) {
  Options options;
  if (!ReadArguments(
          argc, argv,
          {TextArgument("--tsv", options.input.tsv), TextArgument("--key", options.input.key),
           TextArgument("--index", options.input.indexed),
           TextArgument("--set-valued", options.input.set_valued),
           CountArgument("--catalogue", options.input.num_products),
           CountArgument("--servers", options.num_servers, 256),
           CountArgument("--regions", options.num_regions, index::kMaxRegions),
           CountArgument("--queries", options.num_queries),
           CountArgument("--seconds", options.seconds),
           CountArgument("--updates", options.num_updates),
           CountArgument("--deletes", options.num_deletes), CountArgument("--seed", options.seed),
           TextArgument("--folder", options.folder)},
          kUsage)) {
    return 2;
  }
  Comparison all;
  all.command = "index_compare";
  for (int i = 1; i < argc; ++i) all.command += std::string(" ") + argv[i];
  const DatabaseFolder folder(std::filesystem::path(options.folder) /
                              Printed("index_compare-%08x", std::random_device()()));
  if (const Status status = RunComparison(options, folder.path(), all); !status) {
    std::fprintf(stderr, "index_compare: %s\n", status.error().message.c_str());
    return 1;
  }
  std::fputs(ComparisonText(all).c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
