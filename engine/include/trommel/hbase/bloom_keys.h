/// @file
/// What HBase hashes of a cell, and its hash: the bytes and numbers of HBase 2.x.
#ifndef TROMMEL_HBASE_BLOOM_KEYS_H_
#define TROMMEL_HBASE_BLOOM_KEYS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "trommel/export.h"
#include "trommel/result.h"

/// The Bloom filters of HBase's store files, byte for byte as HBase 2.x writes and reads them.
namespace trommel::hbase {

/// What of a cell is the key of a store file's filter: HBase's BLOOMFILTER of a column family.
enum class BloomType : uint8_t {
  kNone,                  ///< No filter.
  kRow,                   ///< The row. Column families have it unless they say otherwise.
  kRowCol,                ///< Row and qualifier, in one key (RowColKey).
  kRowPrefixFixedLength,  ///< The first bytes of the row, all of it if it is shorter.
};

/// Returns HBase's name of it: "ROWPREFIX_FIXED_LENGTH".
TROMMEL_API std::string_view BloomTypeName(BloomType type) noexcept;

/// HBase's numbers of its hashes (hbase.hash.type), as they stand in files. Only kMurmur, the
/// default, is implemented; a cluster's type cannot change once files have been written.
enum class HashType : uint8_t {
  kJenkins = 0,  ///< Refused.
  kMurmur = 1,   ///< MurmurHash2, with HBase's reading of the last bytes.
  kMurmur3 = 2,  ///< Refused.
};

/// The longest row that HBase allows, in bytes; the shortest has one.
inline constexpr uint32_t kMaxRowBytes = 32767;

/// Names a cell within a column family. Views: the bytes must outlive the call.
struct CellName {
  std::string_view row = {};        ///< 1 to kMaxRowBytes bytes.
  std::string_view qualifier = {};  ///< The column; may be empty.

  /// In HBase's order: by row, then by qualifier, both as unsigned bytes.
  friend auto operator<=>(const CellName&, const CellName&) = default;
};

/// Writes the key of a cell under kRowCol to `key`, whose memory is used again:
/// @code{.unparsed}
///   row length (2 bytes, high byte first) | row | 0 | qualifier | 7f ff ff ff ff ff ff ff | ff
/// @endcode
/// The 0 is the length of an empty family: the family is not in the key. Behind the qualifier are
/// the latest time stamp and the type "maximum". Requires a row of at most kMaxRowBytes.
TROMMEL_API void RowColKey(CellName cell, std::string& key);

/// Returns the key of a row under kRowPrefixFixedLength.
inline std::string_view RowPrefix(std::string_view row, uint32_t prefix_length) noexcept {
  return row.substr(0, prefix_length);
}

/// MurmurHash2 as HBase's class has it: words of four bytes, low byte first, as in the original;
/// but the one to three bytes behind the last word are taken as signed numbers, so that a key with
/// one of 0x80 or more there has another hash than with the original.
TROMMEL_API uint32_t MurmurHash(std::string_view key, uint32_t seed) noexcept;

/// The two hashes of a key, of which all its positions are made.
struct KeyHash {
  uint32_t first = 0;   ///< MurmurHash(key, 0).
  uint32_t second = 0;  ///< MurmurHash(key, first).

  /// Returns position i of the key among num_bits: |(first + i * second) rem num_bits|, in signed
  /// numbers of 32 bits that wrap. Requires 0 < num_bits < 2^31.
  uint32_t Position(uint32_t i, uint32_t num_bits) const noexcept {
    const auto sum = static_cast<int32_t>(first + i * second);
    const int32_t position = sum % static_cast<int32_t>(num_bits);
    return static_cast<uint32_t>(position < 0 ? -position : position);
  }
};
/// Returns both hashes.
inline KeyHash HashOf(std::string_view key) noexcept {
  const uint32_t first = MurmurHash(key, 0);
  return {first, MurmurHash(key, first)};
}

/// How a filter is built. The defaults are HBase's.
struct FilterOptions {
  BloomType type = BloomType::kRow;  ///< What the keys are.
  /// kRowPrefixFixedLength: RowPrefixBloomFilter.prefix_length, 1 to kMaxRowBytes, required.
  /// Ignored for other types.
  uint32_t prefix_length = 0;
  /// io.storefile.bloom.error.rate, 0 to 1, both excluded: of a get. kRowCol probes twice for each,
  /// so its rate of a probe is 1 - sqrt(1 - error_rate).
  float error_rate = 0.01F;
  uint32_t chunk_bytes = 128 * 1024;       ///< io.storefile.bloom.block.size, 1 to 2^27.
  uint32_t max_fold = 7;                   ///< io.storefile.bloom.max.fold, at most 20.
  HashType hash_type = HashType::kMurmur;  ///< hbase.hash.type.
};

/// A chunk of a filter before any folding.
struct ChunkShape {
  uint32_t num_bytes = 0;   ///< chunk_bytes, rounded up to a multiple of 2^max_fold.
  uint32_t num_hashes = 0;  ///< k.
  uint32_t max_keys = 0;    ///< Keys at which the chunk is full.

  /// Memberwise equality.
  friend bool operator==(const ChunkShape&, const ChunkShape&) = default;
};

/// Returns the shape of chunks: with the defaults 131,072 bytes, 7 hashes and 109,306 keys for
/// kRow, 8 hashes and 95,069 keys for kRowCol. Fails with kInvalidArgument if an option is outside
/// its range, the hash is not kMurmur, or not one key fits.
TROMMEL_API Result<ChunkShape> ChunkShapeFor(const FilterOptions& options);

}  // namespace trommel::hbase

#endif  // TROMMEL_HBASE_BLOOM_KEYS_H_
