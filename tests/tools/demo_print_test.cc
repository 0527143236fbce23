// What the demo shows: broken laws are called broken.
#include "tools/trommel/demo_print.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "support/catch.h"

namespace trommel::tool {
namespace {

std::string PrintedDemo(const Report& report, bool json) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  REQUIRE(report.Print(json, file).ok());
  std::string text(static_cast<size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  REQUIRE(std::fread(text.data(), 1, text.size(), file) == text.size());
  std::fclose(file);
  return text;
}

Trial SoundTrial() {
  Trial trial;
  trial.geometry.num_blocks = 10;
  trial.num_keys = 100;
  trial.members = {100, 100, 1};
  trial.strangers = {100, 1, 0.01};
  trial.part.name = "/some/rather/long/folder/name";
  trial.left = {80, 80, 1};
  trial.gone = {20, 0, 0.01};
  trial.is_restored = true;
  trial.is_emptied = true;
  return trial;
}

TEST_CASE("a sound trial shows no broken law and a broken one does", "[tools][demo_print]") {
  Trial trial = SoundTrial();
  Report sound;
  DescribeTrial(trial, sound);
  CHECK(PrintedDemo(sound, false).find("BROKEN") == std::string::npos);
  trial.left.num_maybe_present = 79;
  Report broken;
  DescribeTrial(trial, broken);
  CHECK_THAT(PrintedDemo(broken, false), Catch::Matchers::ContainsSubstring("BROKEN"));
}

TEST_CASE("a ceiling that was not measured is a dash, and null in JSON", "[tools][demo_print]") {
  Speed speed;
  speed.insert = {10, 5, std::nan("")};
  speed.erase = speed.query_hit = speed.query_miss = {10, 5, 4};
  Report report;
  DescribeSpeed(speed, SoundTrial(), report);
  CHECK_THAT(PrintedDemo(report, false), Catch::Matchers::ContainsSubstring("80 %"));
  CHECK_THAT(PrintedDemo(report, true), Catch::Matchers::ContainsSubstring("\"ceiling\":null"));
}

}  // namespace
}  // namespace trommel::tool
