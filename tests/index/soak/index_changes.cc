// Indexes that are added and dropped.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "index/soak/soak.h"

namespace trommel::index::soak {
namespace {

std::vector<AttributeState> StatesOf(const Cluster& cluster) {
  const ServerIndex::Pin pin = cluster.directory().PinVersion();
  std::vector<AttributeState> states;
  for (uint32_t a = 0; a < kNumAttributes; ++a) states.push_back(pin.state(a));
  return states;
}

bool Has(const std::vector<AttributeState>& states, AttributeState state) {
  for (const AttributeState s : states) {
    if (s == state) return true;
  }
  return false;
}

class IndexAdmin {
 public:
  IndexAdmin(Soak& soak, uint32_t thread)
      : soak_(soak), thread_(thread), random_(soak.plan.seed + 200 + thread) {}

  void Step() {
    random_.Pause(std::chrono::milliseconds(60));
    const auto attribute = random_.Below(kNumAttributes);
    const std::vector<AttributeState> states = StatesOf(soak_.cluster);
    uint32_t num_indexed = 0;
    for (const AttributeState state : states) num_indexed += state == AttributeState::kIndexed;
    switch (states[attribute]) {
      case AttributeState::kNone:
        Add(attribute, ErrorCode::kBusy, false);
        break;
      case AttributeState::kIndexed:
        if (num_indexed > 2 || random_.OneIn(8)) Drop(attribute);
        break;
      case AttributeState::kBuilding:
        if (random_.OneIn(3)) Drop(attribute);  // gives up what is being built
        break;
      case AttributeState::kDropping:
        if (random_.OneIn(3)) Add(attribute, ErrorCode::kBusy, true);
        break;
    }
    if (random_.OneIn(2)) Finish();
  }

 private:
  void Add(uint32_t attribute, ErrorCode allowed, bool may_fail) {
    Call call(soak_.board, thread_, ChangeKind::kAddIndex);
    const Status status = soak_.cluster.AddIndex(attribute);
    if (status) return call.Done();
    if (may_fail && status.error().code == allowed) {
      ++soak_.board.num_refused;
      return;
    }
    soak_.board.Fail(FailureText("AddIndex of " + std::to_string(attribute), status.error()));
  }

  void Drop(uint32_t attribute) {
    Call call(soak_.board, thread_, ChangeKind::kDropIndex);
    const Status status = soak_.cluster.DropIndex(attribute);
    if (status) return call.Done();
    soak_.board.Fail(FailureText("DropIndex of " + std::to_string(attribute), status.error()));
  }

  void Finish() {
    const std::vector<AttributeState> states = StatesOf(soak_.cluster);
    const ChangeKind kind = Has(states, AttributeState::kBuilding)   ? ChangeKind::kBackfill
                            : Has(states, AttributeState::kDropping) ? ChangeKind::kRemoval
                                                                     : ChangeKind::kCleaning;
    const Outages::Mark mark = soak_.outages.Now();
    Call call(soak_.board, thread_, kind);
    uint32_t num_left = random_.OneIn(3) ? random_.Below(20) : ~uint32_t{0};
    bool is_cancelled = false;
    const auto keep_going = [&] {
      is_cancelled |= num_left == 0;
      return num_left > 0 && num_left-- > 0 && !soak_.is_over;
    };
    const Result<bool> finished = soak_.cluster.FinishChanges(nullptr, keep_going);
    if (finished) {
      if (*finished) return call.Done();
      if (!is_cancelled && !soak_.is_over) soak_.board.Fail("FinishChanges gave up by itself");
      return;
    }
    ++soak_.board.num_refused;
    if (!soak_.IsOutage(finished.error(), mark)) {
      soak_.board.Fail(FailureText("FinishChanges", finished.error()));
    }
  }

  Soak& soak_;
  const uint32_t thread_;
  Random random_;
};

}  // namespace

void ChangeIndexes(Soak& soak, uint32_t thread) {
  IndexAdmin admin(soak, thread);
  while (soak.MayGoOn()) admin.Step();
}

}  // namespace trommel::index::soak
