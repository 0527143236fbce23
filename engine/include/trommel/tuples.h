/// @file
/// Tuples and TupleDigests, batches of tuples as one column of digests per attribute; and TupleKey,
/// a tuple as one key of a filter of keys.
///
/// A value is hashed once, however many sets of attributes it belongs to. Columns match the storage
/// of databases, and SIMD kernels load neighbouring tuples from them.
#ifndef TROMMEL_TUPLES_H_
#define TROMMEL_TUPLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/digest.h"
#include "trommel/export.h"
#include "trommel/keys.h"

namespace trommel {

/// Writes a value of a tuple to its key (TupleKey), and returns the end of what it wrote. Requires
/// room for 2 * value.size() + 2 bytes.
inline char* WriteTupleValue(std::string_view value, bool is_last, char* out) noexcept {
  for (const char c : value) {
    *out++ = c;
    if (c == 0 && !is_last) *out++ = '\xff';
  }
  if (is_last) return out;
  *out++ = 0;
  *out++ = 1;
  return out;
}

/// Returns a tuple as one key: each value but the last with its bytes 00 written as 00 ff, and 00
/// 01 behind it. So among keys of equally many values different tuples have different keys, which
/// are in the order of the tuples, value by value; and the key of one value is that value. Keys of
/// `trommel --column a,b` are such keys, and so are those of tables in Python.
inline std::string TupleKey(std::span<const std::string_view> values) {
  size_t num_bytes = 0;
  for (const std::string_view value : values) num_bytes += 2 * value.size() + 2;
  std::string key(num_bytes, 0);
  char* end = key.data();
  for (size_t i = 0; i < values.size(); ++i) {
    end = WriteTupleValue(values[i], i + 1 == values.size(), end);
  }
  key.resize(static_cast<size_t>(end - key.data()));
  return key;
}

/// A view of a batch of tuples. The digests must outlive the call that it is passed to, and no
/// thread may write to them until it returns.
struct Tuples {
  /// columns[i] points at `size` digests of attribute i, well mixed as for Keys::Digests. Columns
  /// of attributes that a query does not use are not read and may be null.
  std::array<const uint64_t*, kMaxAttributes> columns{};
  size_t size = 0;  ///< The number of tuples.

  /// Returns a view of `num_tuples` tuples from index `first` on.
  Tuples From(size_t first, size_t num_tuples) const noexcept {
    Tuples part{columns, num_tuples};
    for (const uint64_t*& column : part.columns) {
      if (column != nullptr) column += first;
    }
    return part;
  }
};

/// A batch of tuples that owns its digests.
class TROMMEL_API TupleDigests {
 public:
  /// An empty batch. Requires num_attributes <= kMaxAttributes.
  explicit TupleDigests(uint32_t num_attributes);

  /// Replaces the column of an attribute by the digests of these values. All columns that are set
  /// must have the same length. The policy must be that of the structure that takes the tuples
  /// (AttributeFilter::digest_policy(); a loaded filter may have another than the default): under
  /// another its tuples are not found. Use a kSipHash policy for values that an attacker may choose
  /// (DigestKind), whichever structure takes the tuples.
  void Set(uint32_t attribute, Keys values, const DigestPolicy& policy = {});
  /// Empties all columns and keeps the memory.
  void Clear() noexcept;

  /// Returns the number of attributes.
  uint32_t num_attributes() const noexcept { return static_cast<uint32_t>(columns_.size()); }
  /// Returns a view; columns that were not set are null. Requires that the columns that were set
  /// have the same length.
  Tuples view() const noexcept;

 private:
  std::vector<std::vector<uint64_t>> columns_;
};

}  // namespace trommel

#endif  // TROMMEL_TUPLES_H_
