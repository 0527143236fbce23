// The file of a directory, as it was at a clean close: the container of all files
// (engine/src/files/file_format.h), of which this library has the structs alone. The section
// `contents` names each column's attribute, its regions with their ranges and server, and the
// stamp, identity and sequence number, of each server's database; column i is the section `file` of
// store i + 1, a file of its own type. All numbers are little-endian.
#ifndef TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_DIRECTORY_FILE_H_
#define TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_DIRECTORY_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <vector>

#include "engine/index/src/directory/directory_contents.h"
#include "engine/src/files/file_format.h"
#include "trommel/result.h"

namespace trommel::index {

// Writes a file: first the contents, whose columns are then written in their order.
class DirectoryWriter {
 public:
  DirectoryWriter(const std::filesystem::path& path, const DirectoryContents& contents);

  void AppendColumn(std::span<const std::byte> bytes);
  // Returns whether all was written.
  bool Finish();

 private:
  void AppendSection(std::string_view name, uint32_t store, std::string_view bytes);
  void Pad();

  std::ofstream file_;
  FileHeader header_{};
  std::vector<SectionRecord> directory_;
  uint64_t end_ = 0;
};

// Reads and checks everything but the columns' own bytes. Leaves `file` open for these. Fails with
// kCorrupt, naming what is wrong, kVersion and kIo.
Result<DirectoryContents> ReadContents(const std::filesystem::path& path, std::ifstream& file);
// The bytes of a column of these contents; none if they cannot be read or do not match their
// checksum.
std::vector<std::byte> ReadColumn(const SavedColumn& column, std::ifstream& file);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_DIRECTORY_FILE_H_
