/// @file
/// Schema, Row and KeyRange: what a table of the secondary index holds.
#ifndef TROMMEL_INDEX_SCHEMA_H_
#define TROMMEL_INDEX_SCHEMA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/result.h"

/// The secondary index of tables over several servers (INDEX.md).
namespace trommel::index {

/// The values of one attribute of a row, each a string of any bytes: none (null), one, or several
/// (a set). Their order does not matter, and equal values count once.
using Values = std::vector<std::string>;

/// A row: a key of any bytes, and the values of each attribute of the schema, in its order.
struct Row {
  std::string key;                 ///< Not empty; at most kMaxKeyBytes.
  std::vector<Values> attributes;  ///< One per attribute of the schema.

  /// Memberwise equality.
  friend bool operator==(const Row&, const Row&) = default;
};

/// Longest row key, in bytes.
inline constexpr size_t kMaxKeyBytes = size_t{32} << 10;
/// Longest value, in bytes.
inline constexpr size_t kMaxValueBytes = size_t{64} << 10;
/// Most attributes of a schema.
inline constexpr size_t kMaxAttributes = 1024;
/// Most versions of a row that a table keeps.
inline constexpr uint32_t kMaxVersions = 100;

/// One attribute of a table.
struct Attribute {
  std::string name;         ///< Not empty; names differ within a schema.
  bool is_indexed = false;  ///< Whether local indexes and the directory have its values.

  /// Memberwise equality.
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// The attributes of a table.
struct Schema {
  std::vector<Attribute> attributes;  ///< 1 to kMaxAttributes.
  /// How many versions of a row are readable, 1 to kMaxVersions: each put adds one, and the oldest
  /// beyond this number goes. A row has a value if one of its readable versions has it.
  uint32_t max_versions = 1;
  /// Names of the columns whose values make up a row's key, in their order, if callers make keys of
  /// columns; each not empty, all different. A table keeps them, and does not read its keys.
  std::vector<std::string> key_columns = {};

  /// Returns the position of the attribute with this name, if there is one.
  std::optional<uint32_t> Find(std::string_view name) const noexcept;

  /// Memberwise equality.
  friend bool operator==(const Schema&, const Schema&) = default;
};

/// Fails with kInvalidArgument unless names and numbers are in range.
Status Validate(const Schema& schema);
/// Fails with kInvalidArgument unless the row has a key, one list of values per attribute of the
/// schema, and lengths in range.
Status Validate(const Schema& schema, const Row& row);

/// The keys from `begin` up to, and without, `end`, compared byte by byte. An empty `end` is beyond
/// all keys.
struct KeyRange {
  std::string begin;  ///< The first key.
  std::string end;    ///< The first key behind the range; empty: there is none.

  /// Returns whether the key is in the range.
  bool Contains(std::string_view key) const noexcept {
    return key >= begin && (end.empty() || key < end);
  }
  /// Returns whether there can be no key in the range.
  bool empty() const noexcept { return !end.empty() && begin >= end; }

  /// Memberwise equality.
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

/// Returns the keys that are in both ranges; empty() if there are none.
KeyRange Intersection(const KeyRange& a, const KeyRange& b);

/// One change of a row.
struct Mutation {
  std::string key;  ///< Of the row.
  /// The new values, one list per attribute of the schema; none: the row is deleted, with all its
  /// versions.
  std::optional<std::vector<Values>> attributes;
};

/// "The row has this value of this attribute."
struct Condition {
  uint32_t attribute = 0;  ///< Position in the schema.
  std::string value;       ///< The value.

  /// Memberwise equality.
  friend bool operator==(const Condition&, const Condition&) = default;
};

}  // namespace trommel::index

#endif  // TROMMEL_INDEX_SCHEMA_H_
