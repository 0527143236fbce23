/// @file
/// CompoundFilter, the Bloom filter of an HBase store file, and what writes it.
#ifndef TROMMEL_HBASE_COMPOUND_FILTER_H_
#define TROMMEL_HBASE_COMPOUND_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/export.h"
#include "trommel/hbase/bloom_keys.h"
#include "trommel/result.h"

namespace trommel::hbase {

/// What a query of a cell looks for, hashed once for all filters of one type and prefix length.
struct CellProbe {
  CellName key = {};  ///< A view of the cell's bytes, cut to its prefix where that is the key.
  KeyHash hash = {};  ///< Of the key.
  KeyHash deletion_hash = {};  ///< kRowCol: of the row with an empty qualifier.
};
/// Returns the probe of a cell. Requires a type other than kNone. `scratch` is memory to use again.
TROMMEL_API CellProbe ProbeFor(BloomType type, uint32_t prefix_length, CellName cell,
                               std::string& scratch);

/// A Bloom filter over the sorted keys of a store file, in chunks of one size:
/// @code{.unparsed}
///   index    | first key of chunk 0 | first key of chunk 1 | .. |        last key
///   chunks   | bits of keys 0 .. max_keys - 1 | bits of the next max_keys keys | .. | folded |
/// @endcode
/// A query looks its key up in the index and reads one chunk. The last chunk, which may have few
/// keys, is folded in halves when the file is closed. Same cells, same bytes: those that HBase
/// 2.4.18 writes.
///
/// Thread safety: const members may run in any number of threads at once.
///
/// Source: apache/hbase, CompoundBloomFilterWriter, BloomFilterChunk and StoreFileReader.
class TROMMEL_API CompoundFilter {
 public:
  /// A filter without keys: everything is absent.
  CompoundFilter() = default;

  /// Returns false if the file certainly has nothing of the cell. kRow and kRowPrefixFixedLength
  /// look at the row only. kRowCol probes for the cell, and for its row with an empty qualifier,
  /// under which the deletion of a row's family is stored.
  bool MayContain(CellName cell) const;

  /// Returns false if the file certainly has nothing of the row. Always true for kRowCol with keys:
  /// a row alone is no key of it.
  bool MayContainRow(std::string_view row) const;

  /// Sets the bits in `maybe_present` of the cells that MayContain, and clears the others. Returns
  /// how many are set. Requires (cells.size() + 63) / 64 words.
  size_t Query(std::span<const CellName> cells, std::span<uint64_t> maybe_present) const;

  /// Returns whether the key sorts behind the last one, and is absent for that. Under
  /// kRowPrefixFixedLength a key's row is the prefix.
  bool IsBehind(CellName key) const noexcept;

  /// As MayContain(cell), for a probe that was made for this filter's type and prefix length.
  bool ShowsProbe(const CellProbe& probe) const noexcept;

  /// @name Properties
  /// @{
  BloomType type() const noexcept { return type_; }                   ///< Returns what keys are.
  uint32_t prefix_length() const noexcept { return prefix_length_; }  ///< Returns the option.
  uint32_t num_hashes() const noexcept { return num_hashes_; }        ///< Returns k.
  uint64_t num_keys() const noexcept { return num_keys_; }            ///< Returns distinct keys.
  uint64_t max_keys() const noexcept { return max_keys_; }  ///< Returns the sum over the chunks.
  size_t num_chunks() const noexcept { return chunks_.size(); }  ///< Returns the number of chunks.
  /// Returns the bits of a chunk: position p is bit p % 8 of byte p / 8. Empty if it is damaged.
  std::span<const std::byte> chunk(size_t chunk_idx) const { return chunks_[chunk_idx].bits; }
  /// Returns the index of the chunk that a key would be in, or num_chunks() if it sorts before the
  /// first: the chunk that a query reads.
  size_t ChunkOf(CellName key) const noexcept;
  uint64_t num_bytes() const noexcept;  ///< Returns the bytes of all chunks.
  /// Returns LAST_BLOOM_KEY as HBase stores it: a row, a prefix, or a key of RowColKey.
  std::string LastKey() const;
  /// Returns the rate of a probe that falls into this chunk, from its fill; 1 if it is damaged.
  /// Requires chunk_idx < num_chunks().
  double FprOfChunk(size_t chunk_idx) const;
  /// @}

  /// @name Bytes
  /// INDEX_FILES.md has every byte, under "Filters of HBase".
  /// @{

  /// Returns what HBase writes into a store file behind the chunks: version 3 of its filter's
  /// metadata with the index of chunks, offsets counted from the first chunk.
  std::vector<std::byte> Metadata() const;

  /// Returns metadata and chunks with checksums.
  std::vector<std::byte> Serialize() const;

  /// Reads what Serialize returned, and never fails, because a query must not: of what is damaged
  /// it answers "maybe present", as HBase does. A damaged chunk does so for its own keys (HBase
  /// then gives up the whole filter); damaged metadata for all keys. damage() says what was found.
  static CompoundFilter DeserializeOrPass(std::span<const std::byte> bytes);

  /// Returns what was damaged, an error with kCorrupt each, naming chunk and bytes; empty if
  /// nothing was.
  std::span<const Error> damage() const noexcept { return damage_; }
  /// @}

 private:
  friend class CompoundFilterWriter;

  struct OwnedName {
    std::string row;
    std::string qualifier;
    CellName view() const noexcept { return {row, qualifier}; }
  };
  struct Chunk {
    OwnedName first;
    std::vector<std::byte> bits;  // empty: damaged
    uint64_t num_bytes = 0;       // of the bits, also of a damaged chunk
  };

  bool Shows(CellName key, const KeyHash& hash) const noexcept;
  Status ReadFrom(std::span<const std::byte> bytes);
  Status ReadIndex(std::span<const std::byte> metadata);

  BloomType type_ = BloomType::kRow;
  uint32_t prefix_length_ = 0;
  uint32_t num_hashes_ = 0;
  uint64_t num_keys_ = 0;
  uint64_t max_keys_ = 0;
  bool passes_all_ = false;
  std::vector<Chunk> chunks_;
  OwnedName last_;
  std::vector<Error> damage_;
};

/// Writes a CompoundFilter. Cells come in the order of a store file.
///
/// Thread safety: exclusive.
class TROMMEL_API CompoundFilterWriter {
 public:
  /// Begins a filter. Fails as ChunkShapeFor, and for kNone.
  static Result<CompoundFilterWriter> Create(const FilterOptions& options);

  /// Adds the key of each cell that differs from the one before it. Fails with kInvalidArgument if
  /// a cell sorts before the one before it, or its row is longer than kMaxRowBytes or empty; the
  /// message has its position among all cells and both keys. What came before it is in.
  Status Append(std::span<const CellName> cells);
  Status Append(CellName cell);  ///< One cell.

  /// Closes the last chunk and returns the filter.
  CompoundFilter Finish() &&;

  uint64_t num_keys() const noexcept { return filter_.num_keys_; }  ///< Returns distinct keys.

 private:
  CompoundFilterWriter(const FilterOptions& options, const ChunkShape& shape);

  void Add(CellName key);
  void CloseChunk();

  ChunkShape shape_;
  CompoundFilter filter_;
  uint64_t num_cells_ = 0;
  uint32_t num_in_chunk_ = 0;
  CompoundFilter::OwnedName last_cell_;
  std::string scratch_;
};

}  // namespace trommel::hbase

#endif  // TROMMEL_HBASE_COMPOUND_FILTER_H_
