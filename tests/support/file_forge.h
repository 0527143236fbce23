// Files taken apart and put together again, with right checksums: what a forger can do. Written
// from FORMAT.md, section 2; of the library it has the checksum alone.
#ifndef TROMMEL_TESTS_SUPPORT_FILE_FORGE_H_
#define TROMMEL_TESTS_SUPPORT_FILE_FORGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/src/disk/checksum.h"

namespace trommel::tests {

using Bytes = std::vector<std::byte>;

template <class T>
T Get(std::span<const std::byte> bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

template <class T>
void Put(std::span<std::byte> bytes, uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

namespace forge {

inline constexpr uint64_t kHeaderBytes = 64;
inline constexpr uint32_t kSkippable = 1;
inline constexpr uint32_t kPageAligned = 2;

struct Record {
  char name[16] = {};
  uint32_t store = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t num_bytes = 0;
  uint64_t checksum = 0;
};

// Where the directory begins, or as near to it as the file is long.
inline uint64_t DirectoryAt(std::span<const std::byte> file) {
  const uint64_t num_bytes = uint64_t{Get<uint32_t>(file, 40)} * sizeof(Record);
  return num_bytes < file.size() - kHeaderBytes ? file.size() - num_bytes : kHeaderBytes;
}

}  // namespace forge

// Makes all checksums right, as far as what they are of lies within the file: of files in it, its
// sections, the directory, and the header.
inline void Reseal(std::span<std::byte> file) {
  using forge::Record;
  if (file.size() < forge::kHeaderBytes) return;
  const uint64_t directory_at = forge::DirectoryAt(file);
  for (uint64_t at = directory_at; at + sizeof(Record) <= file.size(); at += sizeof(Record)) {
    auto record = Get<Record>(file, at);
    if (record.offset > file.size() || record.num_bytes > file.size() - record.offset) continue;
    const auto section = file.subspan(record.offset, record.num_bytes);
    // A section that overlaps what it is in would have no end.
    if (record.offset >= forge::kHeaderBytes && std::string_view(record.name, 4) == "file") {
      Reseal(section);
    }
    record.checksum = Checksum::Of(section);
    Put(file, at, record);
  }
  Put(file, 48, Checksum::Of(file.subspan(directory_at)));
  Put(file, 56, Checksum::Of(file.first(56)));
}

struct ForgedSection {
  std::string name;
  uint32_t store = 0;
  uint32_t flags = 0;
  Bytes bytes;
};

// The parts of a valid file.
struct ForgedFile {
  Bytes header;
  std::vector<ForgedSection> sections;

  explicit ForgedFile(std::span<const std::byte> file)
      : header(file.begin(), file.begin() + forge::kHeaderBytes) {
    for (uint64_t at = forge::DirectoryAt(file); at < file.size(); at += sizeof(forge::Record)) {
      const auto record = Get<forge::Record>(file, at);
      const std::string_view name(record.name, sizeof(record.name));
      const auto bytes = file.subspan(record.offset, record.num_bytes);
      sections.push_back({std::string(name.substr(0, name.find('\0'))), record.store, record.flags,
                          Bytes(bytes.begin(), bytes.end())});
    }
  }

  // The section of that name and store, which must be there.
  ForgedSection& Find(std::string_view name, uint32_t store = 0) {
    return *std::find_if(sections.begin(), sections.end(), [&](const ForgedSection& section) {
      return section.name == name && section.store == store;
    });
  }

  // The file of these sections, with their own places and sizes, sealed.
  Bytes Build() const {
    Bytes file = header;
    std::vector<forge::Record> records;
    const auto pad = [&file](size_t unit) { file.resize((file.size() + unit - 1) / unit * unit); };
    for (const ForgedSection& section : sections) {
      pad((section.flags & forge::kPageAligned) != 0 ? 4096 : 64);
      forge::Record record;
      record.store = section.store;
      record.flags = section.flags;
      record.offset = file.size();
      record.num_bytes = section.bytes.size();
      section.name.copy(record.name, sizeof(record.name));
      records.push_back(record);
      file.insert(file.end(), section.bytes.begin(), section.bytes.end());
    }
    pad(64);
    const auto directory = std::as_bytes(std::span(records));
    file.insert(file.end(), directory.begin(), directory.end());
    Put(std::span(file), 32, uint64_t{file.size()});
    Put(std::span(file), 40, static_cast<uint32_t>(records.size()));
    Reseal(file);
    return file;
  }
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_FILE_FORGE_H_
