// Writes the seeds of snapshot_fuzz into the folder named on the command line: each sample's
// snapshot, and a script that changes nothing.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/sample_filters.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: snapshot_fuzz_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  char script = 0;
  for (const trommel::tests::Sample& sample : trommel::tests::SampleFilters()) {
    if (!sample.filter.Save(folder / (sample.name + ".snapshot")).ok()) return 3;
    std::ofstream file(folder / (sample.name + ".script"), std::ios::binary);
    file.put(script++);
    if (!file.flush()) return 3;
  }
}
