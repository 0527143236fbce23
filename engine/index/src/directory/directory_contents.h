// What the file of a directory says beside its columns' bytes, and the bytes of its section
// `contents`: numbers little-endian, texts and lists behind their sizes
// (engine/docs/INDEX_FILES.md).
#ifndef TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_DIRECTORY_CONTENTS_H_
#define TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_DIRECTORY_CONTENTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/directory/pair_structure.h"
#include "engine/src/files/file_format.h"
#include "trommel/digest.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// A column in a file.
struct SavedColumn {
  std::vector<Region> regions;  // one, or all of a server
  SectionRecord bytes{};        // where they are
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

// Without the digest policy, which is in the header, and the places of the columns.
std::string EncodeContents(const DirectoryContents& contents);
// Fails with kCorrupt.
Result<DirectoryContents> DecodeContents(std::string_view bytes);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_DIRECTORY_CONTENTS_H_
