// Writes the seeds of snapshot_fuzz into the folder named on the command line: each sample's
// snapshot and a script that changes nothing, and a snapshot of each other type and of a filter
// under a digest key.
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

#include "support/reseal.h"
#include "support/sample_filters.h"
#include "support/snapshot_forge.h"
#include "trommel/any_filter.h"

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

// A filter that doubles whose header claims 2^26 blocks at first: 4 GB, of which the file has
// nothing. All checksums are right.
bool SaveForgedDoubling(const std::filesystem::path& path) {
  trommel::tests::Bytes bytes =
      trommel::ScalableFilter::Create({.mode = trommel::GrowthMode::kDoubling})->Serialize();
  trommel::tests::Put(bytes, offsetof(trommel::DoublingHeader, first_bits), uint32_t{20});
  trommel::tests::Put(bytes, offsetof(trommel::DoublingHeader, most_doublings), uint32_t{0});
  trommel::tests::ResealAny(bytes);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(file.flush());
}

bool SaveAttributes(const std::filesystem::path& path) {
  const trommel::AttributeFilter filter = trommel::tests::AttributeSample();
  return filter.Save(path).ok();
}

bool SaveKeyed(const std::filesystem::path& path) {
  return trommel::tests::KeyedSample().Save(path).ok();
}

bool SaveFingerprints(trommel::Encoding encoding, const std::filesystem::path& folder) {
  const std::string name = std::string(trommel::EncodingName(encoding)) + ".snapshot";
  return SaveOne<trommel::CountingFilter>(
      trommel::CountingConfig{.capacity = 20, .encoding = encoding}, folder / name);
}

bool SaveOtherTypes(const std::filesystem::path& folder) {
  return SaveFingerprints(trommel::Encoding::kFingerprints16, folder) &&
         SaveFingerprints(trommel::Encoding::kFingerprints8, folder) &&
         SaveOne<trommel::ScalableFilter>(
             trommel::ScalableConfig{.first_capacity = 20,
                                     .mode = trommel::GrowthMode::kGenerations},
             folder / "scalable.snapshot") &&
         SaveOne<trommel::ScalableFilter>(
             trommel::ScalableConfig{.first_capacity = 20,
                                     .mode = trommel::GrowthMode::kGenerations,
                                     .encoding = trommel::Encoding::kFingerprints8},
             folder / "generations8.snapshot") &&
         SaveOne<trommel::ScalableFilter>(
             trommel::ScalableConfig{.mode = trommel::GrowthMode::kDoubling},
             folder / "doubling.snapshot") &&
         SaveForgedDoubling(folder / "doubling-forged.snapshot") &&
         SaveOne<trommel::WindowFilter>(
             trommel::WindowConfig{.window = 100, .num_buckets = 2, .capacity = 50},
             folder / "window.snapshot") &&
         SaveOne<trommel::WindowFilter>(
             trommel::WindowConfig{.window = 100, .num_buckets = 20, .capacity = 50},
             folder / "window-24.snapshot") &&
         SaveAttributes(folder / "attribute.snapshot") && SaveKeyed(folder / "keyed.snapshot");
}

}  // namespace

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
  return SaveOtherTypes(folder) ? 0 : 3;
}
