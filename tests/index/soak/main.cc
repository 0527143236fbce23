// The soak of the secondary index: trommel_index_soak
//
//   kills FOLDER COUNT SEED [--sync]    starts a process that writes, kills it (SIGKILL) at a
//   random
//                                       moment, opens what is left and checks it; COUNT times
//   mixed FOLDER CHANGES SEED        writes and queries from several threads, with restarts,
//   against
//                                       an exact model
//   work FOLDER SEED [--sync]           what `kills` starts: writes until it is killed
//
// Exit status: 0 all is right, 1 something is wrong, 2 wrong usage.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "index/soak/rows.h"

namespace trommel::index::soak {
namespace {

using Clock = std::chrono::steady_clock;

Structure StructureOf(uint64_t seed) {
  return seed % 4 == 3 ? Structure::kServerFilters : Structure::kTransposed;
}

int Fail(const std::string& text) {
  std::fprintf(stderr, "trommel_index_soak: %s\n", text.c_str());
  return 1;
}

int Report(const std::vector<std::string>& wrong, const std::string& when) {
  for (const std::string& text : wrong) Fail(when + ": " + text);
  return wrong.empty() ? 0 : 1;
}

// --- work: the process that is killed

// Before and after write `number` of a writer: one line each, in one write to the pipe.
void Tell(char what, uint32_t writer, uint64_t number) {
  char line[48];
  const int size = std::snprintf(line, sizeof line, "%c %u %llu\n", what, writer,
                                 static_cast<unsigned long long>(number));
  if (write(STDOUT_FILENO, line, static_cast<size_t>(size)) != size) _exit(3);
}

int Work(const std::filesystem::path& folder, uint64_t seed, bool sync) {
  Result<Cluster> cluster =
      Cluster::Open(folder, {.sync_writes = sync, .memory_bytes = uint64_t{32} << 20});
  if (!cluster) return Fail(cluster.error().message);
  std::vector<std::thread> threads;
  for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
    threads.emplace_back([&, writer] {
      for (uint64_t number = 0;; ++number) {
        const std::vector<Change> changes = ChangesOf(seed, writer, number);
        Tell('b', writer, number);
        if (!cluster->Write(MutationsOf(writer, changes))) _exit(4);
        Tell('d', writer, number);
        if (number % 50 == 7) {
          const ColumnName marked{static_cast<uint32_t>(Mix(seed + number) % 8),
                                  static_cast<uint32_t>(number / 50 % kNumIndexed)};
          cluster->directory().MarkUnbuilt({&marked, 1});
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

// --- kills

struct Progress {  // of a writer, as it told
  uint64_t num_done = 0;
  bool is_writing = false;  // number num_done had begun
};

// Starts a worker, kills it after a random time, and returns what it said.
std::vector<Progress> RunAndKill(const char* program, const std::filesystem::path& folder,
                                 uint64_t seed, bool sync, bool* is_early) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    execl(program, program, "work", folder.c_str(), std::to_string(seed).c_str(),
          sync ? "--sync" : nullptr, nullptr);
    _exit(5);
  }
  close(pipe_ends[1]);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::microseconds(20'000 + Mix(seed) % 600'000));
    kill(child, SIGKILL);
  });
  std::vector<Progress> progress(kNumWriters);
  FILE* const lines = fdopen(pipe_ends[0], "r");
  char what = 0;
  uint32_t writer = 0;
  unsigned long long number = 0;
  while (std::fscanf(lines, " %c %u %llu", &what, &writer, &number) == 3) {
    progress[writer].is_writing = what == 'b';
    progress[writer].num_done = what == 'd' ? number + 1 : number;
  }
  std::fclose(lines);
  killer.join();
  int status = 0;
  waitpid(child, &status, 0);
  *is_early = !WIFSIGNALED(status);  // it ended before it was killed: an error of its own
  return progress;
}

int Kills(const char* program, const std::filesystem::path& folder, uint64_t count, uint64_t seed,
          bool sync) {
  {
    Result<Cluster> cluster = Cluster::Create(folder, SoakConfig(StructureOf(seed)));
    if (!cluster) return Fail(cluster.error().message);
    if (const Status status = cluster->Close(); !status) return Fail(status.error().message);
  }
  std::vector<Model> models(kNumWriters);
  uint64_t num_writes = 0, num_loaded = 0;
  for (uint64_t k = 0; k < count; ++k) {
    const uint64_t run = seed * 1'000'003 + k;
    bool is_early = false;
    const std::vector<Progress> progress = RunAndKill(program, folder, run, sync, &is_early);
    if (is_early) return Fail("the writing process failed by itself");
    const std::string when = "kill " + std::to_string(k);
    Result<Cluster> cluster = Cluster::Open(folder, {.memory_bytes = uint64_t{32} << 20});
    if (!cluster) return Fail(when + ": " + cluster.error().message);
    num_loaded += cluster->GetStats().num_columns_loaded;
    for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
      for (uint64_t n = 0; n < progress[writer].num_done; ++n) {
        models[writer].Apply(ChangesOf(run, writer, n));
      }
      num_writes += progress[writer].num_done;
      if (!progress[writer].is_writing) continue;
      // The write under way was done or not, region by region: each of its rows is the old or the
      // new one. (Atomicity within a region is for the tests of Cluster.)
      for (const Change& change : ChangesOf(run, writer, progress[writer].num_done)) {
        const Result<std::optional<Row>> row = cluster->Get(KeyOf(writer, change.slot));
        if (!row) return Fail(when + ": " + row.error().message);
        std::vector<Mutation> mutation = MutationsOf(writer, {change});
        const bool is_deleted = !mutation[0].attributes.has_value();
        if (row->has_value() ? !is_deleted && (*row)->attributes[4] == (*mutation[0].attributes)[4]
                             : is_deleted) {
          models[writer].Set(change.slot, change.content);
        }
      }
    }
    if (const Result<bool> built = cluster->BuildColumns(); !built) {
      return Fail(when + ": " + built.error().message);
    }
    if (Report(Check(*cluster, models), when) != 0) return 1;
    // Every other time the next process begins after a clean close, so that the file is used.
    if (k % 2 == 0) {
      if (const Status status = cluster->Close(); !status) return Fail(status.error().message);
    }
    if (isatty(STDERR_FILENO))
      std::fprintf(stderr, "\r%s of %llu", when.c_str(), static_cast<unsigned long long>(count));
  }
  Result<Cluster> cluster = Cluster::Open(folder);
  if (!cluster) return Fail(cluster.error().message);
  if (Report(DrainAndCheck(*cluster), "after the last kill") != 0) return 1;
  std::printf(
      "%llu kills, %llu writes done before them, %llu columns from files; every row found by every "
      "indexed attribute, nothing left when all rows were deleted\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(num_writes),
      static_cast<unsigned long long>(num_loaded));
  return 0;
}

// --- mixed

class Mixed {
 public:
  struct WriterState {
    uint64_t number = 0;  // of the next write
    uint64_t num_changes = 0;
  };

