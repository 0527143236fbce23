// What splits, merges, moves, lost servers, indexes that come and go, and growth of the directory
// take on a table of products, and what puts and queries notice of them. How to read it: README.md.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bench/index/table_input.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/index/cluster.h"
#include "trommel/result.h"

namespace trommel::bench {
namespace {

using index::Cluster;
using Clock = std::chrono::steady_clock;

constexpr char kUsage[] =
    "usage: index_changes_bench [--catalogue=1M] [--servers=4] [--regions=16] [--seconds=5]\n"
    "  --seconds  of puts and queries before, and after, each change\n"
    "  --sync     puts return when they are on the disk\n"
    "  --folder   for the table (default: a temporary one)\n";

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What puts and queries took in a phase.
struct Phase {
  double seconds = 0;
  Figures put_us;
  Figures query_us;
  uint64_t num_lookups = 0;
  uint64_t num_unanswered = 0;  // queries
  uint64_t num_failed_puts = 0;
};

double Quantile(Figures figures, double share) {
  if (figures.empty()) return 0;
  std::ranges::sort(figures);
  const auto place = static_cast<size_t>(share * static_cast<double>(figures.size() - 1));
  return figures[place];
}

// One thread that overwrites rows and one that asks for values of at most 1,000 rows, throughout.
class Load {
 public:
  Load(Cluster& cluster, const IndexedTable& table)
      : cluster_(cluster), table_(table), putter_([this] { Put(); }), asker_([this] { Ask(); }) {}
  ~Load() {
    is_over_ = true;
    putter_.join();
    asker_.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Measures while `doing` runs.
  Phase During(const std::function<void()>& doing) {
    {
      const std::lock_guard lock(mutex_);
      phase_ = {};
    }
    const Clock::time_point begin = Clock::now();
    doing();
    const std::lock_guard lock(mutex_);
    Phase phase = std::move(phase_);
    phase.seconds = SecondsSince(begin);
    phase_ = {};
    return phase;
  }

 private:
  void Put() {
    std::mt19937_64 random(1);
    while (!is_over_) {
      index::Row row = table_.rows[random() % table_.rows.size()];
      // One attribute gets another row's value, so pairs come and go.
      const size_t attribute = random() % row.attributes.size();
      row.attributes[attribute] = table_.rows[random() % table_.rows.size()].attributes[attribute];
      const Clock::time_point begin = Clock::now();
      const bool is_put = cluster_.Put(row).ok();
      const double us = SecondsSince(begin) * 1e6;
      const std::lock_guard lock(mutex_);
      if (is_put) {
        phase_.put_us.push_back(us);
      } else {
        ++phase_.num_failed_puts;
      }
    }
  }
  void Ask() {
    std::mt19937_64 random(2);
    std::vector<std::map<std::string_view, uint32_t>> counts(table_.schema.attributes.size());
    for (const index::Row& row : table_.rows) {
      for (size_t a = 0; a < counts.size(); ++a) {
        for (const std::string& value : row.attributes[a]) ++counts[a][value];
      }
    }
    while (!is_over_) {
      const index::Row& row = table_.rows[random() % table_.rows.size()];
      const auto attribute = static_cast<uint32_t>(random() % row.attributes.size());
      const index::Values& values = row.attributes[attribute];
      if (values.empty() || counts[attribute][values[0]] > 1000) continue;
      const Clock::time_point begin = Clock::now();
      const auto found = cluster_.Find(
          {.conditions = {{attribute, values[0]}}, .timeout = std::chrono::milliseconds(1000)});
      const double us = SecondsSince(begin) * 1e6;
      const std::lock_guard lock(mutex_);
      phase_.query_us.push_back(us);
      if (!found) continue;
      phase_.num_lookups += found->plan.num_lookups;
      phase_.num_unanswered += found->unanswered.empty() ? 0 : 1;
    }
  }

  Cluster& cluster_;
  const IndexedTable& table_;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  Phase phase_;
  std::thread putter_;
  std::thread asker_;
};

void PrintHeader() {
  std::printf("%-26s %-8s %7s %8s %8s %8s %8s %9s %9s %7s %6s\n", "change", "phase", "seconds",
              "puts/s", "put p50", "put p99", "longest", "query p50", "query p99", "lookups",
              "no ans");
}

void PrintPhase(const char* change, const char* name, const Phase& phase) {
  const double num_queries = static_cast<double>(std::max<size_t>(1, phase.query_us.size()));
  std::printf("%-26s %-8s %7.2f %8.0f %8.0f %8.0f %8.0f %9.0f %9.0f %7.2f %6llu", change, name,
              phase.seconds, static_cast<double>(phase.put_us.size()) / phase.seconds,
              Median(phase.put_us), Quantile(phase.put_us, 0.99), Quantile(phase.put_us, 1),
              Median(phase.query_us), Quantile(phase.query_us, 0.99),
              static_cast<double>(phase.num_lookups) / num_queries,
              static_cast<unsigned long long>(phase.num_unanswered));
  if (phase.num_failed_puts != 0) {
    std::printf("  %llu puts failed", static_cast<unsigned long long>(phase.num_failed_puts));
  }
  std::printf("\n");
  std::fflush(stdout);
}

void Require(const Status& status, const char* what) {
  if (status) return;
  std::fprintf(stderr, "%s: %s\n", what, status.error().message.c_str());
  std::exit(1);
}
template <class T>
T Require(Result<T> result, const char* what) {
  if (!result) Require(Status(result.error()), what);
  return *std::move(result);
}

class Changes {
 public:
  Changes(Cluster& cluster, Load& load, double seconds)
      : cluster_(cluster), load_(load), seconds_(seconds) {}

