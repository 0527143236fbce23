// The file of a directory: what is used after a restart, and what is not.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "index/support/directories.h"
#include "support/catch.h"
#include "support/file_forge.h"
#include "support/scratch_folder.h"
#include "trommel/index/server_index.h"

namespace trommel::index::tests {
namespace {

using trommel::tests::ScratchFolder;

std::vector<StoreStamp> Stamps() { return {{"one", 17}, {"two", 99}}; }

ServerIndex Filled(Structure structure) {
  ServerIndex index = MakeBuilt(structure, 4, 2, 50);
  for (uint32_t id = 0; id < 4; ++id) {
    index.GainPair({id, 0}, "all");
    index.GainPair({id, 0}, "only " + std::to_string(id));
  }
  return index;
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteAll(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_CASE("a directory comes back as it was saved", "[index][server_index_files]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    const ScratchFolder folder;
    const std::filesystem::path path = folder.path() / "directory";
    const ServerIndex saved = Filled(structure);
    REQUIRE(saved.Save(path, Stamps()));

    ServerIndex loaded = MakeDirectory(structure, 4, 2);
    REQUIRE(*loaded.LoadColumns(path, Stamps()) == 4);
    CHECK(loaded.ColumnsToBuild().empty());
    CHECK(CandidatesOf(loaded, 0, "all") == Positions{0, 1, 2, 3});
    CHECK(CandidatesOf(loaded, 0, "only 2") == CandidatesOf(saved, 0, "only 2"));
    CHECK(CandidatesOf(loaded, 0, "none").empty());
    CHECK(loaded.GetStats().attributes[0].num_pairs == 8);
    for (uint32_t id = 0; id < 4; ++id) loaded.LosePair({id, 0}, "all");
    CHECK(CandidatesOf(loaded, 0, "all").empty());
  }
}

TEST_CASE("columns of a server whose database differs are not used",
          "[index][server_index_files]") {
  for (const Structure structure : kStructures) {
    const ScratchFolder folder;
    const std::filesystem::path path = folder.path() / "directory";
    REQUIRE(Filled(structure).Save(path, Stamps()));
    for (const StoreStamp& other : {StoreStamp{"two", 98}, StoreStamp{"2", 99}}) {
      CAPTURE(StructureName(structure), other.identity, other.sequence);
      ServerIndex loaded = MakeDirectory(structure, 4, 2);
      CHECK(*loaded.LoadColumns(path, std::vector<StoreStamp>{{"one", 17}, other}) == 2);
      CHECK(CandidatesOf(loaded, 0, "none") == Positions{2, 3});
      CHECK(loaded.ColumnsToBuild() == std::vector<ColumnName>{{2, 0}, {3, 0}});
    }
  }
}

TEST_CASE("two databases that did not say what they are are not the same",
          "[index][server_index_files]") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "directory";
  const std::vector<StoreStamp> stamps = {{"one", 17}, {}};
  REQUIRE(Filled(Structure::kMap).Save(path, stamps));
  ServerIndex loaded = MakeDirectory(Structure::kMap, 4, 2);
  CHECK(*loaded.LoadColumns(path, stamps) == 2);
}

TEST_CASE("columns belong to regions, not to positions", "[index][server_index_files]") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "directory";
  REQUIRE(Filled(Structure::kMap).Save(path, Stamps()));
  // Region 1 is gone: split into 10 and 11. Region 3 is another range under an old id.
  const RegionTable table = EvenTable(4, 2);
  std::vector<Region> regions(table.regions().begin(), table.regions().end());
  regions[1] = {10, {regions[1].range.begin, "0000015"}, 0};
  regions.insert(regions.begin() + 2, Region{11, {"0000015", regions[2].range.begin}, 0});
  regions[3].range.end = "0000025";
  regions[4].range.begin = "0000025";
  ServerIndex loaded =
      *ServerIndex::Create({.attributes = {AttributeState::kIndexed}, .target_fpr = 0.001},
                           *RegionTable::Create(regions));
  CHECK(*loaded.LoadColumns(path, Stamps()) == 1);
  CHECK(CandidatesOf(loaded, 0, "none") == Positions{1, 2, 3, 4});
}

TEST_CASE("unbuilt columns are not saved", "[index][server_index_files]") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "directory";
  ServerIndex index = Filled(Structure::kMap);
  const ColumnName marked{2, 0};
  index.MarkUnbuilt({&marked, 1});
  REQUIRE(index.Save(path, Stamps()));
  ServerIndex loaded = MakeDirectory(Structure::kMap, 4, 2);
  CHECK(*loaded.LoadColumns(path, Stamps()) == 3);
  CHECK(CandidatesOf(loaded, 0, "none") == Positions{2});
}

