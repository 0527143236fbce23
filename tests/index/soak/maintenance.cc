// Verification, building and statistics beside everything else.
#include <chrono>
#include <cstdint>
#include <string>

#include "index/soak/soak.h"

namespace trommel::index::soak {
namespace {

void VerifyNow(Soak& soak, uint32_t thread, bool repairs) {
  const Outages::Mark mark = soak.outages.Now();
  const Call call(soak.board, thread, "Verify");
  const Result<VerifyReport> report =
      soak.cluster.Verify(nullptr, repairs ? Repair::kAll : Repair::kNone);
  if (!report) {
    if (!soak.IsOutage(report.error(), mark)) {
      soak.board.Fail(FailureText("Verify", report.error()));
    }
    return;
  }
  ++soak.board.num_verifies;
  if (report->ok() && report->num_repaired == 0) return;
  for (const std::string& example : report->examples) soak.board.Fail("Verify: " + example);
  soak.board.Fail("Verify: does not agree beside changes");
}

void BuildNow(Soak& soak, uint32_t thread, uint32_t num_chunks) {
  const Outages::Mark mark = soak.outages.Now();
  const Call call(soak.board, thread, "BuildColumns");
  const Result<bool> built = soak.cluster.BuildColumns(
      nullptr, [&] { return num_chunks > 0 && num_chunks-- > 0 && soak.MayGoOn(); });
  if (!built && !soak.IsOutage(built.error(), mark)) {
    soak.board.Fail(FailureText("BuildColumns", built.error()));
  }
}

void MarkOne(Soak& soak, Random& random) {
  uint32_t region_id = 0;
  {
    const ServerIndex::Pin pin = soak.cluster.directory().PinVersion();
    region_id = pin.table()[random.Below(pin.table().size())].id;
  }
  const ColumnName marked{region_id, random.Below(kNumAttributes)};
  soak.cluster.directory().MarkUnbuilt({&marked, 1});
}

}  // namespace

void Maintain(Soak& soak, uint32_t thread) {
  Random random(soak.plan.seed + 400 + thread);
  while (soak.MayGoOn()) {
    random.Pause(std::chrono::milliseconds(150));
    switch (random.Below(8)) {
      case 0:
        VerifyNow(soak, thread, random.OneIn(4));
        break;
      case 1:
      case 2:
        BuildNow(soak, thread, random.Below(200));
        break;
      case 3: {
        const Call call(soak.board, thread, "Reclaim");
        soak.cluster.directory().Reclaim();
        break;
      }
      case 4: {
        const Call call(soak.board, thread, "GetStats");
        if (soak.cluster.GetStats().directory.num_refused_pairs > 0) {
          soak.board.Fail("a pair was erased that its column did not have");
        }
        break;
      }
      case 5: {
        const Call call(soak.board, thread, "GetRegionLoads");
        soak.cluster.GetRegionLoads();
        soak.cluster.PlanBalance(random.OneIn(2));
        break;
      }
      default:
        MarkOne(soak, random);
        break;
    }
  }
}

}  // namespace trommel::index::soak
