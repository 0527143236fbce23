// PairStructure: the pairs of one attribute, in columns. A query answers for all columns at once.
//
// Two are here: a map from fingerprints to columns, one per region (map_structure.cc), and the
// source's scalable filters, one per server (server_filters.cc).
#ifndef TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_PAIR_STRUCTURE_H_
#define TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_PAIR_STRUCTURE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trommel/index/server_index.h"
#include "trommel/keys.h"
#include "trommel/result.h"

namespace trommel::index {

// The structure of a directory that files and tables may still name: transposed columns.
inline constexpr uint32_t kTransposedStructure = 0;

// What the bytes of a column depend on beside its capacity; zeros: nothing.
struct StructureShape {
  uint64_t num_blocks = 0;
  uint32_t fingerprint_bits = 0;

  friend bool operator==(const StructureShape&, const StructureShape&) = default;
};

class PairStructure {
 public:
  struct ColumnStats {
    uint64_t num_pairs = 0;
    double predicted_fpr = 0;
  };

  virtual ~PairStructure() = default;

  // Returns the words of an answer: bit c is column c.
  virtual size_t num_words() const = 0;
  virtual uint32_t num_columns() const = 0;

  // Opens a closed column, which then has no pairs. Thread safety: as the operations of a column.
  virtual Status Open(uint32_t column) = 0;
  // Closes columns beside queries, and removes all of their pairs. Returns what queries that are
  // under way may still read, if anything: to be freed after a grace period.
  virtual std::shared_ptr<const void> Close(std::span<const uint32_t> columns) noexcept = 0;
  // Opens a closed column with the pairs that Serialize wrote.
  virtual Status Load(uint32_t column, std::span<const std::byte> bytes) = 0;
  virtual std::vector<std::vector<std::byte>> Serialize(
      std::span<const uint32_t> columns) const = 0;

  // Require an open column. Return false if some keys were refused.
  virtual bool Insert(uint32_t column, Keys keys) noexcept = 0;
  virtual bool Erase(uint32_t column, Keys keys) noexcept = 0;
  virtual ColumnStats StatsOf(uint32_t column) const = 0;

  // Writes num_words() words per digest; never waits. Promise: ServerIndex.
  virtual void Query(std::span<const uint64_t> digests,
                     std::span<uint64_t> columns) const noexcept = 0;
  virtual void Query(uint64_t digest, std::span<uint64_t> columns) const noexcept = 0;

  virtual uint64_t num_bytes() const = 0;
  virtual StructureShape shape() const { return {}; }
  virtual double share_in_lists() const { return 0; }
  // The share of pairs that take slots, as a successor should have them.
  virtual double slots_per_pair() const { return 1; }
  // The memory of one for so many pairs, as a share of this one's.
  virtual double SuccessorShare(uint64_t /*num_pairs*/) const { return 1; }

  // Closed columns that no version has, the one to open next last. Under the lock under which
  // versions change.
  std::vector<uint32_t> free_columns;
};

// Make a structure of closed columns. pairs_per_column is the capacity of each, num_pairs that of
// all. A shape other than zeros is used as it is.
Result<std::shared_ptr<PairStructure>> MakeMapStructure(const ServerIndexConfig& config,
                                                        uint64_t num_pairs, double slots_per_pair,
                                                        uint32_t num_columns,
                                                        const StructureShape& shape);
Result<std::shared_ptr<PairStructure>> MakeServerFilters(const ServerIndexConfig& config,
                                                         uint64_t pairs_per_column,
                                                         uint32_t num_columns);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_PAIR_STRUCTURE_H_
