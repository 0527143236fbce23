// The bytes of one column of a ColumnMap. All numbers little-endian.
//
//   0    MapColumnHeader, 64 bytes
//   64   the places of the column's pairs, ascending
//
// A place is one number, block << fingerprint_bits | fingerprint, of the digest range that it
// stands for. Each is written as a number of 7 bits per byte, low bits first, bit 7 set in all
// bytes but the last, with no more bytes than it needs:
//
//   2 * (place - the one before - 1) + f      the first place: 2 * place + f
//   number of copies - 2                      only if f is 1; else there is one copy
//
// Nothing is free: there is one form for each column.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_FILE_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_FILE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trommel/column_map.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

static_assert(std::endian::native == std::endian::little,
              "the header is in the file as it is in memory");

struct MapColumnHeader {
  std::array<unsigned char, 8> magic;  //  0
  uint32_t version;                    //  8  1
  uint32_t digest_kind;                // 12  DigestKind
  uint64_t seed;                       // 16  of kSipHash: the check value of its key
  uint64_t num_blocks;                 // 24
  uint32_t fingerprint_bits;           // 32
  uint32_t reserved;                   // 36  0
  uint64_t num_keys;                   // 40  copies of all pairs
  uint64_t num_places;                 // 48
  uint64_t checksum;                   // 56  XXH3-64 of the 56 bytes before it and all behind it
};
static_assert(sizeof(MapColumnHeader) == 64);

inline constexpr std::array<unsigned char, 8> kMapColumnMagic = {0x89, 'T', 'R', 'M',
                                                                 'M',  'A', 'P', '\n'};

struct PlaceCopies {
  uint64_t place;
  uint64_t num_copies;
};

struct ColumnContents {
  std::vector<PlaceCopies> places;  // ascending, each once
  uint64_t num_keys = 0;
};

std::vector<std::byte> EncodeColumn(const MapGeometry& geometry, const DigestPolicy& policy,
                                    const ColumnContents& contents);

// Fails with kCorrupt, kVersion and kMismatch.
Result<ColumnContents> DecodeColumn(const MapGeometry& geometry, const DigestPolicy& policy,
                                    std::span<const std::byte> bytes);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_COLUMN_FILE_H_
