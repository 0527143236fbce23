// FileReader: an untrusted file whose header and directory have been read, once, and believed as
// far as checksums and places go. A type's ReadFrom takes its sections by name; what it does not
// take, the file may not have.
#ifndef TROMMEL_ENGINE_SRC_FILES_FILE_READER_H_
#define TROMMEL_ENGINE_SRC_FILES_FILE_READER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/src/disk/byte_source.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/files/file_format.h"
#include "engine/src/files/section_tables.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

// A section of a file, or that it has none of this name.
class FileSection {
 public:
  FileSection(const ByteSource& source, const SectionRecord& record)
      : source_(&source), record_(record) {}

  uint64_t num_bytes() const { return record_.num_bytes; }
  const SectionRecord& record() const { return record_; }
  const ByteSource& source() const { return *source_; }

  // "corrupt file at byte 4160: section 'blocks' of store 1: ...", `at` bytes into the section.
  Error CorruptAt(uint64_t at, std::string_view what) const;
  // The section has so many bytes, none if that is 0.
  Status CheckBytes(uint64_t wanted) const;
  // The whole section, and whether its checksum holds. Requires as many bytes.
  Status ReadInto(std::span<std::byte> into) const;
  // So many numbers or structs from the section's beginning on; what is behind them is for others.
  template <class T>
  Result<std::vector<T>> ReadAll() const {
    std::vector<T> all(num_bytes() / sizeof(T));
    if (Status whole = CheckBytes(all.size() * sizeof(T)); !whole.ok()) return whole.error();
    Status read = ReadInto(std::as_writable_bytes(std::span(all)));
    if (!read.ok()) return read.error();
    return all;
  }
  // One struct.
  template <class T>
  Result<T> ReadAs() const {
    T value{};
    if (Status whole = CheckBytes(sizeof(T)); !whole.ok()) return whole.error();
    Status read = ReadInto(std::as_writable_bytes(std::span(&value, 1)));
    if (!read.ok()) return read.error();
    return value;
  }
  // Whether the checksum holds, read in pieces.
  Status CheckSum() const;
  Status CheckSum(uint64_t checksum) const;

 private:
  std::string Name() const;

  const ByteSource* source_;
  SectionRecord record_;
};

// A section's bytes in order, for entries of any size. A file may be read only once, so what is
// taken is not known to be right before End; but Fail says rather that the checksum does not hold.
class SectionStream {
 public:
  explicit SectionStream(const FileSection& section) : section_(section) {}

  uint64_t at() const { return at_; }
  uint64_t left() const { return section_.num_bytes() - at_; }
  // Takes bytes; fails if there are too few left.
  Status Read(std::span<std::byte> into);
  template <class T>
  Status Read(T& value) {
    return Read(std::as_writable_bytes(std::span(&value, 1)));
  }
  // At the section's end: does the checksum hold?
  Status End() const { return section_.CheckSum(sum_.Value()); }
  // What is wrong with the entry that begins so many bytes into the section.
  Error Fail(uint64_t entry_at, std::string_view what);

 private:
  Status Fill();

  Checksum sum_;  // first: it is aligned to a cache line
  const FileSection& section_;
  uint64_t at_ = 0;
  uint64_t filled_ = 0;  // bytes of the section that have been in the buffer
  std::vector<std::byte> buffer_;
  size_t used_ = 0;  // of the buffer
};

class FileReader {
 public:
  // Reads header and directory, and checks what all types have in common: magic, versions, sizes,
  // checksums, names and places. Takes no more memory than the file has bytes. Fails with kCorrupt,
  // kVersion, and as the source does. The source must outlive the reader.
  static Result<FileReader> Open(const ByteSource& source);

  FileType type() const { return static_cast<FileType>(header_.type); }
  uint64_t num_bytes() const { return header_.file_bytes; }
  const FileHeader& header() const { return header_; }
  std::span<const SectionRecord> directory() const { return directory_; }
  // Fails with kMismatch, naming both types, if the file is of another one.
  Status CheckType(FileType wanted) const;
  // Of the file's keys. Fails as PolicyOfFile.
  Result<DigestPolicy> Policy(const DigestKey& digest_key) const;

  // The section, which has no bytes if the file has none.
  FileSection Take(const SectionRow& row, uint32_t store = 0);
  bool Has(const SectionRow& row, uint32_t store = 0) const {
    return Find(row, store) != known_.size();
  }
  // Padding, metadata, and sections that are left out.
  Status CheckRest();
  // Every section that this library knows has been taken.
  Status CheckAllTaken() const;

 private:
  // A section that the type's table has.
  struct Known {
    uint32_t store;
    uint32_t rank;
    uint32_t record_idx;
    bool is_taken;
  };

  explicit FileReader(const ByteSource& source) : source_(&source) {}
  Status ReadHeader();
  Status ReadDirectory();
  Status CheckRecord(size_t idx, uint64_t end);
  size_t Find(const SectionRow& row, uint32_t store) const;
  uint64_t directory_at() const {
    return header_.file_bytes - directory_.size() * sizeof(SectionRecord);
  }

  const ByteSource* source_;
  FileHeader header_{};
  std::vector<SectionRecord> directory_;
  std::vector<Known> known_;  // ascending by store and rank
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FILES_FILE_READER_H_
