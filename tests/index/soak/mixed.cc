// The mode "mixed".
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "index/soak/checks.h"
#include "index/soak/modes.h"
#include "index/soak/soak.h"

namespace trommel::index::soak {
namespace {

constexpr uint64_t kNumRounds = 12;
constexpr uint64_t kMostSecondsPerRound = 20;

using Ull = unsigned long long;

// Counts of clusters that were closed.
struct Sums {
  uint64_t num_splits = 0, num_merges = 0, num_moves = 0, num_sizes = 0, num_loaded = 0;

  void Add(const ClusterStats& stats) {
    num_splits += stats.num_splits;
    num_merges += stats.num_merges;
    num_moves += stats.num_moves;
    num_sizes += stats.directory.num_switches;
    num_loaded += stats.num_columns_loaded;
  }
};

class Mixed {
 public:
  Mixed(const std::filesystem::path& folder, const Extent& extent, uint64_t seed)
      : folder_(folder), extent_(extent), seed_(seed), elapsed_(extent), board_([this] {
          return Line();
        }) {}

  int Run() {
    {
      const Result<Cluster> cluster = Cluster::Create(folder_, SoakConfig(StructureOf(seed_)));
      if (!cluster) return Fail(FailureText("Create", cluster.error()));
    }
    const uint64_t num_rounds = std::max(kNumRounds, extent_.seconds / kMostSecondsPerRound);
    for (round_ = 0; round_ < num_rounds; ++round_) {
      const double part = static_cast<double>(round_ + 1) / static_cast<double>(num_rounds);
      RunRound(part, round_ + 1 == num_rounds);
      if (board_.has_failed()) return 1;
    }
    Print();
    return 0;
  }

 private:
  int Fail(const std::string& text) {
    board_.Fail(text);
    return 1;
  }

  std::string Line() {
    char text[200];
    std::snprintf(text, sizeof text, "round %llu, %llu row changes, %llu queries, %.0f s",
                  static_cast<Ull>(round_ + 1), static_cast<Ull>(board_.num_row_changes),
                  static_cast<Ull>(board_.num_queries), elapsed_.seconds());
    return text;
  }

  void RunRound(double part, bool is_last) {
    const RoundPlan plan = PlanOf(seed_, round_);
    board_.SetContext("mixed, seed " + std::to_string(seed_) + ", round " +
                      std::to_string(round_ + 1) + ", " +
                      std::string(StructureName(StructureOf(seed_))) + ": " + plan.Text());
    Result<Cluster> cluster = Cluster::Open(folder_, plan.options);
    if (!cluster) return board_.Fail(FailureText("Open", cluster.error()));
    {
      Soak soak{*cluster, history_, board_, plan};
      RunThreads(soak, part);
    }
    if (board_.has_failed()) return;
    StartAll(*cluster);
    Settle(*cluster, board_);
    ReadRows(*cluster, history_, board_);
    AskAll(*cluster, history_, board_);
    if (is_last) Drain(*cluster, folder_.string() + "-new", board_);
    sums_.Add(cluster->GetStats());
    ++num_restarts_;
    if (!plan.is_closed || board_.has_failed()) return;
    if (const Status status = cluster->Close(); !status) {
      board_.Fail(FailureText("Close", status.error()));
    }
  }

  void RunThreads(Soak& soak, double part) {
    std::vector<std::thread> writers, others;
    uint32_t number = 0;
    for (uint32_t writer = 0; writer < kNumWriters; ++writer, ++number) {
      writers.emplace_back([&, writer] {
        while (soak.MayGoOn() && !elapsed_.IsDone(board_.num_row_changes, part)) {
          Write(soak, writer);
        }
      });
    }
    const auto start = [&](void (*run)(Soak&, uint32_t)) {
      others.emplace_back([&soak, run, thread = number++] { run(soak, thread); });
    };
    for (uint32_t i = 0; i < soak.plan.num_region_admins; ++i) start(ChangeRegions);
    if (soak.plan.has_index_changes) start(ChangeIndexes);
    if (soak.plan.has_stops) start(StopServers);
    start(Maintain);
    start(Ask);
    start(Ask);
    for (std::thread& thread : writers) thread.join();
    soak.is_over = true;
    for (std::thread& thread : others) thread.join();
  }

  void Write(Soak& soak, uint32_t writer) {
    const std::vector<Change> changes =
        ChangesOf(seed_, writer, numbers_[writer]++, soak.plan.writes);
    const std::vector<Mutation> mutations = MutationsOf(writer, changes);
    const Outages::Mark mark = soak.outages.Now();
    history_.Begin(writer, changes);
    Status status = Ok();
    {
      const Call call(board_, writer, "Write");
      status = soak.cluster.Write(mutations);
    }
    history_.End(writer, changes, status.ok());
    ++board_.num_writes;
    board_.num_row_changes += changes.size();
    if (status) return;
    ++board_.num_failed_writes;
    if (!soak.IsOutage(status.error(), mark)) {
      return board_.Fail(FailureText("Write", status.error()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  // All of them run already; that must do no harm.
  void StartAll(Cluster& cluster) {
    for (uint32_t server = 0; server < kNumServers; ++server) {
      if (const Status status = cluster.StartServer(server); !status) {
        board_.Fail(FailureText("StartServer", status.error()));
      }
    }
  }

  void Print() const {
    const auto count = [](uint64_t n) { return static_cast<Ull>(n); };
    std::printf(
        "seed %llu: %llu row changes in %llu writes by %u threads, %llu of them failed while a "
        "server was stopped; %llu queries found %llu rows, %llu queries had %llu ranges not "
        "answered; %llu rows read; %llu splits, %llu merges, %llu moves, %llu cancelled, %llu "
        "balances; %llu stops; %llu indexes added, %llu dropped; %llu verifications; %llu changes "
        "of structure sizes; %llu restarts, %llu columns from files; %llu changes refused, %llu as "
        "busy; no row "
        "missed, nothing left when all rows were deleted: %.0f s\n",
        count(seed_), count(board_.num_row_changes), count(board_.num_writes), kNumWriters,
        count(board_.num_failed_writes), count(board_.num_queries), count(board_.num_rows_found),
        count(board_.num_incomplete), count(board_.num_unanswered), count(board_.num_gets),
        count(sums_.num_splits), count(sums_.num_merges), count(sums_.num_moves),
        count(board_.num_done(ChangeKind::kCancelledMove)),
        count(board_.num_done(ChangeKind::kBalance)), count(board_.num_done(ChangeKind::kStop)),
        count(board_.num_done(ChangeKind::kAddIndex)),
        count(board_.num_done(ChangeKind::kDropIndex)), count(board_.num_verifies),
        count(sums_.num_sizes), count(num_restarts_), count(sums_.num_loaded),
        count(board_.num_refused), count(board_.num_busy), elapsed_.seconds());
  }

  const std::filesystem::path folder_;
  const Extent extent_;
  const uint64_t seed_;
  const Elapsed elapsed_;
  History history_;
  std::vector<uint64_t> numbers_ = std::vector<uint64_t>(kNumWriters);  // of the next writes
  Sums sums_;
  std::atomic<uint64_t> round_{0};
  uint64_t num_restarts_ = 0;
  Board board_;
};

}  // namespace

int RunMixed(const std::filesystem::path& folder, const Extent& extent, uint64_t seed) {
  return Mixed(folder, extent, seed).Run();
}

}  // namespace trommel::index::soak
