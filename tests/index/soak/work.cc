// The mode "work": the process that is killed.
//
// Each line on its standard output is written at once:
//   b WRITER NUMBER   the write begins       B THREAD KIND   the change begins
//   d WRITER NUMBER   it was done            E THREAD KIND   it has ended, in some way
//   f WRITER NUMBER   it failed
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "index/soak/modes.h"
#include "index/soak/soak.h"

namespace trommel::index::soak {
namespace {

void Tell(char what, uint32_t thread, uint64_t number) {
  char line[48];
  const int size = std::snprintf(line, sizeof line, "%c %u %llu\n", what, thread,
                                 static_cast<unsigned long long>(number));
  if (write(STDOUT_FILENO, line, static_cast<size_t>(size)) != size) _exit(3);
}

void WriteAll(Soak& soak, uint32_t writer, uint64_t seed) {
  for (uint64_t number = 0; soak.MayGoOn(); ++number) {
    const std::vector<Change> changes = ChangesOf(seed, writer, number, soak.plan.writes);
    const std::vector<Mutation> mutations = MutationsOf(writer, changes);
    const Outages::Mark mark = soak.outages.Now();
    Tell('b', writer, number);
    const Status status = soak.cluster.Write(mutations);
    Tell(status ? 'd' : 'f', writer, number);
    if (status) continue;
    if (!soak.IsOutage(status.error(), mark)) {
      return soak.board.Fail(FailureText("Write", status.error()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

int RunWork(const std::filesystem::path& folder, uint64_t seed) {
  Board board(nullptr, [](bool is_begin, uint32_t thread, ChangeKind kind) {
    Tell(is_begin ? 'B' : 'E', thread, static_cast<uint64_t>(kind));
  });
  const RoundPlan plan = KillPlanOf(seed);
  board.SetContext("work, seed " + std::to_string(seed) + ": " + plan.Text());
  Result<Cluster> cluster = Cluster::Open(folder, plan.options);
  if (!cluster) {
    board.Fail(FailureText("Open", cluster.error()));
    return 1;
  }
  History history;  // of no use here: nothing is compared
  Soak soak{*cluster, history, board, plan};
  std::vector<std::thread> threads;
  uint32_t number = 0;
  for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
    threads.emplace_back([&, thread = number++] { WriteAll(soak, thread, seed); });
  }
  const auto start = [&](void (*run)(Soak&, uint32_t)) {
    threads.emplace_back([&soak, run, thread = number++] { run(soak, thread); });
  };
  for (uint32_t i = 0; i < plan.num_region_admins; ++i) start(ChangeRegions);
  if (plan.has_index_changes) start(ChangeIndexes);
  if (plan.has_stops) start(StopServers);
  start(Maintain);
  for (std::thread& thread : threads) thread.join();
  return 1;  // something failed: else it is killed before
}

}  // namespace trommel::index::soak