  // `change` is measured, and then what follows it until all columns are built.
  void Run(const char* name, const std::function<void()>& change) {
    const auto rest = [this] {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    };
    PrintPhase(name, "before", load_.During(rest));
    PrintPhase("", "during", load_.During(change));
    PrintPhase("", "building", load_.During([this] {
      Require(cluster_.FinishChanges(), "finish");
      Require(cluster_.BuildColumns(), "build columns");
    }));
    PrintPhase("", "after", load_.During(rest));
    const index::ClusterStats stats = cluster_.GetStats();
    std::printf("%-26s directory %.1f MB, longest switch %.1f ms, longest wait at a gate %.1f ms\n",
                "", static_cast<double>(stats.directory.num_bytes) * 1e-6,
                stats.gates.longest_switch * 1e3, stats.gates.longest_wait * 1e3);
  }

 private:
  Cluster& cluster_;
  Load& load_;
  const double seconds_;
};

void RunAll(Cluster& cluster, const IndexedTable& table, double seconds) {
  Load load(cluster, table);
  Changes changes(cluster, load, seconds);
  PrintHeader();
  const index::RegionLoad first = cluster.GetRegionLoads().front();
  index::SplitRegions parts;
  changes.Run("split in the middle",
              [&] { parts = Require(cluster.Split(first.region.id), "split"); });
  uint32_t merged = 0;
  changes.Run("merge",
              [&] { merged = Require(cluster.Merge(parts.low_id, parts.high_id), "merge"); });
  const uint32_t other = first.region.server == 0 ? 1 : 0;
  changes.Run("move", [&] { Require(cluster.Move(merged, other), "move"); });
  changes.Run("server stopped 1 s", [&] {
    Require(cluster.StopServer(other), "stop");
    std::this_thread::sleep_for(std::chrono::seconds(1));
    Require(cluster.StartServer(other), "start");
  });
  changes.Run("drop an index", [&] {
    Require(cluster.DropIndex(0), "drop");
    Require(cluster.FinishChanges(), "finish");
  });
  changes.Run("add it (backfill)", [&] {
    Require(cluster.AddIndex(0), "add");
    Require(cluster.FinishChanges(), "finish");
  });
  const uint64_t pairs = cluster.directory().GetStats().attributes[0].pairs_per_region;
  changes.Run("directory twice as large",
              [&] { Require(cluster.directory().Resize(0, 2 * pairs + 1), "resize"); });
}

int Main(int argc, char** argv) {
  TableInput input;
  uint64_t num_servers = 4;
  uint64_t num_regions = 16;
  uint64_t seconds = 5;
  bool is_synced = false;
  std::string folder = std::filesystem::temp_directory_path();
  if (!ReadArguments(argc, argv,
                     {CountArgument("--catalogue", input.num_products),
                      CountArgument("--servers", num_servers, 256),
                      CountArgument("--regions", num_regions, 1000),
                      CountArgument("--seconds", seconds, 3600),
                      {"--sync",
                       [&](std::string_view value) {
                         is_synced = true;
                         return value.empty();
                       }},
                      {"--folder",
                       [&](std::string_view value) {
                         folder = value;
                         return !value.empty();
                       }}},
                     kUsage)) {
    return 2;
  }
  if (num_servers < 2) {
    std::fprintf(stderr, "index_changes_bench: --servers must be at least 2\n");
    return 2;
  }
  const IndexedTable table = Require(ReadTable(input), "table");
  const std::filesystem::path path =
      std::filesystem::path(folder) /
      ("index_changes_bench." + std::to_string(std::random_device()()));
  {
    Cluster cluster =
        Require(Cluster::Create(path,
                                {.schema = table.schema,
                                 .num_servers = static_cast<uint32_t>(num_servers),
                                 .splits = SplitsOf(table.rows, num_regions)},
                                {.sync_writes = false, .finishes_in_background = false}),
                "create");
    const Clock::time_point begin = Clock::now();
    std::vector<index::Mutation> batch;
    for (const index::Row& row : table.rows) {
      batch.push_back({row.key, row.attributes});
      if (batch.size() < 1000 && &row != &table.rows.back()) continue;
      Require(cluster.Write(batch), "write");
      batch.clear();
    }
    Require(cluster.BuildColumns(), "build columns");
    std::printf("%s: %zu rows, %zu attributes, %llu regions, %llu servers; loaded in %.0f s%s\n",
                table.name.c_str(), table.rows.size(), table.schema.attributes.size(),
                static_cast<unsigned long long>(num_regions),
                static_cast<unsigned long long>(num_servers), SecondsSince(begin),
                is_synced ? "; puts are synced" : "");
    Require(cluster.Close(), "close");
  }
  int exit_code = 0;
  {
    Cluster cluster = Require(
        Cluster::Open(path, {.sync_writes = is_synced, .finishes_in_background = false}), "open");
    Require(cluster.BuildColumns(), "build columns");
    RunAll(cluster, table, static_cast<double>(seconds));
    const index::VerifyReport report = Require(cluster.Verify(), "verify");
    std::printf("verify: %s\n", report.ok() ? "all agree" : report.examples.front().c_str());
    exit_code = report.ok() ? 0 : 1;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
  return exit_code;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
