// A column of a ColumnMap as a file of its own type: the section `column`, ColumnNumbers below, and
// the section `places`, the places of the column's pairs, ascending.
//
// A place is one number, block << fingerprint_bits | fingerprint, of the digest range that it
// stands for. Each is written as a number of 7 bits per byte, low bits first, bit 7 set in all
// bytes but the last, with no more bytes than it needs:
//
//   2 * (place - the one before - 1) + f      the first place: 2 * place + f
//   number of copies - 2                      only if f is 1; else there is one copy
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_FILE_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_FILE_H_

#include <cstdint>
#include <vector>

#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "trommel/column_map.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

struct ColumnNumbers {
  uint64_t num_blocks;        // 0
  uint32_t fingerprint_bits;  // 8
  uint32_t reserved;          // 12  0
};
static_assert(sizeof(ColumnNumbers) == 16);

struct PlaceCopies {
  uint64_t place;
  uint64_t num_copies;
};

struct ColumnContents {
  std::vector<PlaceCopies> places;  // ascending, each once
  uint64_t num_keys = 0;
};

Status WriteColumn(const MapGeometry& geometry, const DigestPolicy& policy,
                   const ColumnContents& contents, FileWriter& file);

// Fails with kCorrupt and kMismatch.
Result<ColumnContents> ReadColumn(const MapGeometry& geometry, const DigestPolicy& policy,
                                  FileReader& file);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_FILE_H_
