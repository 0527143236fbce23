// Files of rows: what is in them, and when they appear.
#include "bench/sweep/run_file.h"

#include <nlohmann/json.hpp>
#include <string>

#include "bench/sweep/made_card.h"
#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::bench {
namespace {

RunRecord MadeRecord() {
  RunRecord record;
  record.name = "insert/keys:1k_median";
  record.run_name = "insert/keys:1k";
  record.run_type = "aggregate";
  record.aggregate_name = "median";
  record.aggregate_unit = "time";
  record.repetitions = 3;
  record.threads = 2;
  record.iterations = 3;
  record.real_time = 12.5;
  record.cpu_time = 25;
  record.label = "AVX2";
  record.counters = {{"items_per_second", 8e7}, {"ns_per_key", 12.5}};
  return record;
}

TEST_CASE("a file has the shape of Google Benchmark's, and a machine card", "[bench][run_file]") {
  RunRecord repetition = MadeRecord();
  repetition.run_type = "iteration";
  repetition.repetition_index = 2;
  const auto json = nlohmann::json::parse(RunFileText(MadeCard(), {repetition, MadeRecord()}));
  const auto& context = json["context"];
  CHECK(context["cpu_model"] == "Abacus 9000");
  CHECK(context["num_cpus"] == 6);
  CHECK(context["num_physical_cpus"] == 3);
  CHECK(context["caches"][1]["size"] == 1 << 20);
  CHECK(context["transparent_huge_pages"] == "madvise");
  CHECK(context["runnable_targets"].size() == 3);
  for (const char* field : {"date", "mhz_per_cpu", "cpu_scaling_enabled", "load_avg", "compiler",
                            "compiler_flags", "trommel_version", "target", "kernel", "governor",
                            "memory_bytes", "page_bytes", "filter_huge_page_bytes"}) {
    INFO(field);
    CHECK(context.contains(field));
  }
  REQUIRE(json["benchmarks"].size() == 2);
  const auto& first = json["benchmarks"][0];
  CHECK(first["run_type"] == "iteration");
  CHECK(first["repetition_index"] == 2);
  CHECK(first["real_time"] == 12.5);
  CHECK(first["time_unit"] == "ns");
  CHECK(first["items_per_second"] == 8e7);
  CHECK(first["label"] == "AVX2");
  CHECK(json["benchmarks"][1]["aggregate_name"] == "median");
}

}  // namespace

}  // namespace trommel::bench
