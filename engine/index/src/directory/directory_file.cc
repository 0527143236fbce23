#include "engine/index/src/directory/directory_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "trommel/digest.h"
#include "trommel/metadata.h"

namespace trommel::index {
namespace {

constexpr std::string_view kContentsName = "contents";
constexpr std::string_view kColumnName = "file";

// As all checksums of the container.
uint64_t Checksum(std::string_view bytes) {
  return DigestPolicy{.kind = DigestKind::kXxh3}(Key(bytes));
}

template <class T>
std::string_view TextOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string_view TextOf(const std::vector<SectionRecord>& directory) {
  return {reinterpret_cast<const char*>(directory.data()),
          directory.size() * sizeof(SectionRecord)};
}

uint64_t HeaderChecksum(const FileHeader& header) {
  return Checksum(TextOf(header).substr(0, offsetof(FileHeader, checksum)));
}

constexpr uint64_t Aligned(uint64_t end) {
  return (end + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

SectionRecord RecordOf(std::string_view name, uint32_t store, uint64_t offset,
                       std::string_view bytes) {
  SectionRecord record{.name = {},
                       .store = store,
                       .flags = 0,
                       .offset = offset,
                       .num_bytes = bytes.size(),
                       .checksum = Checksum(bytes)};
  std::ranges::copy(name, record.name.begin());
  return record;
}

}  // namespace

// --- Writing.

DirectoryWriter::DirectoryWriter(const std::filesystem::path& path,
                                 const DirectoryContents& contents)
    : file_(path, std::ios::binary | std::ios::trunc),
      header_{.magic = kFileMagic,
              .version = kContainerVersion,
              .header_bytes = sizeof(FileHeader),
              .type = static_cast<uint32_t>(FileType::kDirectory),
              .digest_kind = static_cast<uint32_t>(contents.digest_kind),
              .seed = contents.digest_seed,
              .file_bytes = 0,
              .num_sections = 0,
              .reserved = 0,
              .directory_checksum = 0,
              .checksum = 0} {
  // Zeros take the header's place: no half-written file has one.
  const FileHeader blank{};
  file_ << TextOf(blank);
  end_ = sizeof(blank);
  AppendSection(kContentsName, 0, EncodeContents(contents));
}

void DirectoryWriter::AppendColumn(std::span<const std::byte> bytes) {
  AppendSection(kColumnName, static_cast<uint32_t>(directory_.size()),
                {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void DirectoryWriter::AppendSection(std::string_view name, uint32_t store, std::string_view bytes) {
  Pad();
  directory_.push_back(RecordOf(name, store, end_, bytes));
  file_ << bytes;
  end_ += bytes.size();
}

void DirectoryWriter::Pad() {
  for (; end_ % kSectionAlignment != 0; ++end_) file_.put('\0');
}

bool DirectoryWriter::Finish() {
  Pad();
  file_ << TextOf(directory_);
  header_.file_bytes = end_ + TextOf(directory_).size();
  header_.num_sections = static_cast<uint32_t>(directory_.size());
  header_.directory_checksum = Checksum(TextOf(directory_));
  header_.checksum = HeaderChecksum(header_);
  file_.seekp(0);
  file_ << TextOf(header_);
  file_.close();
  return static_cast<bool>(file_);
}

// --- Reading.

namespace {

// So many bytes from there on; fewer if the file cannot be read.
std::string BytesAt(std::ifstream& file, uint64_t offset, uint64_t num_bytes) {
  std::string bytes(num_bytes, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(num_bytes));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

Error Corrupt(const std::string& what) { return {ErrorCode::kCorrupt, what}; }

Status CheckHeader(const FileHeader& header, uint64_t num_bytes) {
  if (num_bytes < sizeof(header)) return Corrupt("truncated in its header");
  if (header.magic != kFileMagic) return Corrupt("not the file of a directory (bad magic)");
  if (header.version >= 1 && header.version <= 3 && header.header_bytes == 256) {
    return Error{ErrorCode::kVersion, "made by a version before 0.1: build it again"};
  }
  if (header.version != kContainerVersion) {
    return Error{
        ErrorCode::kVersion,
        "file of container version " + std::to_string(header.version) + "; this program reads 1"};
  }
  if (header.checksum != HeaderChecksum(header)) {
    return Corrupt("the header does not match its checksum");
  }
  if (header.file_bytes != num_bytes) {
    return Corrupt("truncated at " + std::to_string(num_bytes) + " bytes, its header says " +
                   std::to_string(header.file_bytes));
  }
  if (header.type != static_cast<uint32_t>(FileType::kDirectory)) {
    return Error{ErrorCode::kMismatch, "the file's type is " + std::to_string(header.type) +
                                           ", and that of directories 8"};
  }
  if (header.digest_kind > static_cast<uint32_t>(DigestKind::kSipHash)) {
    return Error{ErrorCode::kVersion, "the digest kind is " + std::to_string(header.digest_kind) +
                                          "; this program reads 0 to 3"};
  }
  if (header.header_bytes != sizeof(header) || header.reserved != 0 || header.num_sections == 0 ||
      header.num_sections > (num_bytes - sizeof(header)) / sizeof(SectionRecord)) {
    return Corrupt("the header's numbers are not valid");
  }
  return Ok();
}

// The bytes of a section that match its checksum.
bool ReadSection(const SectionRecord& record, std::ifstream& file, std::string& bytes) {
  bytes = BytesAt(file, record.offset, record.num_bytes);
  return bytes.size() == record.num_bytes && Checksum(bytes) == record.checksum;
}

bool IsName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Places are the only ones that the file can have, what is between sections is zero, and metadata
// and what a later version added match their checksums. Leaves the contents and the columns.
Status CheckPlaces(std::ifstream& file, std::vector<SectionRecord>& directory,
                   uint64_t directory_at) {
  uint64_t end = sizeof(FileHeader);
  const auto is_zero = [&](uint64_t until) {
    const std::string gap = BytesAt(file, end, until - end);
    return gap.size() == until - end &&
           std::ranges::all_of(gap, [](char byte) { return byte == '\0'; });
  };
  std::vector<SectionRecord> kept;
  bool has_metadata = false;
  for (const SectionRecord& record : directory) {
    const auto number = static_cast<uint32_t>(kept.size());
    const std::string_view name = NameOf(record);
    if (!IsName(name)) return Corrupt("a section's name has other characters than a-z, 0-9, _");
    const std::string where = "section '" + std::string(name) + "' ";
    SectionRecord wanted = RecordOf(number == 0 ? kContentsName : kColumnName, number, 0, {});
    const bool is_metadata = name == "metadata";
    const bool is_known = is_metadata || name == kContentsName || name == kColumnName;
    if (!is_known) {
      if ((record.flags & ~kKnownFlags) != 0 || (record.flags & kSkippableFlag) == 0) {
        return Error{ErrorCode::kVersion, where + "is of a later version"};
      }
      wanted = RecordOf(name, record.store, 0, {});
      wanted.flags = record.flags;
    } else if (is_metadata) {
      if (number != 0 || has_metadata || record.num_bytes > kMaxMetadataBytes) {
        return Corrupt(where + "is not in its place");
      }
      has_metadata = true;
      wanted = RecordOf(name, 0, 0, {});
    }
    const uint64_t alignment = AlignmentOf(record.flags);
    wanted.offset = (end + alignment - 1) / alignment * alignment;
    wanted.num_bytes = record.num_bytes;
    wanted.checksum = record.checksum;
    if (TextOf(wanted) != TextOf(record) || wanted.num_bytes == 0 || wanted.offset > directory_at ||
        wanted.num_bytes > directory_at - wanted.offset || !is_zero(wanted.offset)) {
      return Corrupt(where + "is not behind the one before it");
    }
    std::string bytes;
    if (is_known && !is_metadata) {
      kept.push_back(record);
    } else if (!ReadSection(record, file, bytes)) {
      return Corrupt(where + "does not match its checksum");
    }
    end = wanted.offset + wanted.num_bytes;
  }
  if (Aligned(end) != directory_at || !is_zero(directory_at) || kept.empty()) {
    return Corrupt("the directory of sections is not behind the last one");
  }
  directory = std::move(kept);
  return Ok();
}

Result<DirectoryContents> ReadOpened(std::ifstream& file) {
  file.seekg(0, std::ios::end);
  const auto num_bytes = static_cast<uint64_t>(std::max<std::streamoff>(0, file.tellg()));
  FileHeader header{};
  const std::string start = BytesAt(file, 0, std::min<uint64_t>(num_bytes, sizeof(header)));
  std::memcpy(&header, start.data(), start.size());
  if (Status good = CheckHeader(header, num_bytes); !good) return good.error();
  std::vector<SectionRecord> directory(header.num_sections);
  const uint64_t directory_at = num_bytes - TextOf(directory).size();
  const std::string records = BytesAt(file, directory_at, TextOf(directory).size());
  std::memcpy(directory.data(), records.data(), records.size());
  if (header.directory_checksum != Checksum(records)) {
    return Corrupt("the directory of sections does not match its checksum");
  }
  if (Status good = CheckPlaces(file, directory, directory_at); !good) return good.error();
  std::string bytes;
  if (!ReadSection(directory[0], file, bytes)) {
    return Corrupt("the contents do not match their checksum");
  }
  Result<DirectoryContents> contents = DecodeContents(bytes);
  if (!contents) return contents;
  contents->digest_kind = static_cast<DigestKind>(header.digest_kind);
  contents->digest_seed = header.seed;
  size_t num_columns = 0;
  for (SavedAttribute& attribute : contents->attributes) {
    for (SavedColumn& column : attribute.columns) {
      if (++num_columns >= directory.size() || column.regions.empty()) {
        return Corrupt("a column has no bytes or no regions");
      }
      column.bytes = directory[num_columns];
    }
  }
  if (num_columns + 1 == directory.size()) return contents;
  return Corrupt("there are more columns than the contents name");
}

}  // namespace

Result<DirectoryContents> ReadContents(const std::filesystem::path& path, std::ifstream& file) {
  file.open(path, std::ios::binary);
  if (!file) {
    return Error{ErrorCode::kIo, path.string() + ": " + std::generic_category().message(errno)};
  }
  Result<DirectoryContents> contents = ReadOpened(file);
  if (contents) return contents;
  return Error{contents.error().code, path.string() + ": " + contents.error().message};
}

std::vector<std::byte> ReadColumn(const SavedColumn& column, std::ifstream& file) {
  std::string bytes;
  if (!ReadSection(column.bytes, file, bytes)) return {};
  const auto all = std::as_bytes(std::span(bytes));
  return {all.begin(), all.end()};
}

}  // namespace trommel::index
