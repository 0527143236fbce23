// What the programs have in common: their arguments, where the report goes, and the exit code.
#ifndef TROMMEL_BENCH_PAPER_PROGRAM_H_
#define TROMMEL_BENCH_PAPER_PROGRAM_H_

#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "bench/paper/comparison.h"

namespace trommel::paper {

struct Options {
  uint64_t seed = 1;
  bool quick = false;  // sizes for a test run; verdicts are the same but for noise in times
  std::string json = {};
  std::string svg = {};
  // Of programs that take them:
  uint64_t tuples = 0;       // to insert where the source inserts its millions; 0: as many as it
  std::string triples = {};  // a file of recorded triples; empty: tables of them are left out
};

// Nothing if an argument is unknown or a value is missing.
std::optional<Options> ParseOptions(std::span<const char* const> arguments,
                                    bool takes_tuples = false);

// Makes the report, prints it to `out`, and writes the files asked for. The exit code: 0, 1 if a
// measurement contradicts the exact model (a source that is wrong is no failure), 2 wrong usage, 3
// a file could not be written.
int RunProgram(std::span<const char* const> arguments, const char* name,
               Report (*make_report)(const Options&), std::FILE* out = stdout,
               std::FILE* err = stderr, bool takes_tuples = false);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_PROGRAM_H_
