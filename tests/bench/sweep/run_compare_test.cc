// Two files compared: ratios with their spread, rows of one alone, and cards that differ.
#include "bench/sweep/run_file.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

RunRecord Repetition(const std::string& name, double ns) {
  RunRecord record;
  record.name = record.run_name = name;
  record.real_time = ns;
  return record;
}

RunRecord Aggregate(const std::string& name, const std::string& aggregate, double ns) {
  RunRecord record = Repetition(name, ns);
  record.run_type = "aggregate";
  record.aggregate_name = aggregate;
  record.name += "_" + aggregate;
  return record;
}

TEST_CASE("a ratio is of medians, its range of the repetitions", "[bench][run_compare]") {
  RunFile a;
  a.records = {Repetition("x", 10), Repetition("x", 30), Repetition("x", 20),
               Aggregate("x", "median", 99), Repetition("only a", 1)};
  RunFile b;
  b.records = {Repetition("only b", 1), Repetition("x", 40), Repetition("x", 5)};
  const Result<Comparison> comparison = Compare(a, b);
  REQUIRE(comparison.ok());
  REQUIRE(comparison->rows.size() == 1);
  const ComparedRow& row = comparison->rows[0];
  CHECK(row.a.median == 20);
  CHECK(row.a.min == 10);
  CHECK(row.a.max == 30);
  CHECK(row.b.median == 22.5);
  CHECK(row.ratio.median == 22.5 / 20);
  CHECK(row.ratio.min == 5.0 / 30);
  CHECK(row.ratio.max == 40.0 / 10);
  CHECK(comparison->only_a == std::vector<std::string>{"only a"});
  CHECK(comparison->only_b == std::vector<std::string>{"only b"});
}

TEST_CASE("units are made the same, and a key's time goes before an iteration's",
          "[bench][run_compare]") {
  RunFile a;
  RunFile b;
  a.records = {Repetition("x", 2), Repetition("y", 100)};
  a.records[0].time_unit = "us";
  a.records[1].counters = {{"ns_per_key", 4}};
  b.records = {Repetition("x", 4000), Repetition("y", 100)};
  b.records[1].counters = {{"ns_per_key", 2}};
  Result<Comparison> comparison = Compare(a, b);
  REQUIRE(comparison.ok());
  CHECK(comparison->rows[0].ratio.median == 2);
  CHECK(comparison->rows[1].ratio.median == 0.5);
  b.records[1].counters.clear();
  comparison = Compare(a, b);
  CHECK(comparison->rows[1].ratio.median == 1);
}

TEST_CASE("a file of aggregates alone has its median, or its mean", "[bench][run_compare]") {
  RunFile a;
  a.records = {Aggregate("x", "mean", 9), Aggregate("x", "median", 10), Aggregate("x", "stddev", 1),
               Aggregate("y", "mean", 7)};
  RunFile b;
  b.records = {Repetition("x", 20), Repetition("y", 14)};
  const Result<Comparison> comparison = Compare(a, b);
  REQUIRE(comparison.ok());
  REQUIRE(comparison->rows.size() == 2);
  CHECK(comparison->rows[0].a.median == 10);
  CHECK(comparison->rows[0].a.min == 10);
  CHECK(comparison->rows[1].a.median == 7);
}

TEST_CASE("fields of the cards that differ are listed", "[bench][run_compare]") {
  RunFile a;
  RunFile b;
  a.records = b.records = {Repetition("x", 1)};
  a.context = {{"cpu", "A"}, {"same", "1"}, {"gone", "2"}};
  b.context = {{"new", "3"}, {"same", "1"}, {"cpu", "B"}};
  const Result<Comparison> comparison = Compare(a, b);
  REQUIRE(comparison.ok());
  REQUIRE(comparison->card.size() == 3);
  CHECK(comparison->card[0].field == "cpu");
  CHECK(comparison->card[0].a == "A");
  CHECK(comparison->card[0].b == "B");
  CHECK(comparison->card[1].b.empty());
  CHECK(comparison->card[2].field == "new");
}

TEST_CASE("files without a common row cannot be compared", "[bench][run_compare]") {
  RunFile a;
  RunFile b;
  CHECK(Compare(a, b).error().code == ErrorCode::kMismatch);
  a.records = {Repetition("x", 1), Repetition("zero", 0)};
  b.records = {Repetition("y", 1), Repetition("zero", 1)};
  const Result<Comparison> comparison = Compare(a, b);
  REQUIRE_FALSE(comparison.ok());
  CHECK_THAT(comparison.error().message, Catch::Matchers::ContainsSubstring("no row in common"));
}

}  // namespace
}  // namespace trommel::bench
