// The mode "kills": a process that writes and changes regions, servers and indexes is killed at
// some moment, and what it leaves is opened and compared with what it had said.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "index/soak/checks.h"
#include "index/soak/modes.h"
#include "index/soak/soak.h"

namespace trommel::index::soak {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;
using Ull = unsigned long long;

constexpr size_t kBackground = kNumChangeKinds;  // only writes and the background thread

// What a process had said when it was killed.
struct Said {
  std::array<std::vector<bool>, kNumWriters> writes;  // of each that ended: whether it was done
  std::array<bool, kNumWriters> is_writing{};         // the next one had begun
  // By the number of a thread, what it was changing.
  std::array<std::optional<ChangeKind>, kMaxThreads> changing{};
  std::array<uint64_t, kNumChangeKinds> num_begun{};
};

// When a process is killed: at some moment, or a short time after such a change has begun.
struct Moment {
  std::optional<ChangeKind> kind;
  microseconds least;    // of all processes
  microseconds longest;  // if no such change begins
  microseconds after;
};

Moment MomentOf(uint64_t seed, uint64_t k) {
  Random random(seed + 99);
  Moment moment{std::nullopt, microseconds(20'000 + random.Below(400'000)), microseconds(1'500'000),
                microseconds(random.Below(1ULL << random.Below(15)))};
  // Every fourth at some moment, the others by kind.
  if (k % 4 == 3) return moment;
  moment.kind = static_cast<ChangeKind>((k - k / 4) % kNumChangeKinds);
  const bool is_of_server = moment.kind == ChangeKind::kStop || moment.kind == ChangeKind::kStart;
  if (is_of_server && !KillPlanOf(seed).has_stops) moment.kind = ChangeKind::kSplit;
  return moment;
}

void Hear(char what, uint32_t thread, uint64_t number, Said& said) {
  if (what == 'b' || what == 'd' || what == 'f') {
    if (thread >= kNumWriters) return;
    said.is_writing[thread] = what == 'b';
    if (what != 'b') said.writes[thread].push_back(what == 'd');
  } else if (thread < kMaxThreads && number < kNumChangeKinds) {
    said.changing[thread].reset();
    if (what != 'B') return;
    said.changing[thread] = static_cast<ChangeKind>(number);
    ++said.num_begun[number];
  }
}

// Starts a process, kills it, and returns what it said; nothing if it ended before.
std::optional<Said> RunAndKill(const char* program, const std::filesystem::path& folder,
                               uint64_t seed, const Moment& moment) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) std::abort();
  const pid_t child = fork();
  if (child < 0) std::abort();  // kill(-1, ...) would end every process
  if (child == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    execl(program, program, "work", folder.c_str(), "--seed", std::to_string(seed).c_str(),
          nullptr);
    _exit(5);
  }
  close(pipe_ends[1]);
  std::atomic<bool> has_begun = false;  // a change of the kind, after the least time
  std::atomic<bool> is_waiting = false;
  std::thread killer([&] {
    const auto begin = steady_clock::now();
    std::this_thread::sleep_for(moment.least);
    is_waiting = true;
    while (moment.kind && !has_begun && steady_clock::now() - begin < moment.longest) {
      std::this_thread::sleep_for(microseconds(50));
    }
    std::this_thread::sleep_for(moment.after);
    kill(child, SIGKILL);
  });
  Said said;
  FILE* const lines = fdopen(pipe_ends[0], "r");
  char what = 0;
  uint32_t thread = 0;
  Ull number = 0;
  while (std::fscanf(lines, " %c %u %llu", &what, &thread, &number) == 3) {
    Hear(what, thread, number, said);
    if (is_waiting && what == 'B' && moment.kind && *moment.kind == ChangeKind(number)) {
      has_begun = true;
    }
  }
  std::fclose(lines);
  killer.join();
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) return std::nullopt;  // an error of its own
  if (WTERMSIG(status) != SIGKILL) return std::nullopt;
  return said;
}

class Kills {
 public:
  Kills(const char* program, const std::filesystem::path& folder, const Extent& extent,
        uint64_t seed)
      : program_(program),
        folder_(folder),
        seed_(seed),
        elapsed_(extent),
        num_all_(extent.seconds > 0 ? 0 : extent.num_operations),
        board_([this] { return Line(); }) {}

  int Run() {
    {
      Result<Cluster> cluster = Cluster::Create(folder_, SoakConfig(StructureOf(seed_)));
      if (!cluster) return Fail(FailureText("Create", cluster.error()));
      if (const Status status = cluster->Close(); !status) {
        return Fail(FailureText("Close", status.error()));
      }
    }
    while (!elapsed_.IsDone(num_kills_)) {
      KillOnce(num_kills_);
      if (board_.has_failed()) return 1;
      ++num_kills_;
    }
    Result<Cluster> cluster = Cluster::Open(folder_);
    if (!cluster) return Fail(FailureText("Open", cluster.error()));
    Drain(*cluster, folder_.string() + "-new", board_);
    if (board_.has_failed()) return 1;
    Print();
    return 0;
  }

 private:
  int Fail(const std::string& text) {
    board_.Fail(text);
    return 1;
  }

  std::string Line() {
    return "kill " + std::to_string(num_kills_ + 1) +
           (num_all_ > 0 ? " of " + std::to_string(num_all_) : "");
  }

