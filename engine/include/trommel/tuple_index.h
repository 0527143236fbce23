// TupleIndex: what answers questions about any of a tuple's attributes. AttributeFilter is the one
// to use; the structures of matrix/ are the published ones, for reproduction and comparison.
//
// The question: is there a tuple whose attributes in `asked` have these values? "Absent" is
// certain. "Maybe present" is false for two reasons: hashes that fall together, as in any filter,
// and parts of a split question that different tuples match (attribute_sets.h).
#ifndef TROMMEL_TUPLE_INDEX_H_
#define TROMMEL_TUPLE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/executor.h"
#include "trommel/outcomes.h"
#include "trommel/tuples.h"

namespace trommel {

class TupleIndex {
 public:
  virtual ~TupleIndex() = default;

  // Bitmaps hold tuple i's answer in bit i % 64 of word i / 64, must have this many words and must
  // not overlap a column that is read (another size or an overlap is a programmer's mistake:
  // message and abort). Their unused high bits are zero.
  static constexpr size_t BitmapWords(size_t num_tuples) noexcept { return (num_tuples + 63) / 64; }

  virtual const AttributeSets& sets() const noexcept = 0;

  // Whether questions for this set are answered at all. Some published structures answer only for
  // whole tuples; sets beyond full() nobody answers.
  virtual bool CanAnswer(AttributeMask asked) const noexcept = 0;

  // The sets that a question is split into at present, in the order in which they are asked. None:
  // always "maybe present" (the empty set, and where everything is saturated). Asking for what
  // CanAnswer refuses is a programmer's mistake, here and below: message and abort.
  virtual std::vector<AttributeMask> PartsOf(AttributeMask asked) const = 0;

  // Puts every tuple in. All columns of sets().num_attributes() must be given.
  virtual InsertOutcome Insert(const Tuples& tuples) noexcept = 0;

  // Tuple i's bit in `maybe_present` is its answer. Returns how many are set.
  virtual size_t Query(AttributeMask asked, const Tuples& tuples,
                       std::span<uint64_t> maybe_present) const noexcept = 0;

  virtual uint64_t num_tuples() const noexcept = 0;  // insertions less erasures
  virtual uint64_t num_bytes() const noexcept = 0;

  // Spreads batches over these threads from now on; null: the calling thread only. Exclusive.
  virtual void UseExecutor(std::shared_ptr<Executor> executor) noexcept = 0;

  // Tuple i is asked for the set asked[i]: tuples are gathered by their sets, and each set's are
  // one batch. asked.size() must equal tuples.size, and the bitmap must not overlap it. A column
  // must be given if any tuple asks it. Needs memory for a copy of the columns; where there is
  // none, that ends the program, as for the plan of a set that is asked for the first time.
  size_t QueryEach(std::span<const AttributeMask> asked, const Tuples& tuples,
                   std::span<uint64_t> maybe_present) const noexcept;
};

}  // namespace trommel

#endif  // TROMMEL_TUPLE_INDEX_H_
