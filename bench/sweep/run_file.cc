#include "bench/sweep/run_file.h"

#include <nlohmann/json.hpp>

namespace trommel::bench {
namespace {

using Json = nlohmann::ordered_json;

// Google Benchmark's names first; fields that it does not have follow.
Json ContextOf(const MachineCard& card) {
  Json caches = Json::array();
  for (const CacheInfo& cache : card.caches) {
    caches.push_back({{"type", cache.type},
                      {"level", cache.level},
                      {"size", cache.num_bytes},
                      {"num_sharing", cache.num_sharing}});
  }
  return {{"date", card.date},
          {"num_cpus", card.num_logical_cpus},
          {"mhz_per_cpu", card.mhz},
          {"cpu_scaling_enabled", !card.governor.empty() && card.governor != "performance"},
          {"caches", caches},
          {"load_avg", card.load_average},
          {"library_build_type", card.build_type == "Debug" ? "debug" : "release"},
          {"cpu_model", card.cpu_model},
          {"num_physical_cpus", card.num_physical_cpus},
          {"memory_bytes", card.memory_bytes},
          {"governor", card.governor},
          {"kernel", card.kernel},
          {"page_bytes", card.page_bytes},
          {"transparent_huge_pages", card.huge_pages},
          {"filter_bytes", card.filter_bytes},
          {"filter_huge_page_bytes", card.filter_huge_page_bytes},
          {"compiler", card.compiler},
          {"compiler_flags", card.compiler_flags},
          {"build_type", card.build_type},
          {"trommel_version", card.version},
          {"target", card.target},
          {"runnable_targets", card.runnable_targets}};
}

}  // namespace

std::string RunFileText(const MachineCard& card, const std::string& entries) {
  const std::string context = ContextOf(card).dump(2, ' ', false, Json::error_handler_t::replace);
  return "{\n\"context\": " + context + ",\n\"benchmarks\": [\n" + entries + "\n]\n}\n";
}

}  // namespace trommel::bench
