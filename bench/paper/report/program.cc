#include "bench/paper/report/program.h"

#include <cstdio>
#include <fstream>
#include <vector>

#include "bench/paper/report/report.h"
#include "bench/text/arguments.h"

namespace trommel::paper {
namespace {

constexpr char kUsage[] =
    "usage: %s [--quick] [--seed=1] [--html=FILE]\n"
    "  --quick  small sizes, a few seconds\n"
    "  --seed   of all random keys\n"
    "  --html   also write a page with charts there\n";
constexpr char kTuplesUsage[] =
    "  --tuples=10M    where the source inserts that many; memory is scaled accordingly\n"
    "  --triples=FILE  recorded triples, tab separated: README.md\n";
constexpr uint64_t kFewestTuples = 1000;
constexpr uint64_t kMostTuples = 1'000'000'000;

}  // namespace

std::optional<Options> ParseOptions(std::span<const char* const> arguments, bool takes_tuples) {
  Options options;
  std::vector<bench::Argument> known = {bench::FlagArgument("--quick", options.quick),
                                        bench::CountArgument("--seed", options.seed),
                                        bench::TextArgument("--html", options.html)};
  if (takes_tuples) {
    known.push_back(bench::CountArgument("--tuples", options.tuples, kMostTuples));
    known.push_back(bench::TextArgument("--triples", options.triples));
  }
  if (!bench::TakeArguments(arguments, known)) return std::nullopt;
  if (options.tuples != 0 && options.tuples < kFewestTuples) return std::nullopt;
  return options;
}

int RunProgram(std::span<const char* const> arguments, const Program& program, std::FILE* out,
               std::FILE* err) {
  const std::optional<Options> options = ParseOptions(arguments, program.takes_tuples);
  if (!options) {
    std::fprintf(err, kUsage, program.name);
    if (program.takes_tuples) std::fputs(kTuplesUsage, err);
    return 2;
  }
  const Report report = program.make_report(*options);
  std::fputs(ReportText(report).c_str(), out);
  if (!options->html.empty()) {
    std::string command = program.name;
    for (const char* argument : arguments) command += std::string(" ") + argument;
    std::ofstream file(options->html);
    file << ReportHtml(report, command);
    if (!file.flush()) {
      std::fprintf(err, "%s: cannot write %s\n", program.name, options->html.c_str());
      return 3;
    }
  }
  return IsContradicted(report) ? 1 : 0;
}

}  // namespace trommel::paper
