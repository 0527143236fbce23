// The reproductions of the sources' figures: this file is compiled into one program per entry,
// named by TROMMEL_PROGRAM. How to read the reports: README.md.
#include <string_view>

#include "bench/paper/articles/articles.h"
#include "bench/paper/cbfm/cbfm.h"
#include "bench/paper/report/program.h"
#include "bench/paper/scbf/scbf.h"

namespace {

using namespace trommel::paper;

constexpr Program kPrograms[] = {
    {"reproduce_scbf", ScbfReport},       {"reproduce_course", CourseReport},
    {"reproduce_claims", ClaimsReport},   {"reproduce_chunk_index", ChunkIndexReport},
    {"reproduce_cbfm", CbfmReport, true}, {"hash_bench", HashReport}};

constexpr const Program& Named(std::string_view name) {
  const Program* program = kPrograms;
  while (program->name != name) ++program;
  return *program;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const Program& kProgram = Named(TROMMEL_PROGRAM);
  return RunProgram({argv + 1, argv + argc}, kProgram);
}
