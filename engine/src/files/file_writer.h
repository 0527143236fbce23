// FileWriter: a file of any type, section by section in the order of its table, in one pass. Errors
// of the sink are kept, and end in Finish: a type's WriteTo lists its sections.
#ifndef TROMMEL_ENGINE_SRC_FILES_FILE_WRITER_H_
#define TROMMEL_ENGINE_SRC_FILES_FILE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/files/file_format.h"
#include "engine/src/files/section_tables.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

class FileWriter {
 public:
  // The sink and the metadata must outlive the writer.
  FileWriter(ByteSink& sink, std::span<const std::byte> metadata)
      : sink_(sink), metadata_(metadata) {}

  // What WriteTo does first: the file's type, the digests of its keys, and about how many bytes
  // will come.
  void Begin(FileType type, const DigestPolicy& policy, uint64_t about_bytes);

  // A whole section; none if there are no bytes.
  void Add(const SectionRow& row, uint32_t store, std::span<const std::byte> bytes) {
    BeginSection(row, store);
    Append(bytes);
    EndSection();
  }
  // The same in pieces.
  void BeginSection(const SectionRow& row, uint32_t store);
  void Append(std::span<const std::byte> bytes);
  void EndSection();

  bool ok() const { return status_.ok(); }
  // Writes the directory, and then the header: no half-written file has one. Fails with
  // kInvalidArgument for metadata that are too long, and as the sink does.
  Status Finish();

 private:
  void AppendZeros(uint64_t num_bytes);
  // Small pieces are gathered: a sink may take a system call for each.
  void Flush();

  Checksum sum_;  // first: it is aligned to a cache line
  ByteSink& sink_;
  std::span<const std::byte> metadata_;
  Status status_ = Ok();
  FileHeader header_{};
  std::vector<SectionRecord> directory_;
  uint64_t end_ = 0;
  SectionRecord section_{};  // the one that is being written
  std::vector<std::byte> gathered_;
  size_t last_rank_ = 0;
};

// Fails with kInvalidArgument for more than kMaxMetadataBytes.
Status CheckMetadata(std::span<const std::byte> metadata);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FILES_FILE_WRITER_H_
