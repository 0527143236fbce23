// Figure 8, on made triples.
#include "bench/paper/cbfm_triples.h"

#include <fstream>

#include "bench/paper/random_stream.h"
#include "bench/paper/report_checks.h"
#include "support/scratch_folder.h"

namespace trommel::paper {
namespace {

TEST_CASE("recorded triples are asked for after those that came before them", "[paper][cbfm]") {
  const tests::ScratchFolder folder;
  const std::string path = (folder / "triples.tsv").string();
  {
    std::ofstream file(path);
    file << "src_ip\tdst_ip\tdomain\n";
    RandomStream random(1, 1);
    for (int i = 0; i < 4000; ++i) {
      file << "s" << random.Below(60) << "\td" << random.Below(40) << "\tn" << random.Below(300)
           << "\n";
    }
  }
  Report report;
  CbfmTriples({.seed = 1, .quick = true, .triples = path}, report);
  REQUIRE(report.tables.size() == 2);
  REQUIRE(report.charts.size() == 2);
  CheckNothingContradicts(report);
  const Chart& pair = report.charts[1];
  const auto line = [&](std::string_view name) {
    for (const Line& one : pair.lines) {
      if (one.name == name) return one.y;
    }
    return std::vector<double>();
  };
  const std::vector<double> cbfm = line("CBFM, two cuts");
  const std::vector<double> mdbf = line("MDBF");
  REQUIRE(cbfm.size() == pair.x.size());
  CHECK(cbfm.back() < 0.01);  // with memory, only what hashes do
  CHECK(mdbf.back() > 0.99);  // every value is in: combinations
  CHECK(line("BFM")[1] > cbfm[1]);
  CHECK(line("AttributeFilter, no cuts").back() < 0.01);
}

TEST_CASE("without a file of triples there are no tables of them", "[paper][cbfm]") {
  Report report;
  CbfmTriples({}, report);
  CHECK(report.tables.empty());
}

}  // namespace
}  // namespace trommel::paper