TEST_CASE("a structure that grows is saved as queries see it", "[index][server_index_files]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    const ScratchFolder folder;
    const std::filesystem::path path = folder.path() / "directory";
    ServerIndex index = Filled(structure);
    REQUIRE(index.Resize(0, 100));
    index.FinishBuild({0, 0});  // of the successor, without its pairs
    REQUIRE(index.Save(path, Stamps()));
    ServerIndex loaded = MakeDirectory(structure, 4, 2);
    REQUIRE(*loaded.LoadColumns(path, Stamps()) == 4);
    CHECK(loaded.GetStats().attributes[0].pairs_per_region == 50);
    CHECK(CandidatesOf(loaded, 0, "all") == Positions{0, 1, 2, 3});
    // Into a directory that grows: nothing of either of its structures stays.
    REQUIRE(*index.LoadColumns(path, Stamps()) == 4);
    CHECK_FALSE(index.GetStats().attributes[0].is_growing);
    CHECK(index.GetStats().attributes[0].num_pairs == 8);

    REQUIRE(index.Resize(0, 100));
    for (uint32_t id = 0; id < 4; ++id) {
      const std::vector<std::string> values = {"all", "only " + std::to_string(id)};
      REQUIRE(index.AdvanceBuild({id, 0}, index.GetBuildState({id, 0}).column_id, values,
                                 std::nullopt));
    }
    REQUIRE(index.Save(path, Stamps()));
    REQUIRE(*loaded.LoadColumns(path, Stamps()) == 4);
    CHECK(loaded.GetStats().attributes[0].pairs_per_region == 100);
    CHECK(loaded.GetStats().attributes[0].num_pairs == 8);
    CHECK(CandidatesOf(loaded, 0, "all") == Positions{0, 1, 2, 3});
  }
}

TEST_CASE("a file that is damaged never makes a region disappear", "[index][server_index_files]") {
  for (const Structure structure : kStructures) {
    const ScratchFolder folder;
    const std::filesystem::path path = folder.path() / "directory";
    REQUIRE(Filled(structure).Save(path, Stamps()));
    const std::string bytes = ReadAll(path);
    const auto check = [&](const std::string& damaged) {
      WriteAll(path, damaged);
      ServerIndex loaded = MakeDirectory(structure, 4, 2);
      const Result<size_t> num_loaded = loaded.LoadColumns(path, Stamps());
      REQUIRE((!num_loaded || *num_loaded < 4));
      REQUIRE(CandidatesOf(loaded, 0, "all") == Positions{0, 1, 2, 3});
      for (uint32_t id = 0; id < 4; ++id) {
        const Positions found = CandidatesOf(loaded, 0, "only " + std::to_string(id));
        REQUIRE(std::find(found.begin(), found.end(), id) != found.end());
      }
    };
    const size_t step = bytes.size() / 150 + 1;
    for (size_t size = 0; size < bytes.size(); size += step) check(bytes.substr(0, size));
    // A flipped bit is found by the checksum of its column or of the contents. (Bytes that no
    // checksum covers would be found here.)
    for (size_t i = 0; i < bytes.size(); i += step) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << i % 8);
      check(damaged);
    }
  }
}

// The file as a container, changed, with all places and checksums right.
trommel::tests::FileForge ForgeOf(const std::string& file) {
  const auto bytes = std::as_bytes(std::span(file));
  return trommel::tests::FileForge({bytes.begin(), bytes.end()});
}

std::string SealedText(const trommel::tests::FileForge& forge) {
  const std::vector<std::byte> bytes = forge.Seal();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string WithNumber(const std::string& file, size_t at, uint64_t value) {
  trommel::tests::FileForge forge = ForgeOf(file);
  trommel::tests::Put(forge.At("contents").bytes, at, value);
  return SealedText(forge);
}

TEST_CASE("a forged number of a directory's file takes no memory that its columns do not",
          "[index][server_index_files][long]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    const ScratchFolder folder;
    const std::filesystem::path path = folder.path() / "directory";
    REQUIRE(Filled(structure).Save(path, Stamps()));
    const std::string honest = ReadAll(path);
    const size_t num_bytes = ForgeOf(honest).At("contents").bytes.size();
    // Every number at every place: strings' lengths, counts, capacity.
    for (size_t at = 0; at + 8 <= num_bytes; ++at) {
      for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 20, uint64_t{1} << 32,
                                   uint64_t{1} << 40, uint64_t{1} << 62, ~uint64_t{0}}) {
        WriteAll(path, WithNumber(honest, at, value));
        ServerIndex loaded =
            *ServerIndex::Create({.attributes = {AttributeState::kIndexed},
                                  .structure = structure,
                                  .target_fpr = 0.001,
                                  .num_servers = structure == Structure::kServerFilters ? 2U : 0U,
                                  .memory_limit_bytes = 100'000'000},
                                 EvenTable(4, 2));
        (void)loaded.LoadColumns(path, Stamps());
        // The blocks of a map are not in the file: its limit alone holds for them.
        const uint64_t most = structure == Structure::kMap ? 100'000'000 : 64 * honest.size();
        for (const AttributeStats& attribute : loaded.GetStats().attributes) {
          CAPTURE(at, value);
          REQUIRE(attribute.num_bytes <= most);
        }
      }
    }
  }
}

