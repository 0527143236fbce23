// PlanAttributes: how to share memory among sets of attributes, and whether a matrix of cells or an
// AttributeFilter serves better. Pure arithmetic on the exact models; nothing is allocated.
//
// What is minimized. A question of the mix is asked for a non-member with its share's probability;
// it is split into parts. The worst that a split leaves to hashes is a non-member of whom all parts
// but one are in, each part as likely to be the one: then the rate is that part's. So with w_q the
// shares of questions and P(q) their parts,
//
//   expected_fpr = sum_q w_q / |P(q)| sum_{S in P(q)} fpr_S  =  sum_S u_S fpr_S
//
// is minimized for sum_S bytes_S(capacity_S, fpr_S) within the budget. If bytes fell by the same
// for every halving of a rate, fpr_S would be proportional to capacity_S / u_S (Lagrange). They
// come in steps, of whole blocks and of shapes, so memory is given step by step where a byte saves
// most: the optimum, but for less than one step's bytes. (So one of two sets that are asked alike
// may get a step that there is not memory enough to give to both.) Combination false positives
// (attribute_sets.h) are not in it: memory does not change them.
#ifndef TROMMEL_ATTRIBUTE_PLAN_H_
#define TROMMEL_ATTRIBUTE_PLAN_H_

#include <cstdint>
#include <vector>

#include "trommel/attribute_filter.h"
#include "trommel/attribute_sets.h"
#include "trommel/matrix/geometry.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

// How often a set is asked for, over the other shares of the mix.
struct QueryShare {
  AttributeMask asked = 0;
  double share = 1;  // above 0, finite
};

struct AttributePlanRequest {
  AttributeSets sets = {};
  uint64_t capacity = 0;                  // tuples; required
  std::vector<uint64_t> num_values = {};  // as AttributeConfig's
  std::vector<QueryShare> mix = {};       // empty: every set but the empty one, all alike
  // Either a rate for every allowed set ...
  double target_fpr = 0;
  // ... or memory to share, for the mix.
  uint64_t memory_bytes = 0;
  Encoding encoding = Encoding::kRuns;
  uint32_t num_hashes = 0;  // of the matrix; 0: 6, as its source's experiments
};

struct PlannedSet {
  AttributeMask set = 0;
  double weight = 0;      // u_S: its part of the mix
  uint64_t capacity = 0;  // different projections
  // The filter's:
  double target_fpr = 0;
  double predicted_fpr = 0;  // at capacity, by the model of what will be built
  uint64_t num_bytes = 0;  // at capacity; side table included, for tuples spread evenly over values
  // The matrix's block:
  uint64_t num_cells = 0;
  double matrix_fpr = 0;
};

enum class AttributeStructure : uint8_t { kFilter, kMatrix };

struct AttributePlan {
  std::vector<PlannedSet> sets = {};  // ascending, as sets.allowed()
  uint64_t filter_bytes = 0;
  double filter_expected_fpr = 0;  // of the mix
  // CBFM of the same memory (or of kMaxCells, or of kMaxPositions for each attribute, where that is
  // less), all attributes alike, as published.
  matrix::MatrixGeometry matrix = {};
  uint64_t matrix_bytes = 0;
  double matrix_expected_fpr = 0;
  // The bytes from which on a matrix as published would reach filter_expected_fpr.
  double matrix_bytes_for_filter_fpr = 0;
  // Which has the lower expected rate at this memory. (A matrix cannot erase.)
  AttributeStructure better = AttributeStructure::kFilter;

  // For AttributeConfig::budgets.
  std::vector<SetBudget> budgets() const;
};

// Fails with kInvalidArgument for numbers out of range, for both or neither of target_fpr and
// memory_bytes, for shares of sets beyond the attributes, and when the memory does not suffice even
// for the highest rates: the error says how much would. Any thread. With a rate about 10 ms for
// every different capacity of sets; with memory a fifth of a second for each of few, an eighth of
// that for each of many.
Result<AttributePlan> PlanAttributes(const AttributePlanRequest& request);

}  // namespace trommel

#endif  // TROMMEL_ATTRIBUTE_PLAN_H_
