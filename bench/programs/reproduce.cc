// The reproductions of the sources' figures: one program per entry, which its name chooses. How to
// read the reports: README.md.
#include <algorithm>
#include <cstdio>
#include <iterator>
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

}  // namespace

int main(int argc, char** argv) {
  const std::string_view path = argv[0];
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const Program* const program = std::ranges::find(kPrograms, name, &Program::name);
  if (program != std::end(kPrograms)) return RunProgram({argv + 1, argv + argc}, *program);
  std::fputs("reproduce: has no reproduction of this name\n", stderr);
  return 2;
}
