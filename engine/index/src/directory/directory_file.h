// The file of a directory, as it was at a clean close:
//
//   magic "TRMLDIR1" | columns, each a snapshot with checksums of its own | contents | size of
//   contents | XXH64 of the contents | magic
//
// The contents come last, because the size of a column is known when it has been written. They name
// each column's attribute, its regions with their ranges and server, and where its bytes are; and
// the stamp, identity and sequence number, of each server's database. All numbers are
// little-endian.
#ifndef TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_DIRECTORY_FILE_H_
#define TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_DIRECTORY_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/directory/pair_structure.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// A column in a file.
struct SavedColumn {
  std::vector<Region> regions;  // one, or all of a server
  uint64_t offset = 0;
  uint64_t num_bytes = 0;
};

struct SavedAttribute {
  uint32_t attribute = 0;
  uint64_t pairs_per_region = 0;
  StructureShape shape;  // in the file only if the structure is kMap
  std::vector<SavedColumn> columns;
};

// The contents of a file, but for the columns' bytes.
struct DirectoryContents {
  Structure structure = Structure::kMap;
  double target_fpr = 0;
  DigestKind digest_kind = DigestKind::kXxh3;
  uint64_t digest_seed = 0;
  uint32_t num_attributes = 0;
  std::vector<StoreStamp> servers;
  std::vector<SavedAttribute> attributes;
};

inline constexpr char kDirectoryMagic[] = "TRMLDIR1";
inline constexpr size_t kDirectoryMagicBytes = 8;

std::string EncodeContents(const DirectoryContents& contents);
// Fails with kCorrupt for bytes that are not exactly what EncodeContents writes.
Result<DirectoryContents> DecodeContents(std::string_view bytes);

// Reads and checks everything but the columns' own bytes. Leaves `file` open for these.
Result<DirectoryContents> ReadContents(const std::filesystem::path& path, std::ifstream& file);
// The end of a file: what stands behind its columns.
std::string EncodeEnd(const DirectoryContents& contents);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_DIRECTORY_FILE_H_