TEST_CASE("a directory's file has the columns that its contents name, one behind the other",
          "[index][server_index_files]") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "directory";
  REQUIRE(Filled(Structure::kMap).Save(path, Stamps()));
  const std::string honest = ReadAll(path);
  REQUIRE(SealedText(ForgeOf(honest)) == honest);
  ServerIndex loaded = MakeDirectory(Structure::kMap, 4, 2);
  const auto refused = [&](const std::string& file, ErrorCode code = ErrorCode::kCorrupt) {
    WriteAll(path, file);
    const Result<size_t> result = loaded.LoadColumns(path, Stamps());
    REQUIRE_FALSE(result);
    CHECK(result.error().code == code);
    return result.error().message;
  };
  using Catch::Matchers::ContainsSubstring;
  trommel::tests::FileForge forge = ForgeOf(honest);
  forge.sections.pop_back();
  CHECK_THAT(refused(SealedText(forge)), ContainsSubstring("a column has no bytes"));
  forge = ForgeOf(honest);
  forge.Insert(forge.sections.size(), "file", 5, 0, {std::byte{1}});
  CHECK_THAT(refused(SealedText(forge)), ContainsSubstring("more columns than the contents name"));
  forge = ForgeOf(honest);
  std::swap(forge.sections[1], forge.sections[2]);
  CHECK_THAT(refused(SealedText(forge)), ContainsSubstring("is not behind the one before"));
  forge = ForgeOf(honest);  // what a terminal would show
  forge.sections[1].record.name[0] = '\n';
  CHECK_THAT(refused(SealedText(forge)), ContainsSubstring("other characters than a-z"));
  forge = ForgeOf(honest);
  forge.header.digest_kind = 4;
  CHECK_THAT(refused(SealedText(forge), ErrorCode::kVersion),
             ContainsSubstring("the digest kind is 4"));
  forge = ForgeOf(honest);  // transposed columns, which are gone
  trommel::tests::Put(forge.At("contents").bytes, 0, 0U);
  CHECK_THAT(refused(SealedText(forge)), ContainsSubstring("contents of the directory's file"));
  // A bit in the padding behind the contents.
  std::string padded = honest;
  const auto contents = ForgeOf(honest).At("contents").record;
  if (const uint64_t end = contents.offset + contents.num_bytes; end % 64 != 0) padded[end] = 1;
  CHECK_FALSE(refused(padded).empty());
  WriteAll(path, honest);
  CHECK(*loaded.LoadColumns(path, Stamps()) == 4);
}

TEST_CASE("a directory's file says why it is not used", "[index][server_index_files]") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "directory";
  ServerIndex index = Filled(Structure::kMap);
  CHECK(index.LoadColumns(path, Stamps()).error().code == ErrorCode::kIo);
  CHECK(index.Save(folder.path() / "no" / "folder", Stamps()).error().code == ErrorCode::kIo);
  CHECK(index.Save(path, std::vector<StoreStamp>{{"one", 1}}).error().code ==
        ErrorCode::kInvalidArgument);
  REQUIRE(index.Save(path, Stamps()));
  ServerIndex other = MakeDirectory(Structure::kServerFilters, 4, 2);
  CHECK(other.LoadColumns(path, Stamps()).error().code == ErrorCode::kMismatch);
  std::string bytes = ReadAll(path);
  bytes[8] = 2;
  WriteAll(path, bytes);
  CHECK(index.LoadColumns(path, Stamps()).error().code == ErrorCode::kVersion);
  WriteAll(path, "something else");
  CHECK(index.LoadColumns(path, Stamps()).error().code == ErrorCode::kCorrupt);
  CHECK(CandidatesOf(index, 0, "all").size() == 4);  // as before
}

}  // namespace
}  // namespace trommel::index::tests
