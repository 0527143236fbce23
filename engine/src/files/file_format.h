// The container of every file, version 1: a header, sections, a directory of them. All numbers
// little-endian.
//
//   0      header, 64 bytes               FileHeader below
//   64     sections                       each at a multiple of 64, or of 4,096 if queries read it
//   ....   directory, 48 bytes a section  SectionRecord below; at a multiple of 64
//   end of file
//
// Parts stand at the least multiple of their alignment behind the part before them, and zeros are
// between them. Which sections a type has, and in which order, stands in section_tables.h; what is
// in them, with those that write and read them, and in FORMAT.md.
//
// Canonical: there is one file for each state of a filter. What can be computed is not stored, a
// section without bytes is not there, and anything unexpected is an error. Header, directory and
// each section carry an XXH3-64 checksum: a change to any bit is noticed. What a forger can make
// match is checked for itself.
//
// Versions: whatever comes, the first 12 bytes keep their meaning. A new section has a new name; a
// reader that does not know it leaves it out if it is marked as skippable, and refuses it by name
// otherwise. So a section never changes its meaning, and version 2 of the container would be
// another way to find sections, not another section.
#ifndef TROMMEL_ENGINE_SRC_FILES_FILE_FORMAT_H_
#define TROMMEL_ENGINE_SRC_FILES_FILE_FORMAT_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "trommel/result.h"

namespace trommel {

static_assert(std::endian::native == std::endian::little,
              "files hold the words of memory as they are, and the format is little-endian");

// As in PNG: a byte with the high bit set, then our name, then both line ends around the character
// that ends a DOS text. Any copy that "translates" text changes one of them.
inline constexpr std::array<unsigned char, 8> kFileMagic = {0x89, 'T',  'R',  'M',
                                                            '\r', '\n', 0x1a, '\n'};
inline constexpr uint32_t kContainerVersion = 1;
// Insertions a file may hold: so few that one more cannot wrap. Merges stop at half of it, and the
// other half is centuries of inserting one by one.
inline constexpr uint64_t kMaxFileKeys = (uint64_t{1} << 63) - 1;

// 4 and 5 were layered and classic filters before 0.1. Not to be used again.
enum class FileType : uint32_t {
  kCounting = 1,
  kScalable = 2,
  kWindow = 3,
  kAttributes = 6,
  kColumn = 7,
  kDirectory = 8,
};

struct FileHeader {
  std::array<unsigned char, 8> magic;  //  0
  uint32_t version;                    //  8  of the container
  uint32_t header_bytes;               // 12  64
  uint32_t type;                       // 16  FileType
  uint32_t digest_kind;                // 20  DigestKind
  uint64_t seed;                       // 24  of kSipHash: the check value of its key
  uint64_t file_bytes;                 // 32
  uint32_t num_sections;               // 40  at least 1
  uint32_t reserved;                   // 44  0
  uint64_t directory_checksum;         // 48
  uint64_t checksum;                   // 56  of the bytes before it
};
static_assert(sizeof(FileHeader) == 64 && std::is_trivially_copyable_v<FileHeader>);

struct SectionRecord {
  std::array<char, 16> name;  //  0  then zeros
  uint32_t store;             // 16  0: of the whole; 1 ..: of a store
  uint32_t flags;             // 20
  uint64_t offset;            // 24  from the start of the file
  uint64_t num_bytes;         // 32  at least 1
  uint64_t checksum;          // 40
};
static_assert(sizeof(SectionRecord) == 48 && std::is_trivially_copyable_v<SectionRecord>);

inline constexpr uint32_t kSkippableFlag = 1;
inline constexpr uint32_t kPagedFlag = 2;
inline constexpr uint32_t kKnownFlags = kSkippableFlag | kPagedFlag;
inline constexpr uint64_t kSectionAlignment = 64;
inline constexpr uint64_t kPageAlignment = 4096;

constexpr uint64_t AlignmentOf(uint32_t flags) {
  return (flags & kPagedFlag) != 0 ? kPageAlignment : kSectionAlignment;
}

// Bytes of a section at once: still in the cache when they are summed.
inline constexpr size_t kPieceBytes = size_t{1} << 18;

// The name up to the first zero.
inline std::string_view NameOf(const SectionRecord& record) {
  const std::string_view all(record.name.data(), record.name.size());
  return all.substr(0, all.find('\0'));
}

// The bytes of a header, an entry or a block's words.
template <class T>
std::span<const std::byte> BytesOf(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_bytes(std::span(&value, 1));
}

// --- Errors and checks that the types share.

// kVersion: a field that a later library may have written and this one does not know. "file of a
// later version: at byte 16 the type is 9; this library reads 1 to 3"
Error UnknownAt(uint64_t offset, std::string_view field, uint64_t found, std::string_view known);

// kCorrupt: "corrupt file at byte 88: ..."
Error CorruptAt(uint64_t offset, std::string_view what);

// "a counting filter", "a column of a map".
std::string_view FileTypeName(FileType type);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FILES_FILE_FORMAT_H_
