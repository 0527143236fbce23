// Servers that stop and start.
#include <chrono>
#include <cstdint>
#include <vector>

#include "index/soak/soak.h"

namespace trommel::index::soak {
namespace {

void StopOne(Soak& soak, uint32_t thread, uint32_t server) {
  soak.outages.Begin(server);
  Call call(soak.board, thread, ChangeKind::kStop);
  if (const Status status = soak.cluster.StopServer(server); !status) {
    soak.board.Fail(FailureText("StopServer", status.error()));
  }
  call.Done();
}

void StartOne(Soak& soak, uint32_t thread, uint32_t server) {
  Call call(soak.board, thread, ChangeKind::kStart);
  if (const Status status = soak.cluster.StartServer(server); !status) {
    soak.board.Fail(FailureText("StartServer", status.error()));
  }
  call.Done();
  soak.outages.End(server);
}

}  // namespace

void StopServers(Soak& soak, uint32_t thread) {
  Random random(soak.plan.seed + 100 + thread);
  while (soak.MayGoOn()) {
    random.Pause(std::chrono::milliseconds(400));
    std::vector<uint32_t> stopped;
    for (uint32_t server = 0; server < kNumServers; ++server) {
      if (random.OneIn(3)) stopped.push_back(server);
    }
    for (const uint32_t server : stopped) StopOne(soak, thread, server);
    if (!stopped.empty()) random.Pause(std::chrono::milliseconds(random.OneIn(4) ? 600 : 60));
    for (const uint32_t server : stopped) StartOne(soak, thread, server);
  }
}

}  // namespace trommel::index::soak