  void KillOnce(uint64_t k) {
    const uint64_t run = seed_ * 1'000'003 + k;
    const Moment moment = MomentOf(run, k);
    board_.SetContext("kills, seed " + std::to_string(seed_) + ", kill " + std::to_string(k + 1) +
                      (moment.kind ? std::string(", of ") + ChangeKindName(*moment.kind) : "") +
                      ", " + std::string(StructureName(StructureOf(seed_))) + ": " +
                      KillPlanOf(run).Text());
    const std::optional<Said> said = RunAndKill(program_, folder_, run, moment);
    if (!said) return board_.Fail("the process that writes failed by itself");
    CountSaid(*said);
    Replay(*said, run);

    Random random(run + 5);
    ClusterOptions options;
    options.memory_bytes = uint64_t{32} << 20;
    options.num_builders = random.Below(2);
    options.finishes_in_background = false;
    Result<Cluster> cluster = Cluster::Open(folder_, options);
    if (!cluster) return board_.Fail(FailureText("Open", cluster.error()));
    CountFound(cluster->GetStats());
    ReadRows(*cluster, history_, board_);
    AskSome(*cluster, history_, board_, run);  // beside columns and indexes that are not complete
    if (random.OneIn(3)) {
      uint32_t num_left = random.Below(5);
      const Result<bool> finished =
          cluster->FinishChanges(nullptr, [&] { return num_left > 0 && num_left-- > 0; });
      if (!finished) return board_.Fail(FailureText("FinishChanges", finished.error()));
    }
    Settle(*cluster, board_);
    AskAll(*cluster, history_, board_);
    // Every other time the next process begins after a clean close, so that the file is used.
    if (k % 2 == 1 || board_.has_failed()) return;
    if (const Status status = cluster->Close(); !status) {
      board_.Fail(FailureText("Close", status.error()));
    }
  }

  // The write under way was done or not, row by row, as one that failed. (That it is atomic within
  // a region is for the tests of Cluster.)
  void Replay(const Said& said, uint64_t run) {
    const WriteMix mix = KillPlanOf(run).writes;
    for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
      for (uint64_t n = 0; n < said.writes[writer].size() + said.is_writing[writer]; ++n) {
        const bool is_done = n < said.writes[writer].size() && said.writes[writer][n];
        const std::vector<Change> changes = ChangesOf(run, writer, n, mix);
        history_.Begin(writer, changes);
        history_.End(writer, changes, is_done);
        ++(is_done ? num_writes_ : num_failed_);
      }
    }
  }

  void CountSaid(const Said& said) {
    std::array<bool, kNumChangeKinds + 1> is_under_way{};
    for (const std::optional<ChangeKind>& kind : said.changing) {
      if (kind) is_under_way[static_cast<size_t>(*kind)] = true;
    }
    is_under_way[kBackground] =
        std::none_of(is_under_way.begin(), is_under_way.end(), [](bool is) { return is; });
    for (size_t kind = 0; kind <= kNumChangeKinds; ++kind) num_during_[kind] += is_under_way[kind];
    for (size_t kind = 0; kind < kNumChangeKinds; ++kind) num_begun_[kind] += said.num_begun[kind];
  }

  void CountFound(const ClusterStats& stats) {
    num_loaded_ += stats.num_columns_loaded;
    num_with_leftovers_ += stats.num_leftovers > 0;
    bool has_building = false, has_dropping = false;
    for (const AttributeStats& attribute : stats.directory.attributes) {
      has_building |= attribute.state == AttributeState::kBuilding;
      has_dropping |= attribute.state == AttributeState::kDropping;
    }
    num_with_building_ += has_building;
    num_with_dropping_ += has_dropping;
  }

  void Print() const {
    std::printf("%-32s %10s %10s\n", "changes of the processes", "begun", "killed in");
    for (size_t kind = 0; kind < kNumChangeKinds; ++kind) {
      std::printf("%-32s %10llu %10llu\n", ChangeKindName(static_cast<ChangeKind>(kind)),
                  static_cast<Ull>(num_begun_[kind]), static_cast<Ull>(num_during_[kind]));
    }
    std::printf("%-32s %10s %10llu\n", "none of these", "",
                static_cast<Ull>(num_during_[kBackground]));
    std::printf("%-32s %10s %10llu\n", "found: leftovers of moves", "",
                static_cast<Ull>(num_with_leftovers_));
    std::printf("%-32s %10s %10llu\n", "found: indexes half made", "",
                static_cast<Ull>(num_with_building_));
    std::printf("%-32s %10s %10llu\n", "found: indexes half removed", "",
                static_cast<Ull>(num_with_dropping_));
    std::printf(
        "seed %llu: %llu kills, %llu writes done before them, %llu failed or under way, %llu "
        "columns from files; every row found by every indexed attribute, nothing left over, "
        "nothing left when all rows were deleted: %.0f s\n",
        static_cast<Ull>(seed_), static_cast<Ull>(num_kills_), static_cast<Ull>(num_writes_),
        static_cast<Ull>(num_failed_), static_cast<Ull>(num_loaded_), elapsed_.seconds());
  }

  const char* const program_;
  const std::filesystem::path folder_;
  const uint64_t seed_;
  const Elapsed elapsed_;
  const uint64_t num_all_;
  History history_;
  std::atomic<uint64_t> num_kills_{0};
  uint64_t num_writes_ = 0, num_failed_ = 0, num_loaded_ = 0;
  uint64_t num_with_leftovers_ = 0, num_with_building_ = 0, num_with_dropping_ = 0;
  std::array<uint64_t, kNumChangeKinds> num_begun_{};
  std::array<uint64_t, kNumChangeKinds + 1> num_during_{};
  Board board_;
};

}  // namespace

int RunKills(const char* program, const std::filesystem::path& folder, const Extent& extent,
             uint64_t seed) {
  return Kills(program, folder, extent, seed).Run();
}

}  // namespace trommel::index::soak
