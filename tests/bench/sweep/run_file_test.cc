// Files of rows: what is in them besides Google Benchmark's entries (sweep_test.cc).
#include "bench/sweep/run_file.h"

#include <nlohmann/json.hpp>

#include "bench/sweep/made_card.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("a file has the shape of Google Benchmark's, and a machine card", "[bench][run_file]") {
  const auto json = nlohmann::json::parse(RunFileText(MadeCard(), "{},\n{\"name\": \"a\"}"));
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
  CHECK(json["benchmarks"][1]["name"] == "a");
}

}  // namespace
}  // namespace trommel::bench
