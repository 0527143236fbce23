// Files taken apart, changed and put together again as a forger would: with all places, sizes and
// checksums right. What a loader refuses then it refuses for what the contents say.
#ifndef TROMMEL_TESTS_SUPPORT_FILE_FORGE_H_
#define TROMMEL_TESTS_SUPPORT_FILE_FORGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/base/rounding.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/files/file_format.h"

namespace trommel::tests {

using Bytes = std::vector<std::byte>;

template <class T>
T Get(const Bytes& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

template <class T>
void Put(Bytes& bytes, uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

inline uint64_t HeaderChecksum(const FileHeader& header) {
  return Checksum::Of(BytesOf(header).first(offsetof(FileHeader, checksum)));
}

struct FileForge {
  struct Section {
    SectionRecord record;
    Bytes bytes;
  };

  // A valid file.
  explicit FileForge(const Bytes& file) : header(Get<FileHeader>(file, 0)) {
    for (size_t i = 0; i < header.num_sections; ++i) {
      const uint64_t at = file.size() - (header.num_sections - i) * sizeof(SectionRecord);
      const auto record = Get<SectionRecord>(file, at);
      const auto begin = file.begin() + static_cast<std::ptrdiff_t>(record.offset);
      sections.push_back({record, {begin, begin + static_cast<std::ptrdiff_t>(record.num_bytes)}});
    }
  }

  // The section's index, or the number of sections.
  size_t Find(std::string_view name, uint32_t store = 0) const {
    const auto at = std::ranges::find_if(sections, [&](const Section& section) {
      return NameOf(section.record) == name && section.record.store == store;
    });
    return static_cast<size_t>(at - sections.begin());
  }
  Section& At(std::string_view name, uint32_t store = 0) {
    const size_t idx = Find(name, store);
    TROMMEL_CHECK(idx < sections.size(), "the file has no such section");
    return sections[idx];
  }
  void Insert(size_t idx, std::string_view name, uint32_t store, uint32_t flags, Bytes bytes) {
    Section section{{}, std::move(bytes)};
    section.record.store = store;
    section.record.flags = flags;
    std::ranges::copy(name, section.record.name.begin());
    sections.insert(sections.begin() + static_cast<std::ptrdiff_t>(idx), section);
  }

  Bytes Seal() const {
    FileHeader sealed = header;
    Bytes file(sizeof(FileHeader));
    std::vector<SectionRecord> directory;
    for (const Section& section : sections) {
      SectionRecord record = section.record;
      record.offset = RoundUp(file.size(), AlignmentOf(record.flags));
      record.num_bytes = section.bytes.size();
      record.checksum = Checksum::Of(section.bytes);
      file.resize(record.offset);
      file.insert(file.end(), section.bytes.begin(), section.bytes.end());
      directory.push_back(record);
    }
    file.resize(RoundUp(file.size(), kSectionAlignment));
    const auto records = std::as_bytes(std::span(directory));
    file.insert(file.end(), records.begin(), records.end());
    sealed.file_bytes = file.size();
    sealed.num_sections = static_cast<uint32_t>(directory.size());
    sealed.directory_checksum = Checksum::Of(records);
    sealed.checksum = HeaderChecksum(sealed);
    Put(file, 0, sealed);
    return file;
  }

  FileHeader header;
  std::vector<Section> sections;
};

// The file with its header's checksum right, and that of its directory, where there is one.
inline Bytes Resealed(Bytes file) {
  auto header = Get<FileHeader>(file, 0);
  const uint64_t bytes = uint64_t{header.num_sections} * sizeof(SectionRecord);
  if (bytes <= file.size() - sizeof(header)) {
    header.directory_checksum = Checksum::Of(std::span(file).last(bytes));
  }
  header.checksum = HeaderChecksum(header);
  Put(file, 0, header);
  return file;
}

// The same, and with the checksums of all sections that lie in the file. Of any bytes.
inline Bytes ResealedWhole(Bytes file) {
  if (file.size() < sizeof(FileHeader)) return file;
  const auto num_sections = uint64_t{Get<FileHeader>(file, 0).num_sections};
  for (uint64_t i = num_sections; i > 0 && i * sizeof(SectionRecord) < file.size(); --i) {
    const uint64_t at = file.size() - i * sizeof(SectionRecord);
    auto record = Get<SectionRecord>(file, at);
    if (record.offset > file.size() || record.num_bytes > file.size() - record.offset) continue;
    record.checksum = Checksum::Of(std::span(file).subspan(record.offset, record.num_bytes));
    Put(file, at, record);
  }
  return Resealed(std::move(file));
}

// The file with another value in a section, all checksums right.
template <class T>
Bytes WithValue(const Bytes& file, std::string_view name, uint32_t store, uint64_t at,
                const T& value) {
  FileForge forge(file);
  FileForge::Section& section = forge.At(name, store);
  TROMMEL_CHECK(at + sizeof(value) <= section.bytes.size(), "the section ends before");
  Put(section.bytes, at, value);
  return forge.Seal();
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_FILE_FORGE_H_