  Mixed(Cluster& cluster, std::vector<Model>& models, std::vector<WriterState>& writers,
        uint64_t seed)
      : cluster_(cluster), models_(models), writers_(writers), seed_(seed) {}

  // Writes until each writer has changed so many rows since the beginning.
  bool RunUntil(uint64_t num_changes) {
    std::vector<std::thread> threads;
    for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
      threads.emplace_back([&, writer] {
        WriterState& state = writers_[writer];
        while (state.num_changes < num_changes && !has_failed_) Step(writer, state);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return !has_failed_;
  }
  uint64_t num_queries() const { return num_queries_; }

 private:
  void Step(uint32_t writer, WriterState& state) {
    const uint64_t number = state.number++;
    const std::vector<Change> changes = ChangesOf(seed_, writer, number);
    const Status status = cluster_.Write(MutationsOf(writer, changes));
    if (!status) return Wrong(status.error().message);
    models_[writer].Apply(changes);
    state.num_changes += changes.size();
    if (Mix(number ^ seed_) % 16 == 0) Ask(writer, changes[0].slot);
    if (Mix(number ^ seed_) % 4096 == 1 && writer == 0) {
      const ColumnName marked{static_cast<uint32_t>(Mix(number) % 8),
                              static_cast<uint32_t>(Mix(number) / 8 % kNumIndexed)};
      cluster_.directory().MarkUnbuilt({&marked, 1});
    }
  }

  // A value that a row of this writer has: all of its own rows with it must be found, and no row
  // may be found that does not have it.
  void Ask(uint32_t writer, uint32_t slot) {
    const Content content = models_[writer].At(slot);
    if (content == 0) return;
    const std::vector<Values> attributes = AttributesOf(writer, slot, content);
    const auto attribute = static_cast<uint32_t>(Mix(content) % kNumIndexed);
    if (attributes[attribute].empty()) return;
    const std::string& value = attributes[attribute][0];
    QueryRequest request{.conditions = {{attribute, value}}};
    if (content % 5 == 0 && attribute != 1) request.conditions.push_back({1, attributes[1][0]});
    const Result<QueryOutcome> outcome = cluster_.Find(request);
    if (!outcome || !outcome->unanswered.empty()) return Wrong("a query was not answered");
    ++num_queries_;
    std::set<std::string> found;
    for (const Row& row : outcome->rows) {
      found.insert(row.key);
      for (const Condition& condition : request.conditions) {
        const Values& values = row.attributes[condition.attribute];
        if (std::find(values.begin(), values.end(), condition.value) == values.end()) {
          Wrong(row.key + " was returned and does not have " + condition.value);
        }
      }
    }
    if (found.count(KeyOf(writer, slot)) == 0) Wrong(KeyOf(writer, slot) + " was not found");
  }

  void Wrong(const std::string& text) {
    has_failed_ = true;
    Fail(text);
  }

  Cluster& cluster_;
  std::vector<Model>& models_;
  std::vector<WriterState>& writers_;
  uint64_t seed_;
  std::atomic<bool> has_failed_{false};
  std::atomic<uint64_t> num_queries_{0};
};

int RunMixed(const std::filesystem::path& folder, uint64_t operations, uint64_t seed) {
  const auto begin_time = Clock::now();
  {
    Result<Cluster> cluster = Cluster::Create(folder, SoakConfig(StructureOf(seed)));
    if (!cluster) return Fail(cluster.error().message);
  }
  std::vector<Model> models(kNumWriters);
  constexpr uint64_t kRounds = 10;
  const uint64_t per_writer = operations / kNumWriters + 1;
  std::vector<Mixed::WriterState> writers(kNumWriters);
  uint64_t num_queries = 0, num_loaded = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    Result<Cluster> cluster = Cluster::Open(folder, {.memory_bytes = uint64_t{64} << 20});
    if (!cluster) return Fail(cluster.error().message);
    num_loaded += cluster->GetStats().num_columns_loaded;
    Mixed mixed(*cluster, models, writers, seed);
    if (!mixed.RunUntil(per_writer * (round + 1) / kRounds)) return 1;
    num_queries += mixed.num_queries();
    if (const Result<bool> built = cluster->BuildColumns(); !built) {
      return Fail(built.error().message);
    }
    if (Report(Check(*cluster, models), "round " + std::to_string(round)) != 0) return 1;
    if (round % 3 != 2) {  // else the process of the databases just ends
      if (const Status status = cluster->Close(); !status) return Fail(status.error().message);
    }
  }
  Result<Cluster> cluster = Cluster::Open(folder);
  if (!cluster) return Fail(cluster.error().message);
  if (Report(DrainAndCheck(*cluster), "at the end") != 0) return 1;
  uint64_t num_changes = 0, num_writes = 0;
  for (const Mixed::WriterState& writer : writers) {
    num_changes += writer.num_changes;
    num_writes += writer.number;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_time).count();
  std::printf(
      "%llu row changes in %llu writes by %u threads, and %llu queries, %llu restarts (%llu "
      "columns from the "
      "file), no row missed, nothing left when all rows were deleted: %.0f s\n",
      static_cast<unsigned long long>(num_changes), static_cast<unsigned long long>(num_writes),
      kNumWriters, static_cast<unsigned long long>(num_queries),
      static_cast<unsigned long long>(kRounds), static_cast<unsigned long long>(num_loaded),
      seconds);
  return 0;
}

}  // namespace
}  // namespace trommel::index::soak

int main(int argc, char** argv) {
  using namespace trommel::index::soak;
  const std::vector<std::string> args(argv + 1, argv + argc);
  const bool sync = !args.empty() && args.back() == "--sync";
  const auto number = [&](size_t i) { return std::strtoull(args[i].c_str(), nullptr, 10); };
  if (args.size() >= 3 && args[0] == "work") return Work(args[1], number(2), sync);
  if (args.size() >= 4 && args[0] == "kills") {
    return Kills(argv[0], args[1], number(2), number(3), sync);
  }
  if (args.size() == 4 && args[0] == "mixed") return RunMixed(args[1], number(2), number(3));
  std::fprintf(stderr,
               "usage: trommel_index_soak kills FOLDER COUNT SEED [--sync]\n"
               "       trommel_index_soak mixed FOLDER CHANGES SEED\n");
  return 2;
}
