// Arguments and exit codes of the programs.
#include "bench/paper/report/program.h"

#include <fstream>
#include <iterator>

#include "bench/paper/report_checks.h"
#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel::paper {
namespace {

int RunMade(std::initializer_list<const char*> arguments, Report (*make_report)(const Options&)) {
  std::FILE* nowhere = std::tmpfile();
  REQUIRE(nowhere != nullptr);
  const int code =
      RunProgram({arguments.begin(), arguments.size()}, {"made", make_report}, nowhere, nowhere);
  std::fclose(nowhere);
  return code;
}

Report Good(const Options& /*options*/) { return MadeReport(); }

Report Contradicted(const Options& /*options*/) {
  Report report = MadeReport();
  report.tables[1].rows[1].measured = 0.02;
  return report;
}

TEST_CASE("tuples and triples are arguments of programs that take them only", "[paper]") {
  const char* const arguments[] = {"--tuples=20k", "--triples=a.tsv"};
  CHECK_FALSE(ParseOptions(arguments));
  const auto taken = ParseOptions(arguments, true);
  REQUIRE(taken);
  CHECK(taken->tuples == 20'000);
  CHECK(taken->triples == "a.tsv");
  for (const char* argument : {"--tuples=10", "--tuples=2G", "--tuples=x", "--triples="}) {
    INFO(argument);
    CHECK_FALSE(ParseOptions({&argument, 1}, true));
  }
}

TEST_CASE("only a contradicted model makes a reproduction fail", "[paper]") {
  CHECK(RunMade({}, Good) == 0);  // with slips and a claim that does not reproduce
  CHECK(RunMade({}, Contradicted) == 1);
  CHECK(RunMade({"--nothing"}, Good) == 2);
}

}  // namespace
}  // namespace trommel::paper
