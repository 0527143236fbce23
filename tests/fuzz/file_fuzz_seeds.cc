// Writes the seeds of file_fuzz into the folder named on the command line: each sample's file and a
// script that changes nothing, and a file of each other type, of a filter under a digest key, and
// of one with metadata and a section of a later version.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/file_forge.h"
#include "support/sample_filters.h"
#include "support/scratch_folder.h"
#include "trommel/any_filter.h"
#include "trommel/column_map.h"

namespace {

// Saves a filter with a few keys. False if that fails.
template <class Filter, class Config>
bool SaveOne(const Config& config, const std::filesystem::path& path) {
  Filter filter = std::move(Filter::Create(config)).value();
  std::vector<uint64_t> keys(60);
  for (uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;
  filter.Insert(keys);
  if constexpr (std::is_same_v<Filter, trommel::WindowFilter>) {
    filter.Advance(70);
    filter.Insert(std::vector<uint64_t>(50, 7));  // a second bucket, with a side table
  }
  return filter.Save(path).ok();
}

bool SaveBytes(const std::filesystem::path& path, const trommel::tests::Bytes& bytes) {
  trommel::tests::WriteFile(path, bytes);
  return std::filesystem::file_size(path) == bytes.size();
}

// A filter that doubles which claims 2^20 blocks in each shard at first: 4 GB, of which the file
// has nothing. All checksums are right.
bool SaveForgedDoubling(const std::filesystem::path& path) {
  trommel::tests::ForgedFile file(
      trommel::ScalableFilter::Create({.mode = trommel::GrowthMode::kDoubling})->Serialize());
  const std::span numbers(file.Find("doubling").bytes);
  trommel::tests::Put(numbers, 0, uint32_t{20});
  trommel::tests::Put(numbers, 4, uint32_t{0});
  return SaveBytes(path, file.Build());
}

bool SaveWithOthers(const std::filesystem::path& path) {
  trommel::tests::ForgedFile file(trommel::tests::KeyedSample().Serialize());
  file.sections.insert(file.sections.begin(), {"metadata", 0, 0, trommel::tests::Bytes(20)});
  file.sections.push_back({"later", 1, 1, trommel::tests::Bytes(200)});
  file.sections.push_back({"later_pages", 0, 3, trommel::tests::Bytes(9)});
  return SaveBytes(path, file.Build());
}

bool SaveColumn(const std::filesystem::path& path) {
  trommel::ColumnMap map =
      trommel::ColumnMap::Create(
          {.capacity = 64, .num_columns = 1, .num_blocks = 64, .fingerprint_bits = 10})
          .value();
  if (!map.OpenColumn(0).ok()) return false;
  map.Insert(0, std::vector<uint64_t>{1, 2, 3, 3, 3, 4});
  return SaveBytes(path, map.SerializeColumn(0));
}

bool SaveAttributes(const std::filesystem::path& path) {
  const trommel::AttributeFilter filter = trommel::tests::AttributeSample();
  return filter.Save(path).ok();
}

bool SaveKeyed(const std::filesystem::path& path) {
  return trommel::tests::KeyedSample().Save(path).ok();
}

bool SaveFingerprints(trommel::Encoding encoding, const std::filesystem::path& folder) {
  const std::string name = std::string(trommel::EncodingName(encoding)) + ".trommel";
  return SaveOne<trommel::CountingFilter>(
      trommel::CountingConfig{.capacity = 20, .encoding = encoding}, folder / name);
}

bool SaveOtherTypes(const std::filesystem::path& folder) {
  return SaveFingerprints(trommel::Encoding::kFingerprints16, folder) &&
         SaveFingerprints(trommel::Encoding::kFingerprints8, folder) &&
         SaveOne<trommel::ScalableFilter>(
             trommel::ScalableConfig{.first_capacity = 20,
                                     .mode = trommel::GrowthMode::kGenerations},
             folder / "scalable.trommel") &&
         SaveOne<trommel::ScalableFilter>(
             trommel::ScalableConfig{.first_capacity = 20,
                                     .mode = trommel::GrowthMode::kGenerations,
                                     .encoding = trommel::Encoding::kFingerprints8},
             folder / "generations8.trommel") &&
         SaveOne<trommel::ScalableFilter>(
             trommel::ScalableConfig{.mode = trommel::GrowthMode::kDoubling},
             folder / "doubling.trommel") &&
         SaveForgedDoubling(folder / "doubling-forged.trommel") &&
         SaveOne<trommel::WindowFilter>(
             trommel::WindowConfig{.window = 100, .num_buckets = 2, .capacity = 50},
             folder / "window.trommel") &&
         SaveOne<trommel::WindowFilter>(
             trommel::WindowConfig{.window = 100, .num_buckets = 20, .capacity = 50},
             folder / "window-24.trommel") &&
         SaveAttributes(folder / "attribute.trommel") && SaveKeyed(folder / "keyed.trommel") &&
         SaveColumn(folder / "column.trommel") && SaveWithOthers(folder / "others.trommel");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: file_fuzz_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  char script = 0;
  for (const trommel::tests::Sample& sample : trommel::tests::SampleFilters()) {
    if (!sample.filter.Save(folder / (sample.name + ".trommel")).ok()) return 3;
    std::ofstream file(folder / (sample.name + ".script"), std::ios::binary);
    file.put(script++);
    if (!file.flush()) return 3;
  }
  return SaveOtherTypes(folder) ? 0 : 3;
}
