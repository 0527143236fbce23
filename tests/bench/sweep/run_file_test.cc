// Files of benchmarks: ours are read back as they were written, others are read or refused; and two
// files compared: ratios with their spread, rows that only one has, and cards that differ.
#include "bench/sweep/run_file.h"

#include <nlohmann/json.hpp>
#include <string>

#include "bench/sweep/made_card.h"
#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::bench {
namespace {

using Catch::Matchers::ContainsSubstring;

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

TEST_CASE("a written file is read back", "[bench][run_file]") {
  const tests::TempFolder folder;
  Result<RunFileWriter> writer = RunFileWriter::Create(folder.Path("run.json"));
  REQUIRE(writer.ok());
  CHECK(folder.Names().empty());  // not before it is whole
  REQUIRE(writer->Write(RunFileText(MadeCard(), {MadeRecord()})).ok());
  const Result<RunFile> file = ReadRunFile(folder.Path("run.json"));
  REQUIRE(file.ok());
  REQUIRE(file->records.size() == 1);
  const RunRecord& record = file->records[0];
  CHECK(record.name == MadeRecord().name);
  CHECK(record.run_name == MadeRecord().run_name);
  CHECK(record.aggregate_name == "median");
  CHECK(record.threads == 2);
  CHECK(record.cpu_time == 25);
  CHECK(record.label == "AVX2");
  CHECK(record.counters == MadeRecord().counters);
  const std::pair<std::string, std::string> cache = {"caches/0/size", "32768"};
  CHECK(std::ranges::count(file->context, cache) == 1);
}

TEST_CASE("a writer without a write leaves no file", "[bench][run_file]") {
  const tests::TempFolder folder;
  folder.Write("old.json", "old");
  for (const char* name : {"old.json", "new.json"}) {
    CHECK(RunFileWriter::Create(folder.Path(name)).ok());
  }
  CHECK(folder.Names() == std::vector<std::string>{"old.json"});
  CHECK(folder.Read("old.json") == "old");
  CHECK(RunFileWriter::Create(folder.Path("none/run.json")).error().code == ErrorCode::kIo);
}

TEST_CASE("a plain file of Google Benchmark is read, without failed entries", "[bench][run_file]") {
  const tests::TempFolder folder;
  const std::string path = folder.Write("plain.json", R"({
    "context": {"num_cpus": 2, "host_name": "x"},
    "benchmarks": [
      {"name": "BM_One/8", "iterations": 10, "real_time": 1.5, "cpu_time": 1, "time_unit": "us"},
      {"name": "BM_Bad", "error_occurred": true, "error_message": "no"},
      {"name": "BM_Skipped", "skipped": true, "real_time": 0}]})");
  const Result<RunFile> file = ReadRunFile(path);
  REQUIRE(file.ok());
  REQUIRE(file->records.size() == 1);
  CHECK(file->records[0].run_name == "BM_One/8");
  CHECK(file->records[0].run_type == "iteration");
  CHECK(file->records[0].time_unit == "us");
}

TEST_CASE("what is not a file of benchmarks is refused with the reason", "[bench][run_file]") {
  const tests::TempFolder folder;
  const auto refusal = [&folder](const char* text) {
    const Result<RunFile> file = ReadRunFile(folder.Write("bad.json", text));
    REQUIRE_FALSE(file.ok());
    CHECK(file.error().code == ErrorCode::kCorrupt);
    CHECK_THAT(file.error().message, ContainsSubstring("bad.json"));
    return file.error().message;
  };
  CHECK_THAT(refusal("{\"benchmarks\": ["), ContainsSubstring("byte"));
  CHECK_THAT(refusal(""), ContainsSubstring("JSON"));
  CHECK_THAT(refusal("[]"), ContainsSubstring("benchmarks"));
  CHECK_THAT(refusal("{\"benchmarks\": 1}"), ContainsSubstring("benchmarks"));
  CHECK_THAT(refusal(R"({"benchmarks": [{"name": 3, "real_time": 1}]})"), ContainsSubstring("0"));
  CHECK_THAT(refusal(R"({"benchmarks": [7]})"), ContainsSubstring("entry 0"));
  CHECK(ReadRunFile(folder.Path("none.json")).error().code == ErrorCode::kIo);
  CHECK(ReadRunFile(folder.Path("")).error().code == ErrorCode::kIo);
}

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

TEST_CASE("units are converted, and time per key is preferred to time per iteration",
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

TEST_CASE("a file that has only aggregates gives its median, or its mean", "[bench][run_compare]") {
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
