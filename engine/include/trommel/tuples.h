// Tuples: batches of tuples as columns of digests, one column an attribute.
//
// A value is hashed once, whatever number of sets it belongs to. Columns are what databases have,
// and what vectors of neighbouring tuples are loaded from.
#ifndef TROMMEL_TUPLES_H_
#define TROMMEL_TUPLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel {

// A view of a batch: columns[i] points at `size` digests of attribute i, well mixed as
// Keys::Digests wants them. Columns of attributes that a query does not give are not read and may
// be null. The digests must outlive the call they are passed to.
struct Tuples {
  std::array<const uint64_t*, kMaxAttributes> columns{};
  size_t size = 0;

  // The batch from tuple `first` on.
  Tuples From(size_t first, size_t num_tuples) const noexcept {
    Tuples part{columns, num_tuples};
    for (const uint64_t*& column : part.columns) {
      if (column != nullptr) column += first;
    }
    return part;
  }
};

// A batch that owns its digests.
class TupleDigests {
 public:
  explicit TupleDigests(uint32_t num_attributes);  // at most kMaxAttributes, else it aborts

  // Replaces the column of an attribute by the digests of these values. All columns that are given
  // must be of one length, else view() aborts. Values that non-members choose want a kSipHash
  // policy (digest.h), whatever the structure that takes the tuples.
  void Set(uint32_t attribute, Keys values, const DigestPolicy& policy = {});
  void Clear() noexcept;  // all columns empty again; memory is kept

  uint32_t num_attributes() const noexcept { return static_cast<uint32_t>(columns_.size()); }
  Tuples view() const noexcept;  // columns that were not given are null

 private:
  std::vector<std::vector<uint64_t>> columns_;
};

}  // namespace trommel

#endif  // TROMMEL_TUPLES_H_
