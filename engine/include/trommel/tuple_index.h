/// @file
/// TupleIndex, the interface of structures that answer queries for any of a tuple's attributes.
#ifndef TROMMEL_TUPLE_INDEX_H_
#define TROMMEL_TUPLE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/executor.h"
#include "trommel/export.h"
#include "trommel/outcomes.h"
#include "trommel/tuples.h"

namespace trommel {

/// Answers queries for any of a tuple's attributes: is there a tuple whose attributes in the
/// queried set have these values?
///
/// "Absent" is certain. "Maybe present" can be false for two reasons: hashes that collide, as in
/// any filter, and different tuples that match the parts of a split query (AttributeSets).
///
/// AttributeFilter is the implementation for production use; those in trommel/matrix are the
/// published ones, for reproduction and comparison.
class TROMMEL_API TupleIndex {
 public:
  /// Destroys the structure.
  virtual ~TupleIndex() = default;

  /// Returns the words of a bitmap for `num_tuples` tuples. Tuple i's answer is bit i % 64 of word
  /// i / 64; unused high bits are written as zero. Every bitmap that is passed must have this size
  /// and must not overlap a column that is read: the calls require both.
  static constexpr size_t BitmapWords(size_t num_tuples) noexcept { return (num_tuples + 63) / 64; }

  /// Returns the attributes and the allowed sets.
  virtual const AttributeSets& sets() const noexcept = 0;

  /// Returns whether queries for this set can be answered. Some published structures answer for
  /// whole tuples only, and none answers for sets beyond full().
  virtual bool CanAnswer(AttributeMask queried) const noexcept = 0;

  /// Returns the sets that a query is split into at the moment, in the order in which they are
  /// queried. If there are none (for the empty set, and where everything is saturated), the answer
  /// is always "maybe present". Requires CanAnswer(queried).
  virtual std::vector<AttributeMask> PartsOf(AttributeMask queried) const = 0;

  /// Inserts every tuple. Requires all columns of sets().num_attributes().
  virtual InsertOutcome Insert(const Tuples& tuples) noexcept = 0;

  /// Sets the bits in `maybe_present` of the tuples that are maybe present and clears the others.
  /// Returns how many are set. Requires CanAnswer(queried), and the columns of the queried
  /// attributes.
  virtual size_t Query(AttributeMask queried, const Tuples& tuples,
                       std::span<uint64_t> maybe_present) const noexcept = 0;

  virtual uint64_t num_tuples() const noexcept = 0;  ///< Returns insertions less erasures.
  virtual uint64_t num_bytes() const noexcept = 0;   ///< Returns the bytes in use.

  /// Spreads batches over the executor's threads from now on; null: the calling thread only.
  /// Exclusive.
  virtual void UseExecutor(std::shared_ptr<Executor> executor) noexcept = 0;

  /// Queries tuple i for the set queried[i]: gathers the tuples of each set into one batch.
  /// Requires queried.size() == tuples.size, a bitmap that does not overlap `queried`, and every
  /// column that any tuple is queried for. Cost: memory for a copy of the columns; where the system
  /// refuses it, the tuples are queried one by one.
  size_t QueryEach(std::span<const AttributeMask> queried, const Tuples& tuples,
                   std::span<uint64_t> maybe_present) const noexcept;
};

}  // namespace trommel

#endif  // TROMMEL_TUPLE_INDEX_H_
