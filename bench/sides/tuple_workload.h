// Tuples of random 32-bit integers, and questions about them whose true answers are known without a
// set of what is in.
//
// Value number i of an attribute is a bijection of i, so that no attribute's values repeat, and
// tuple i is (value i of every attribute). Then a question's values belong together exactly if
// their numbers are the same, and are in if that number is below num_tuples.
#ifndef TROMMEL_BENCH_SIDES_TUPLE_WORKLOAD_H_
#define TROMMEL_BENCH_SIDES_TUPLE_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"

namespace trommel::bench {

// Questions for one set of attributes.
struct TupleQueries {
  AttributeMask set = 0;
  std::vector<std::vector<uint32_t>> numbers;  // [attribute]: of the values; empty if not asked
  TupleDigests digests{1};

  size_t size() const noexcept { return digests.view().size; }
};

class TupleWorkload {
 public:
  // Different seeds give different values. num_tuples below 2^31.
  TupleWorkload(uint32_t num_attributes, uint64_t num_tuples, uint64_t seed);

  uint32_t num_attributes() const noexcept { return num_attributes_; }
  uint64_t num_tuples() const noexcept { return num_tuples_; }

  uint32_t ValueAt(uint32_t attribute, uint32_t number) const noexcept;
  // Digests of the tuples [first, first + count).
  TupleDigests TuplesAt(uint64_t first, size_t count) const;
  // All tuples, in parts, into each of these. Ends the program where one is refused.
  void InsertInto(std::span<TupleIndex* const> indices) const;
  void InsertInto(TupleIndex& index) const {
    TupleIndex* const one = &index;
    InsertInto({&one, 1});
  }

  // Members: random tuples that are in, one number for all attributes of `asked`.
  TupleQueries Members(AttributeMask queried, size_t count, uint64_t purpose) const;
  // Non-members: each value on its own is that of a random tuple with chance `alpha`, else one that
  // no tuple has. Those that would be in are drawn again.
  TupleQueries NonMembers(AttributeMask queried, double alpha, size_t count,
                          uint64_t purpose) const;
  // Mixtures: the values of `first` from one random tuple, the rest of `asked` from another.
  TupleQueries Mixtures(AttributeMask queried, AttributeMask first, size_t count,
                        uint64_t purpose) const;

  // Whether question i's values of `set`, some of those it gives, belong to one tuple that is in.
  bool IsIn(const TupleQueries& queries, AttributeMask set, size_t i) const noexcept;

 private:
  TupleQueries Hashed(AttributeMask queried, std::vector<std::vector<uint32_t>> numbers) const;

  uint32_t num_attributes_;
  uint64_t num_tuples_;
  uint64_t seed_;
};

// What a structure answered to questions that are all non-members'.
struct NonMemberAnswers {
  uint64_t num_queried = 0;
  uint64_t num_maybe = 0;
  // Of them, those of whom all parts of the question are in: false whatever the memory.
  uint64_t num_combination = 0;

  double rate() const { return static_cast<double>(num_maybe) / static_cast<double>(num_queried); }
  // Of non-members that are none of these.
  double hash_rate() const {
    return static_cast<double>(num_maybe - num_combination) /
           static_cast<double>(num_queried - num_combination);
  }
  double combination_rate() const {
    return static_cast<double>(num_combination) / static_cast<double>(num_queried);
  }
};

// `parts`: what the structure splits the questions into. Combination non-members that are answered
// "absent" would be false negatives of a part: they end the program.
NonMemberAnswers QueryNonMembers(const TupleIndex& index, const TupleWorkload& workload,
                                 const TupleQueries& non_members,
                                 std::span<const AttributeMask> parts);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_TUPLE_WORKLOAD_H_
