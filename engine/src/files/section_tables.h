// The sections that files have: a table per type, in the order in which they stand in the file. The
// sections of a store stand together, and those of the whole file before the stores'.
//
// Before memory is taken for a section the reader has checked that it lies in the file, is a whole
// number of entries, and no longer than its row allows; a type's ReadFrom then asks for the size
// that the numbers of the filter want, or reads entry by entry.
//
// To add a section:
//
//   1. a row here, with a name that no table has had, and its place in the table of each type that
//      has it;
//   2. file.Add(sections::kName, ...) in the type's WriteTo, where the row stands; nothing for the
//      default;
//   3. file.Take(sections::kName, ...) in the type's ReadFrom, which judges size and contents, and
//      refuses what step 2 does not write. (2 and 3 for sections of a store: store_sections,
//      slice_sections, fingerprint_sections; of windows and of an index's directory, in theirs.)
//      Copies of a filter (Clone, NewLikeThis), through which a ConcurrentFilter is saved, keep it;
//   4. FORMAT.md, with a sample and the independent reader (engine/docs/samples).
//
// Files without it must still be read: Take returns a section without bytes, which ReadAs and
// CheckBytes call missing, so ask Has first. Readers of before refuse a file that has it, by its
// name, unless its row has kSkippableFlag: then they check it and leave it out. The tests of all
// files (tests/engine/files_test.cc) fail until tests/support/every_file.h has a file with it, and
// demand that a section of zeros is refused where there should be none.
#ifndef TROMMEL_ENGINE_SRC_FILES_SECTION_TABLES_H_
#define TROMMEL_ENGINE_SRC_FILES_SECTION_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/src/files/file_format.h"
#include "trommel/metadata.h"

namespace trommel {

struct SectionRow {
  std::string_view name;
  bool is_of_store;
  uint32_t flags;
  uint64_t entry_bytes = 1;
  uint64_t most_bytes = ~uint64_t{0};
};

namespace sections {

inline constexpr uint32_t kSmall = 0;  // not read by queries
inline constexpr uint32_t kPaged = kPagedFlag;

// Of the whole file.
inline constexpr SectionRow kMetadata{"metadata", false, kSmall, 1, kMaxMetadataBytes};
inline constexpr SectionRow kWindow{"window", false, kSmall, 8};
inline constexpr SectionRow kGrowing{"growing", false, kSmall, 40};
inline constexpr SectionRow kAttributes{"attributes", false, kSmall};
inline constexpr SectionRow kSets{"sets", false, kSmall, 8};
inline constexpr SectionRow kColumn{"column", false, kSmall, 16};
inline constexpr SectionRow kPlaces{"places", false, kSmall};
inline constexpr SectionRow kContents{"contents", false, kSmall};
// Of a store: its size, its words as in memory, and what has no place in them.
inline constexpr SectionRow kNumbers{"numbers", true, kSmall, 8};
inline constexpr SectionRow kPresence{"presence", true, kPaged, 4};
inline constexpr SectionRow kCounts{"counts", true, kPaged, 4};
inline constexpr SectionRow kBlocks{"blocks", true, kPaged, 64};
inline constexpr SectionRow kLines{"lines", true, kPaged, 64};
inline constexpr SectionRow kSide{"side", true, kSmall, 8};
// Of a shard of a filter that grows by itself.
inline constexpr SectionRow kDigests{"digests", true, kSmall, 8};
inline constexpr SectionRow kFurther{"further", true, kSmall, 16};
inline constexpr SectionRow kSizes{"sizes", true, kSmall, 4};
inline constexpr SectionRow kValues{"values", true, kSmall, 8};
// Of a column of an index: a file of its own type.
inline constexpr SectionRow kFile{"file", true, kSmall};

inline constexpr std::array kOfCounting = {kMetadata, kNumbers, kPresence, kCounts,
                                           kBlocks,   kLines,   kSide};
inline constexpr std::array kOfScalable = {kMetadata, kGrowing, kDigests,
                                           kFurther,  kSizes,   kValues};
inline constexpr std::array kOfWindow = {kMetadata, kWindow, kNumbers, kBlocks, kLines, kSide};
inline constexpr std::array kOfAttributes = {kMetadata, kAttributes, kSets,  kGrowing,
                                             kDigests,  kFurther,    kSizes, kValues};
inline constexpr std::array kOfColumn = {kMetadata, kColumn, kPlaces};
inline constexpr std::array kOfDirectory = {kMetadata, kContents, kFile};

}  // namespace sections

// The type's table; empty for a number that is no type.
constexpr std::span<const SectionRow> SectionsOf(FileType type) {
  switch (type) {
    case FileType::kCounting:
      return sections::kOfCounting;
    case FileType::kScalable:
      return sections::kOfScalable;
    case FileType::kWindow:
      return sections::kOfWindow;
    case FileType::kAttributes:
      return sections::kOfAttributes;
    case FileType::kColumn:
      return sections::kOfColumn;
    case FileType::kDirectory:
      return sections::kOfDirectory;
  }
  return {};
}

// The place of a section in the table, or the table's size.
constexpr size_t RankOf(std::span<const SectionRow> table, std::string_view name) {
  size_t rank = 0;
  while (rank < table.size() && table[rank].name != name) ++rank;
  return rank;
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FILES_SECTION_TABLES_H_
