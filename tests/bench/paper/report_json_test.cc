// Reports as JSON, read back.
#include "bench/paper/report_json.h"

#include <nlohmann/json.hpp>

#include "bench/paper/made_report.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

TEST_CASE("JSON holds every figure as it is, and null for none", "[paper]") {
  const auto json = nlohmann::json::parse(ReportJson(MadeReport()));
  CHECK(json["program"] == "made");
  REQUIRE(json["tables"].size() == 2);
  const auto& slip = json["tables"][0]["rows"][0];
  CHECK(slip["paper"] == 1.5e-23);
  CHECK(slip["formula"] == 1.36e-16);
  CHECK(slip["measured_at_most"] == true);
  CHECK(slip["verdict"] == "slip of the source");
  CHECK(json["tables"][0]["rows"][1]["measured"].is_null());
  CHECK(json["tables"][0]["rows"][1]["unit"] == "count");
  const auto& model = json["tables"][1]["rows"][1];
  CHECK(model["allowed"] == nlohmann::json({0.009, 0.011}));
  CHECK_FALSE(slip.contains("allowed"));
}

}  // namespace
}  // namespace trommel::paper
