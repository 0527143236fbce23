// What the programs share: their arguments, where the report goes, and the exit code.
#ifndef TROMMEL_BENCH_PAPER_REPORT_PROGRAM_H_
#define TROMMEL_BENCH_PAPER_REPORT_PROGRAM_H_

#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "bench/paper/report/report.h"

namespace trommel::paper {

struct Options {
  uint64_t seed = 1;
  bool quick = false;  // sizes for a test run; verdicts are the same except for noise in times
  std::string html = {};
  // Of programs that take them:
  uint64_t tuples = 0;       // to insert where the source inserts its millions; 0: as many as it
  std::string triples = {};  // a file of recorded triples; empty: tables of them are left out
};

// Nothing if an argument is unknown or a value is missing.
std::optional<Options> ParseOptions(std::span<const char* const> arguments,
                                    bool takes_tuples = false);

struct Program {
  const char* name;
  Report (*make_report)(const Options&);
  bool takes_tuples = false;
};

// Makes the report, prints it to `out`, and writes the page if one is requested. Returns the exit
// code: 0; 1 if a measurement contradicts the exact model (a source that is wrong is no failure); 2
// for wrong usage; 3 if the page could not be written.
int RunProgram(std::span<const char* const> arguments, const Program& program,
               std::FILE* out = stdout, std::FILE* err = stderr);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_REPORT_PROGRAM_H_
