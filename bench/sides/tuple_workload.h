// Tuples of random 32-bit integers, and queries about them whose true answers are known without a
// set of the tuples.
//
// Value number i of an attribute is a bijection of i, so that no attribute's values repeat, and
// tuple i is (value i of every attribute). Then the values of a query belong to one tuple exactly
// if their numbers are equal, and are in if that number is below num_tuples.
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

// Queries for one set of attributes.
struct TupleQueries {
  AttributeMask set = 0;
  std::vector<std::vector<uint32_t>>
      numbers;  // [attribute]: of the values; empty if not in the set
  TupleDigests digests{1};

  size_t size() const noexcept { return digests.view().size; }
};

class TupleWorkload {
 public:
  // Different seeds give different values. Requires num_tuples < 2^31.
  TupleWorkload(uint32_t num_attributes, uint64_t num_tuples, uint64_t seed);

  uint32_t num_attributes() const noexcept { return num_attributes_; }
  uint64_t num_tuples() const noexcept { return num_tuples_; }

  uint32_t ValueAt(uint32_t attribute, uint32_t number) const noexcept;
  // Digests of the tuples [first, first + count).
  TupleDigests TuplesAt(uint64_t first, size_t count) const;
  // Inserts all tuples, in parts, into each of these. Ends the program where one is refused.
  void InsertInto(std::span<TupleIndex* const> indices) const;
  void InsertInto(TupleIndex& index) const {
    TupleIndex* const one = &index;
    InsertInto({&one, 1});
  }

  // Members: random tuples that are in, one number for all attributes of `queried`.
  TupleQueries Members(AttributeMask queried, size_t count, uint64_t purpose) const;
  // Non-members: each value on its own is that of a random tuple with probability `alpha`, else one
  // that no tuple has. Those that would be in are drawn again.
  TupleQueries NonMembers(AttributeMask queried, double alpha, size_t count,
                          uint64_t purpose) const;
  // Mixtures: the values of `first` from one random tuple, the rest of `queried` from another.
  TupleQueries Mixtures(AttributeMask queried, AttributeMask first, size_t count,
                        uint64_t purpose) const;

  // Whether the values of `set` in query i, all of which it has, belong to one tuple that is in.
  bool IsIn(const TupleQueries& queries, AttributeMask set, size_t i) const noexcept;

 private:
  TupleQueries Hashed(AttributeMask queried, std::vector<std::vector<uint32_t>> numbers) const;

  uint32_t num_attributes_;
  uint64_t num_tuples_;
  uint64_t seed_;
};

// The answers of a structure to queries for non-members.
struct NonMemberAnswers {
  uint64_t num_queried = 0;
  uint64_t num_maybe = 0;
  // Those of which all parts of the query are in: false positives whatever the memory.
  uint64_t num_combination = 0;

  double rate() const { return static_cast<double>(num_maybe) / static_cast<double>(num_queried); }
  // Of the other non-members.
  double hash_rate() const {
    return static_cast<double>(num_maybe - num_combination) /
           static_cast<double>(num_queried - num_combination);
  }
  double combination_rate() const {
    return static_cast<double>(num_combination) / static_cast<double>(num_queried);
  }
};

// `parts`: what the structure splits the queries into. Combinations that are answered "absent"
// would be false negatives of a part: they end the program.
NonMemberAnswers QueryNonMembers(const TupleIndex& index, const TupleWorkload& workload,
                                 const TupleQueries& non_members,
                                 std::span<const AttributeMask> parts);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_TUPLE_WORKLOAD_H_
