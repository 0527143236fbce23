// Writes the seeds of file_fuzz into the folder named on the command line: each file of EveryFile
// and a script that changes nothing, a file under a digest key, and one of a filter that grows
// whose numbers claim 2^20 blocks at first, of which the file has nothing.
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/digest_keys.h"
#include "support/every_file.h"

namespace {

using trommel::tests::Bytes;

bool Save(const Bytes& bytes, const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(file.flush());
}

Bytes ForgedGrowing() {
  trommel::tests::FileForge forge(trommel::ScalableFilter::Create({})->Serialize());
  // A first size of 2^29 keys.
  trommel::tests::Put(forge.At("growing").bytes, 8, uint64_t{1} << 29);
  return forge.Seal();
}

Bytes KeyedFilter() {
  namespace tests = trommel::tests;
  auto filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 3}, tests::KeyedPolicy());
  filter.Insert("alice@example.org");
  return filter.Serialize();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: file_fuzz_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  bool is_saved = Save(ForgedGrowing(), folder / "doubling-forged.trommel") &&
                  Save(KeyedFilter(), folder / "keyed.trommel");
  size_t number = 0;
  for (const trommel::tests::NamedFile& file : trommel::tests::EveryFile()) {
    const std::string name = std::to_string(number);
    is_saved = is_saved && Save(file.bytes, folder / (name + ".trommel")) &&
               Save({static_cast<std::byte>(number++)}, folder / (name + ".script"));
  }
  return is_saved ? 0 : 3;
}
