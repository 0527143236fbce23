#include "index/soak/round_plan.h"

#include <chrono>
#include <cstdio>

namespace trommel::index::soak {

std::string RoundPlan::Text() const {
  char text[400];
  std::snprintf(
      text, sizeof text,
      "%u region administrators%s%s, %u rows per writer, %u of 12 deleted, %s, %u builders, %u "
      "threads per server, background %s, rules: split at %llu bytes and %llu writes per second%s, "
      "backfill %llu rows per second, ended by %s",
      num_region_admins, has_index_changes ? ", index changes" : "", has_stops ? ", stops" : "",
      writes.num_slots, writes.deletes_of_12, options.sync_writes ? "synced" : "not synced",
      options.num_builders, options.threads_per_server,
      options.finishes_in_background ? "on" : "off",
      static_cast<unsigned long long>(options.rules.split_bytes),
      static_cast<unsigned long long>(options.rules.split_writes_per_second),
      options.rules.is_balanced ? ", balanced" : "",
      static_cast<unsigned long long>(options.backfill_rows_per_second),
      is_closed ? "Close" : "destruction");
  return text;
}

Structure StructureOf(uint64_t seed) {
  return seed % 4 == 3 ? Structure::kServerFilters : Structure::kMap;
}

RoundPlan PlanOf(uint64_t seed, uint64_t round) {
  Random random(Mix(seed) ^ round);
  RoundPlan plan;
  plan.seed = random.Next();
  plan.num_region_admins = 1 + random.Below(2);
  plan.has_stops = !random.OneIn(3);
  plan.has_index_changes = !random.OneIn(4);
  constexpr uint32_t kSlots[] = {60, 250, kRowsPerWriter};
  plan.writes.num_slots = kSlots[random.Below(3)];
  plan.writes.deletes_of_12 = random.OneIn(4) ? 9 : random.OneIn(3) ? 1 : 4;
  plan.is_closed = !random.OneIn(3);
  ClusterOptions& options = plan.options;
  options.sync_writes = random.OneIn(3);
  options.memory_bytes = uint64_t{64} << 20;
  options.threads_per_server = 1 + random.Below(2);
  options.num_builders = random.Below(3);
  options.finishes_in_background = !random.OneIn(3);
  if (random.OneIn(2)) {
    options.finishes_in_background = true;
    options.rules.split_bytes = random.OneIn(2) ? 8'000 + random.Below(40'000) : 0;
    options.rules.split_writes_per_second = random.OneIn(2) ? 500 + random.Below(4'000) : 0;
    options.rules.is_balanced = random.OneIn(2);
    options.rules.interval = std::chrono::milliseconds(10 + random.Below(200));
  }
  options.backfill_rows_per_second = random.OneIn(3) ? 3'000 : 0;
  options.get_timeout = std::chrono::seconds(random.OneIn(2) ? 2 : 20);
  return plan;
}

RoundPlan KillPlanOf(uint64_t seed) {
  Random random(seed + 77);
  RoundPlan plan = PlanOf(seed, 0);
  plan.num_region_admins = 2;
  plan.has_index_changes = true;
  plan.has_stops = random.OneIn(2);
  plan.options.sync_writes = !random.OneIn(4);
  plan.options.memory_bytes = uint64_t{32} << 20;
  if (plan.writes.deletes_of_12 > 4 && !random.OneIn(4)) plan.writes.deletes_of_12 = 2;
  return plan;
}

}  // namespace trommel::index::soak
