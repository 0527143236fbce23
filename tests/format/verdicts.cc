// What the library makes of files, for compare.py: reads files from stdin, each behind its size as
// a u32, and prints a line for each of them: "ok" and the checksum of the bytes that it saves
// again, or "corrupt", "version", "mismatch" or "other" and the error.
//
// verdicts --samples FOLDER writes a column of a map and the directory of an index, of which forged
// files can be read.
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/disk/checksum.h"
#include "support/scratch_folder.h"
#include "trommel/any_filter.h"
#include "trommel/column_map.h"
#include "trommel/index/server_index.h"

namespace trommel {
namespace {

using Bytes = std::vector<std::byte>;

constexpr size_t kTypeAt = 16;
constexpr uint32_t kColumn = 7;
constexpr uint32_t kDirectory = 8;

// A map of 64 blocks and 10 bits.
ColumnMap MakeMap() {
  return std::move(
             ColumnMap::Create(
                 {.capacity = 64, .num_columns = 1, .num_blocks = 64, .fingerprint_bits = 10}))
      .value();
}

// Two regions on two servers.
index::ServerIndex MakeIndex() {
  const std::vector<std::string> splits = {"m"};
  auto index =
      std::move(index::ServerIndex::Create({.attributes = {index::AttributeState::kIndexed}},
                                           std::move(index::RegionTable::Split(splits, 2)).value()))
          .value();
  return index;
}

std::vector<index::StoreStamp> Stamps() { return {{"a mark", 5}, {"another", 1'000'000}}; }

Bytes ReadFile(const std::filesystem::path& path) { return tests::ReadFile(path); }

Result<Bytes> ReadColumn(const Bytes& bytes) {
  ColumnMap map = MakeMap();
  if (Status status = map.LoadColumn(0, bytes); !status.ok()) return status.error();
  return map.SerializeColumn(0);
}

Result<Bytes> ReadDirectory(const Bytes& bytes) {
  const tests::ScratchFolder folder;
  const std::filesystem::path path = folder / "directory";
  tests::WriteFile(path, bytes);
  index::ServerIndex index = MakeIndex();
  const Result<size_t> num_columns = index.LoadColumns(path, Stamps());
  if (!num_columns.ok()) return num_columns.error();
  if (*num_columns != 2) return Error{ErrorCode::kMismatch, "columns of other regions"};
  if (Status status = index.Save(path, Stamps()); !status.ok()) return status.error();
  return ReadFile(path);
}

Result<Bytes> ReadFilter(const Bytes& bytes) {
  const Result<AnyFilterPtr> filter = AnyFilter::Deserialize(bytes);
  if (!filter.ok()) return filter.error();
  return (*filter)->Serialize();
}

Result<Bytes> Read(const Bytes& bytes) {
  uint32_t type = 0;
  if (bytes.size() >= kTypeAt + sizeof(type)) {
    std::memcpy(&type, bytes.data() + kTypeAt, sizeof(type));
  }
  if (type == kColumn) return ReadColumn(bytes);
  return type == kDirectory ? ReadDirectory(bytes) : ReadFilter(bytes);
}

void Print(const Result<Bytes>& read) {
  if (read.ok()) {
    std::printf("ok %016" PRIx64 "\n", Checksum::Of(*read));
  } else {
    const ErrorCode code = read.error().code;
    const char* name = code == ErrorCode::kCorrupt    ? "corrupt"
                       : code == ErrorCode::kVersion  ? "version"
                       : code == ErrorCode::kMismatch ? "mismatch"
                                                      : "other";
    std::printf("%s %s\n", name, read.error().message.c_str());
  }
  std::fflush(stdout);
}

int WriteSamples(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  ColumnMap map = MakeMap();
  std::vector<uint64_t> keys(300);
  for (uint64_t i = 0; i < keys.size(); ++i) keys[i] = i / 2;  // two copies of each
  keys.push_back(1'000);
  if (!map.OpenColumn(0).ok()) return 1;
  map.Insert(0, keys);
  tests::WriteFile(folder / "column.trommel", map.SerializeColumn(0));

  index::ServerIndex index = MakeIndex();
  if (!index.Resize(0, 64).ok()) return 1;
  for (uint32_t id = 0; id < 2; ++id) {
    index.FinishBuild({id, 0});
    for (uint64_t i = 0; i < 20; ++i) index.GainPair({id, 0}, std::to_string(i + 7 * id));
  }
  return index.Save(folder / "directory.trommel", Stamps()).ok() ? 0 : 1;
}

int Main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--samples") == 0) return WriteSamples(argv[2]);
  for (uint32_t size = 0; std::fread(&size, sizeof(size), 1, stdin) == 1;) {
    Bytes bytes(size);
    if (std::fread(bytes.data(), 1, size, stdin) != size) return 1;
    Print(Read(bytes));
  }
  return 0;
}

}  // namespace
}  // namespace trommel

int main(int argc, char** argv) { return trommel::Main(argc, argv); }
